package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.scenario.RunningBroker.Answer;
import dev.gpubroker.broker.trigger.FakeGithub;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A reservation turns active, a runner is put on its machine over a real sshd, and the workflow that needs it is started. */
@Timeout(120)
@SuppressWarnings("NullAway.Init") // Made before each test.
class RunnerScenarioTest {
    @TempDir
    Path folder;

    private final Vertx vertx = Vertx.vertx();
    private LoginHost host;
    private FakeGithub github;
    private TestDatabase database;
    private RunningBroker broker;

    @BeforeEach
    void start() throws Exception {
        host = LoginHost.start(Files.createDirectories(folder.resolve("ssh")));
        github = new FakeGithub(vertx);
        database = TestDatabase.create();
        broker = new RunningBroker(database, Files.createDirectories(folder.resolve("data")), """
                webhooks: {allowHttp: true, ports: ["1-65535"], allowNetworks: ["127.0.0.0/8"]}
                machineLogin: {identityFile: %s, user: %s}
                """.formatted(
                        host.key(), System.getProperty("user.name")));
    }

    @AfterEach
    void stop() {
        if (broker != null) {
            broker.close();
            database.close();
            github.close();
            host.close();
        }
        vertx.close().await();
    }

    private void pool(String address) {
        made("/v1/pools", """
                {"name":"far","model":"A100-SXM4-80GB","gpusPerNode":8,"hosts":[{"name":"far-1","address":"%s"}]}""".formatted(address));
    }

    private JsonNode trigger() {
        return made("/v1/triggers", """
                {"kind":"github_workflow_dispatch","server":"%s","repository":"acme/train","workflow":"train.yml","ref":"main",
                 "token":"gh-token","runner":{"labels":["a100"]}}""".formatted(github.url()));
    }

    private JsonNode made(String path, String body) {
        Answer made = broker.call("POST", path, body);
        assertThat(made.status()).as("%s", made.body()).isEqualTo(201);
        return made.body();
    }

    private JsonNode booked() {
        Answer booked = broker.book(
                """
                {"gpu":{"model":"A100-SXM4-80GB","count":2},"start":"%s","duration":"PT4H",
                 "constraints":{"platforms":["pool"]}}""".formatted(broker.get("/v1/demo/clock").get("now").asText()));
        assertThat(booked.status()).as("%s", booked.body()).isEqualTo(201);
        broker.walkTo(booked.body().get("request").get("start").asText());
        return booked.body();
    }

    private void program(Path file, String script) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, script);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** The machine has no runner yet: it fetches one, which tells through a pipe how it was started. */
    private Path machineThatFetchesARunner() throws Exception {
        Path told = host.home.resolve("told");
        assertThat(new ProcessBuilder("mkfifo", told.toString()).start().waitFor())
                .isZero();
        program(host.home.resolve("runner/run.sh"), """
                #!/bin/sh
                echo "$ACTIONS_RUNNER_INPUT_JITCONFIG in $PWD with $CUDA_VISIBLE_DEVICES as $$" > '%s'
                exec sleep 600
                """.formatted(told));
        program(host.home.resolve("bin/curl"), """
                #!/bin/sh
                case "$*" in
                    *releases/latest*) printf https://github.com/actions/runner/releases/tag/v2.330.0 ;;
                    *actions-runner-linux-*-2.330.0.tar.gz*) tar -C '%s' -cz . ;;
                    *) exit 22 ;;
                esac
                """.formatted(host.home.resolve("runner")));
        return told;
    }

    private JsonNode firing(JsonNode trigger, Predicate<JsonNode> awaited) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        JsonNode items;
        do {
            items = broker.get("/v1/triggers/" + trigger.get("id").asText() + "/firings")
                    .get("items");
            assertThat(System.nanoTime()).as("%s", items).isLessThan(end);
        } while (items.isEmpty() || !awaited.test(items.get(0)));
        return items.get(0);
    }

    private List<String> events(JsonNode reservation, String what) {
        List<String> reasons = new ArrayList<>();
        broker.get("/v1/reservations/" + reservation.get("id").asText() + "/events")
                .get("items")
                .forEach(event -> {
                    if (event.get("what").asText().equals(what)) {
                        reasons.add(event.get("why").asText());
                    }
                });
        return reasons;
    }

    @Test
    void aRunnerWaitsOnTheMachineForTheJobOfTheWorkflowThatIsStarted() throws Exception {
        Path told = machineThatFetchesARunner();
        pool(host.address());
        JsonNode trigger = trigger();
        JsonNode reservation = booked();

        JsonNode firing = firing(trigger, each -> each.get("state").asText().equals("delivered"));
        String runner = Files.readString(told);

        String name = "gpu-" + firing.get("run").asText();
        assertThat(runner)
                .startsWith("c2VjcmV0LW9mLXRoZS1ydW5uZXI= in " + host.home.resolve(".gpu-broker/" + name)
                        + " with 0,1 as ");
        assertThat(github.registered.get(0).get("labels").toString())
                .contains("gpu-" + reservation.get("id").asText());
        assertThat(github.started).hasSize(1);
        assertThat(events(reservation, "access_used")).containsExactly("the broker logs in to far-1 to start a runner");

        ProcessHandle atWork = ProcessHandle.of(Long.parseLong(runner.strip().replaceFirst(".* as ", "")))
                .orElseThrow();
        Answer cancelled =
                broker.call("POST", "/v1/reservations/" + reservation.get("id").asText() + "/cancel", "{}");
        assertThat(cancelled.status()).as("%s", cancelled.body()).isIn(200, 202);
        atWork.onExit().get(60, TimeUnit.SECONDS);
    }

    @Test
    void whereTheBrokerIsNotLetInTheFiringSaysSoAndNothingIsStarted() throws Exception {
        program(host.home.resolve("bin/curl"), "#!/bin/sh\n");
        pool("nosuchuser@" + host.address());
        JsonNode trigger = trigger();
        booked();

        JsonNode firing = firing(trigger, each -> !each.get("lastWhy").isNull());

        assertThat(firing.get("lastWhy").asText())
                .contains("no runner: ssh ended with 255")
                .contains("denied");
        assertThat(github.started).isEmpty();
    }
}
