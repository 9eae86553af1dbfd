package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.scenario.RunningBroker.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a reservation runs on its machine before its end, over a real sshd. */
@Timeout(120)
@SuppressWarnings("NullAway.Init") // Made before each test.
class EndHookScenarioTest {
    @TempDir
    Path folder;

    private LoginHost host;
    private TestDatabase database;
    private RunningBroker broker;

    @BeforeEach
    void start() throws Exception {
        host = LoginHost.start(Files.createDirectories(folder.resolve("ssh")));
        database = TestDatabase.create();
        broker = new RunningBroker(
                database,
                Files.createDirectories(folder.resolve("data")),
                "machineLogin: {identityFile: %s, user: %s}\n".formatted(host.key(), System.getProperty("user.name")));
        broker.walkTo("2026-11-01T09:50:00+08:00");
    }

    @AfterEach
    void stop() {
        if (broker != null) {
            broker.close();
            database.close();
            host.close();
        }
    }

    private void pool(String address) {
        Answer made = broker.call("POST", "/v1/pools", """
                {"name":"far","model":"A100-SXM4-80GB","gpusPerNode":8,"hosts":[{"name":"far-1","address":"%s"}]}""".formatted(address));
        assertThat(made.status()).as("%s", made.body()).isEqualTo(201);
    }

    private Answer book(RunningBroker with, String hook) {
        return with.book("""
                {"gpu":{"model":"A100-SXM4-80GB","count":2},"start":"2026-11-01T10:00:00+08:00","duration":"PT4H",
                 "constraints":{"platforms":["pool"]},"atEnd":{"hook":"%s"}}""".formatted(hook));
    }

    private JsonNode booked(String hook) {
        Answer booked = book(broker, hook);
        assertThat(booked.status()).as("%s", booked.body()).isEqualTo(201);
        return booked.body();
    }

    /** {@code <time> <outcome>} of each event of the hook, oldest first. */
    private List<String> outcomes(JsonNode booked) {
        return events(booked).stream()
                .map(event -> event.get("at").asText().substring(11, 16) + " "
                        + event.get("after").get("outcome").asText())
                .toList();
    }

    private List<JsonNode> events(JsonNode booked) {
        List<JsonNode> events = new ArrayList<>();
        broker.get("/v1/reservations/" + booked.get("id").asText() + "/events?limit=200")
                .get("items")
                .forEach(event -> {
                    if (event.get("what").asText().equals("end_hook")) {
                        events.add(event);
                    }
                });
        return events;
    }

    private String written(String file) throws Exception {
        Path path = host.home.resolve(file);
        return Files.exists(path) ? Files.readString(path).strip() : "";
    }

    @Test
    void theHookRunsOnceTenMinutesBeforeTheEndAndItsEndIsAnEvent() throws Exception {
        pool(host.address());
        JsonNode booked = booked("echo $CUDA_VISIBLE_DEVICES >>saved; echo two files left >&2; exit 3");
        broker.walkTo("2026-11-01T13:49:00+08:00");
        assertThat(written("saved")).isEmpty();

        broker.walkTo("2026-11-01T14:05:00+08:00");

        assertThat(written("saved")).isEqualTo("0,1");
        assertThat(outcomes(booked)).containsExactly("13:50 ended");
        JsonNode ended = events(booked).get(0);
        assertThat(ended.get("after").get("exitCode").asInt()).isEqualTo(3);
        assertThat(ended.get("after").get("lastLine").asText()).isEqualTo("two files left");
        assertThat(ended.get("why").asText()).startsWith("the hook ended on far-1 with 3 after ");
        assertThat(broker.reservation(booked).get("state").asText()).isEqualTo("completed");
    }

    @Test
    void aHookThatHangsIsEndedWithTheTimeAndTheReleaseDoesNotWait() throws Exception {
        pool(host.address());
        JsonNode booked = booked("echo begun >>saved; sleep 300; echo over >>saved");

        broker.walkTo("2026-11-01T14:00:30+08:00");

        assertThat(broker.reservation(booked).get("state").asText()).isEqualTo("completed");
        assertThat(outcomes(booked)).containsExactly("13:50 running", "13:59 stopped");
        assertThat(written("saved")).isEqualTo("begun");
    }

    /** It has ended well, and what it left has a session of its own and does not listen to TERM. */
    @Test
    void whatAHookLeavesInTheBackgroundIsEndedWithItsReservation() throws Exception {
        pool(host.address());
        JsonNode booked =
                booked("setsid sh -c 'trap : TERM; echo $$ >pid; while :; do sleep 1; done' & sleep 1; exit 0");
        broker.walkTo("2026-11-01T13:58:00+08:00");
        ProcessHandle left = ProcessHandle.of(Long.parseLong(written("pid"))).orElseThrow();
        assertThat(left.isAlive()).isTrue();

        broker.walkTo("2026-11-01T14:05:00+08:00");

        left.onExit().get(30, TimeUnit.SECONDS);
        assertThat(outcomes(booked)).containsExactly("13:50 ended");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (host.home.resolve(".gpu-broker").toFile().list().length > 0) {
            assertThat(System.nanoTime()).as("its folder is removed").isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void anEndThatIsMovedCloserRunsTheHookBeforeItAndALaterEndOnceMore() throws Exception {
        pool(host.address());
        JsonNode booked = booked("echo saved >>saved");
        broker.walkTo("2026-11-01T11:30:00+08:00");

        assertThat(broker.change(booked, "{\"end\":\"2026-11-01T12:00:00+08:00\"}")
                        .status())
                .isEqualTo(200);
        broker.walkTo("2026-11-01T11:55:00+08:00");
        assertThat(outcomes(booked)).containsExactly("11:50 ended");
        assertThat(broker.change(booked, "{\"end\":\"2026-11-01T13:00:00+08:00\"}")
                        .status())
                .isEqualTo(200);
        broker.walkTo("2026-11-01T13:05:00+08:00");

        assertThat(outcomes(booked)).containsExactly("11:50 ended", "12:50 ended");
        assertThat(written("saved")).isEqualTo("saved\nsaved");
    }

    @Test
    void cancellingGivesTheMachinesBackAtOnceAndAnEventSaysThatTheHookWasNotRun() throws Exception {
        pool(host.address());
        JsonNode booked = booked("echo saved >>saved");
        broker.walkTo("2026-11-01T11:30:00+08:00");

        broker.cancel(booked);
        broker.walkTo("2026-11-01T14:05:00+08:00");

        assertThat(outcomes(booked)).containsExactly("11:30 not_run");
        assertThat(written("saved")).isEmpty();
    }

    @Test
    void cancellingEndsAHookThatRunsOnAnOwnMachine() throws Exception {
        pool(host.address());
        JsonNode booked = booked("echo begun >>saved; sleep 300; echo over >>saved");
        broker.walkTo("2026-11-01T13:51:00+08:00");

        broker.cancel(booked);
        broker.walkTo("2026-11-01T13:52:00+08:00");

        assertThat(outcomes(booked)).containsExactly("13:50 running", "13:51 stopped");
        assertThat(written("saved")).isEqualTo("begun");
    }

    @Test
    void aMachineThatLetsNobodyInIsSaidOnceAndTheReservationEndsAllTheSame() {
        pool("nosuchuser@" + host.address());
        JsonNode booked = booked("echo saved >>saved");

        broker.walkTo("2026-11-01T14:05:00+08:00");

        assertThat(outcomes(booked)).containsExactly("13:50 unreachable", "14:00 not_run");
        assertThat(events(booked).get(0).get("why").asText()).contains("far-1", "denied");
        assertThat(broker.reservation(booked).get("state").asText()).isEqualTo("completed");
    }

    @Test
    void aBrokerWithoutAKeyRefusesAHookByItsField() throws Exception {
        broker.close();
        broker = new RunningBroker(database, Files.createDirectories(folder.resolve("keyless")));
        pool(host.address());

        Answer refused = book(broker, "echo saved");

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.body().get("errors").get(0).get("field").asText()).isEqualTo("atEnd.hook");
        assertThat(refused.body().get("detail").asText()).contains("machineLogin");
    }
}
