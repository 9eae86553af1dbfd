package dev.gpubroker.broker.simulation;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.config.StartException;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.inventory.Inventory;
import dev.gpubroker.broker.inventory.PlatformInventory;
import dev.gpubroker.broker.inventory.Snapshot;
import dev.gpubroker.broker.inventory.StockHistory;
import dev.gpubroker.broker.platform.Accounts;
import dev.gpubroker.broker.platform.Lanes;
import dev.gpubroker.broker.platform.SimulatedEndpoint;
import dev.gpubroker.broker.request.MachineWish;
import io.vertx.core.Future;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Simulators, accounts, lanes and inventory together, over HTTP and on PostgreSQL. */
final class HostedSimulatorsTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final InstantSource TIME = InstantSource.system();
    private static final Flavor A100 = new Flavor("A100-SXM4-80GB", 8);

    @TempDir
    Path data;

    private final List<HostedSimulators> running = new ArrayList<>();
    private final HttpClient http = HttpClient.newHttpClient();

    @AfterEach
    void stop() {
        running.forEach(each -> await(each.stop()));
    }

    @Test
    void hostedSimulatorsAreReadyAndEachHasAnEndpoint() {
        HostedSimulators simulators = host();

        assertThat(simulators.endpoints())
                .extracting(SimulatedEndpoint::platform)
                .contains("aliyun");
        assertThat(simulators.control()).isNotNull();
        await(simulators.isReady());
    }

    @Test
    void withoutSimulatorsThereIsNothingAndThatIsReady() {
        HostedSimulators none = open("false");

        assertThat(none.endpoints()).isEmpty();
        assertThat(none.control()).isNull();
        await(none.isReady());
    }

    @Test
    void simulatorsOfAnotherProcessAreFoundThroughTheirControl() {
        HostedSimulators hosted = host();

        HostedSimulators found = open(String.valueOf(hosted.control()));

        assertThat(found.endpoints()).isEqualTo(hosted.endpoints());
        await(found.isReady());
        await(hosted.stop());
        running.remove(hosted);
        assertThatThrownBy(() -> await(found.isReady())).hasMessageContaining("does not answer");
    }

    @Test
    void aControlThatDoesNotAnswerIsAStartErrorThatSaysWhatToDo() {
        assertThatThrownBy(() -> open("http://127.0.0.1:9"))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("http://127.0.0.1:9")
                .hasMessageContaining("gpu-broker simulators");
    }

    @Test
    void aTakenControlPortIsAStartErrorAndLeavesNothingRunning() {
        int taken = requireNonNull(host().control()).getPort();

        assertThatThrownBy(() -> await(HostedSimulators.host(
                        DATABASE.vertx(), DATABASE.database().jdbc(), TIME, taken)))
                .isInstanceOf(StartException.class)
                .hasMessageContaining(Integer.toString(taken));
    }

    @Test
    void aSnapshotHoldsWhatTheSimulatedPlatformsSell() {
        HostedSimulators simulators = host();
        PlatformInventory inventory = inventory(simulators);
        control(simulators, "PUT", "stock", "{\"model\":\"A100\",\"gpusPerNode\":8,\"nodes\":8}");

        Snapshot.Answer answer = aliyun(inventory);

        assertThat(answer.silence()).as(answer.silenceDetail()).isNull();
        Offer offer = requireNonNull(answer.offers()).available().get(0);
        assertThat(offer.flavor()).isEqualTo(A100);
        assertThat(answer.prices().get(offer.id())).isNotEmpty();
        assertThat(answer.account().simulated()).isTrue();
    }

    @Test
    void everySimulatedPlatformAnswersAboutWhatItSells() {
        HostedSimulators simulators = host();
        Lanes lanes = lanes(simulators);
        List<Ask> asks = lanes.accounts().stream()
                .map(account -> account.capabilities().shapes().get(0).flavor())
                .distinct()
                .map(flavor -> new Ask(flavor, 1))
                .toList();
        Window window = Window.of(Instant.now().plus(Duration.ofDays(3)), Duration.ofDays(5));

        Snapshot snapshot = await(inventory(lanes)
                .snapshot(new Inventory.Query(asks, window, Set.of(), Set.of(), MachineWish.none(), true)));

        assertThat(snapshot.answers()).hasSameSizeAs(simulators.endpoints());
        for (Snapshot.Answer answer : snapshot.answers()) {
            assertThat(answer.silence())
                    .as(answer.account().id() + ": " + answer.silenceDetail())
                    .isNull();
            if (answer.account().capabilities().sellsNow()) {
                assertThat(answer.prices()).as(answer.account().id()).isNotEmpty();
            }
        }
    }

    @Test
    void whatIsSoldOutIsPricedAllTheSame() {
        HostedSimulators simulators = host();
        PlatformInventory inventory = inventory(simulators);
        control(simulators, "PUT", "stock", "{\"model\":\"A100\",\"gpusPerNode\":8,\"nodes\":0}");

        Snapshot.Answer answer = aliyun(inventory);

        assertThat(requireNonNull(answer.offers()).available()).isEmpty();
        assertThat(answer.prices()).containsKey("cn-hangzhou/ecs.gn7e-c16g1.32xlarge");
    }

    @Test
    void aSimulatorThatHangsIsNamedWithinTheDeadline() {
        HostedSimulators simulators = host();
        PlatformInventory inventory = inventory(simulators);
        control(
                simulators,
                "POST",
                "faults",
                "{\"operation\":\"stock\",\"kind\":\"hang\",\"times\":9,\"delayMs\":60000}");

        long begun = System.nanoTime();
        Snapshot.Answer answer = aliyun(inventory);

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
        assertThat(answer.silence()).isEqualTo(Reason.PLATFORM_UNAVAILABLE);
        control(simulators, "DELETE", "faults", "");
        assertThat(aliyun(inventory).silence()).isNull();
    }

    @Test
    void aResetConnectionIsTriedAgainAndNotSeen() {
        HostedSimulators simulators = host();
        PlatformInventory inventory = inventory(simulators);
        control(simulators, "POST", "faults", "{\"operation\":\"stock\",\"kind\":\"reset\",\"times\":1}");

        assertThat(aliyun(inventory).silence()).isNull();
    }

    // ---- helpers ---------------------------------------------------------------------------------

    private HostedSimulators host() {
        HostedSimulators simulators = await(
                HostedSimulators.host(DATABASE.vertx(), DATABASE.database().jdbc(), TIME, 0));
        running.add(simulators);
        return simulators;
    }

    private HostedSimulators open(String simulators) {
        return await(HostedSimulators.open(
                DATABASE.vertx(), settings(simulators), DATABASE.database().jdbc(), TIME));
    }

    private Settings settings(String simulators) {
        return Settings.load(null, Map.of("GPU_BROKER_SIMULATORS", simulators, "GPU_BROKER_DATA", data.toString()));
    }

    private PlatformInventory inventory(HostedSimulators simulators) {
        return inventory(lanes(simulators));
    }

    private Lanes lanes(HostedSimulators simulators) {
        Accounts accounts = await(Accounts.open(
                DATABASE.vertx(), DATABASE.database(), settings("true"), simulators.endpoints(), "inst0001", TIME));
        return new Lanes(DATABASE.vertx(), accounts, TIME, Clock.systemUTC());
    }

    private static PlatformInventory inventory(Lanes lanes) {
        PlatformInventory inventory = new PlatformInventory(
                DATABASE.vertx(),
                lanes,
                TIME,
                TIME,
                new StockHistory(DATABASE.database().pool(), TIME, TIME));
        await(inventory.warmUp());
        return inventory;
    }

    private static Snapshot.Answer aliyun(PlatformInventory inventory) {
        Window window = Window.of(Instant.now().plus(Duration.ofDays(3)), Duration.ofDays(5));
        Snapshot snapshot = await(inventory.snapshot(new Inventory.Query(
                List.of(new Ask(A100, 1)), window, Set.of("aliyun"), Set.of(), MachineWish.none(), true)));
        List<Snapshot.Answer> called = snapshot.answers().stream()
                .filter(answer -> !answer.asked().isEmpty())
                .toList();
        assertThat(called).hasSize(1);
        return called.get(0);
    }

    private void control(HostedSimulators simulators, String method, String what, String body) {
        URI url = URI.create(simulators.control() + "/_sim/aliyun/" + what);
        HttpRequest request = HttpRequest.newBuilder(url)
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            assertThat(http.send(request, BodyHandlers.ofString()).statusCode()).isBetween(200, 299);
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof StartException known ? known : new IllegalStateException(e);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
