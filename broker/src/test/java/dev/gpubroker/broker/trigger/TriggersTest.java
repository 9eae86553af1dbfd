package dev.gpubroker.broker.trigger;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.config.Secret;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.delivery.Delivery;
import dev.gpubroker.broker.delivery.DeliveryStore;
import dev.gpubroker.broker.delivery.PgDeliveryStore;
import dev.gpubroker.broker.delivery.PostOffice;
import dev.gpubroker.broker.http.ContractServer;
import dev.gpubroker.broker.net.FakeResolver;
import dev.gpubroker.broker.net.Network;
import dev.gpubroker.broker.net.Outbound;
import dev.gpubroker.broker.net.OutboundGuard;
import dev.gpubroker.broker.net.OutboundRules;
import dev.gpubroker.broker.secret.SecretBox;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Triggers from the API to servers that take only what GitHub, GitLab and Jenkins take. */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // Made before the first test.
class TriggersTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final OutboundRules HERE =
            new OutboundRules(true, List.of(new OutboundRules.Ports(1, 65_535)), List.of(Network.of("127.0.0.0/8")));

    private final List<String> onMachine = new ArrayList<>();
    private PostOffice post;
    private TriggerModule module;
    private ContractServer server;
    private FakeGithub github;
    private FakeGitlab gitlab;
    private FakeJenkins jenkins;

    private final RunnerHost machines = new RunnerHost() {
        @Override
        public Future<Place> of(String team, String reservation) {
            return reservation.equals("rsv_bare")
                    ? Future.failedFuture(new IllegalStateException("no address of its machines is known"))
                    : Future.succeededFuture(new Place() {
                        @Override
                        public String ownNode() {
                            return "nod_of_" + reservation;
                        }

                        @Override
                        public Future<Void> run(String script, String input) {
                            onMachine.add(reservation + " " + input + script);
                            return Future.succeededFuture();
                        }
                    });
        }

        @Override
        public Future<Void> runOn(String node, String script) {
            onMachine.add(node + " " + script);
            return Future.succeededFuture();
        }
    };

    @BeforeAll
    void start() {
        DATABASE.execute("INSERT INTO team (team_id, name) VALUES ('vision', 'vision')");
        OutboundGuard guard = new OutboundGuard(new FakeResolver(), () -> HERE);
        module = new TriggerModule(new TriggerModule.Needs(
                DATABASE.database(),
                SecretBox.of(new Secret(Base64.getEncoder().encodeToString(new byte[32]))),
                new PgDeliveryStore(DATABASE.database()),
                guard,
                new Outbound(DATABASE.vertx(), guard),
                machines,
                ZoneId.of("Asia/Shanghai"),
                () -> post.wall.instant(),
                () -> post.wall.instant()));
        server = new ContractServer(DATABASE, List.of(module.routes(() -> {})));
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @BeforeEach
    void empty() {
        DATABASE.execute(
                "DELETE FROM delivery; DELETE FROM outbox; DELETE FROM pipeline_trigger; DELETE FROM runner; DELETE FROM reservation");
        reservation("rsv_1", "active");
        onMachine.clear();
        post = new PostOffice(DATABASE, module.receivers());
        github = new FakeGithub(DATABASE.vertx());
        gitlab = new FakeGitlab(DATABASE.vertx());
        jenkins = new FakeJenkins(DATABASE.vertx());
    }

    @AfterEach
    void closeServers() {
        github.close();
        gitlab.close();
        jenkins.close();
    }

    private static void reservation(String id, String state) {
        DATABASE.execute("""
                INSERT INTO reservation (reservation_id, team_id, owner, labels, state, request, model, gpu_count, during, terms,
                       explanation, created_at, updated_at)
                VALUES ('%s', 'default', 'ann', '{}', '%s', '{}', 'A100', 8, '[2026-12-01,2026-12-05)', '{}', '[]',
                       '2026-12-01', '2026-12-01')""".formatted(id, state));
    }

    // ---- GitHub ----------------------------------------------------------------------------------------

    @Test
    void aWorkflowIsDispatchedOnceWithTheReservationAndItsRun() throws TimeoutException {
        String id = trigger(workflow().put("recognisable", true));
        post.news("rsv_1", "active", 7);

        post.round();
        post.pass(Duration.ofDays(1));
        post.round();

        Delivery firing = post.only(id);
        assertThat(github.started).hasSize(1);
        assertThat(github.started.get(0).toString())
                .isEqualTo(
                        "{\"config\":\"7b.yaml\",\"gpu_reservation\":\"rsv_1\",\"gpu_run\":\"" + firing.id() + "\"}");
        assertThat(firing.state()).isEqualTo(Delivery.State.DELIVERED);
        assertThat(firing.excerpt()).isEqualTo("https://github.example/acme/train/actions/runs/1");
    }

    @Test
    void aRepositoryDispatchCarriesTheSameAsItsPayload() throws TimeoutException {
        trigger(github("github_repository_dispatch")
                .put("eventType", "gpu-ready")
                .set("inputs", inputs()));
        post.news("rsv_1", "active", 7);

        post.round();

        assertThat(github.started.get(0).path("gpu_reservation").asText()).isEqualTo("rsv_1");
        assertThat(github.started.get(0).path("config").asText()).isEqualTo("7b.yaml");
    }

    @Test
    void aLostReplyIsSettledByLookingAndNotBySendingAgain() throws TimeoutException {
        String id = trigger(workflow().put("recognisable", true));
        github.losesReply();
        post.news("rsv_1", "active", 7);

        post.round();
        assertThat(post.only(id).inDoubt()).isTrue();
        post.pass(Duration.ofSeconds(5));
        post.round();

        assertThat(github.started).hasSize(1);
        assertThat(post.only(id).state()).isEqualTo(Delivery.State.DELIVERED);
    }

    @Test
    void aStartThatAGatewayAnsweredForIsLookedForToo() throws TimeoutException {
        String id = trigger(workflow().put("recognisable", true));
        github.answersBadGateway();
        post.news("rsv_1", "active", 7);

        post.round();
        post.pass(Duration.ofSeconds(5));
        post.round();

        assertThat(github.started).hasSize(1);
        assertThat(post.only(id).state()).isEqualTo(Delivery.State.DELIVERED);
    }

    @Test
    void whatIsNotToBeSeenAfterMinutesIsSentAgain() throws TimeoutException {
        String id = trigger(workflow().put("recognisable", true));
        github.refuses(); // 503 says nothing of what was done.
        post.news("rsv_1", "active", 7);

        post.round();
        post.pass(Duration.ofSeconds(5));
        post.round();
        assertThat(github.started)
                .as("seconds later a list may not show it yet")
                .isEmpty();
        post.pass(Duration.ofMinutes(5));
        post.round();

        assertThat(github.started).hasSize(1);
        assertThat(post.only(id).state()).isEqualTo(Delivery.State.DELIVERED);
    }

    @Test
    void aBrokerThatDiesRightAfterTheStartLeavesOneThatIsLookedFor() throws TimeoutException {
        String id = trigger(workflow().put("recognisable", true));
        post.news("rsv_1", "active", 7);
        post.relay();
        // Taken and sent, and the answer is never written down.
        DeliveryStore.Taken taken = PostOffice.await(
                        post.store.take(id, 1, PostOffice.NOW, PostOffice.NOW.plusSeconds(180)))
                .get(0);
        PostOffice.await(module.receivers().get(0).send(taken.delivery(), taken.message()));
        assertThat(github.started).hasSize(1);

        post.pass(Duration.ofMinutes(3));
        post.round();

        assertThat(github.started).hasSize(1);
        assertThat(post.only(id).state()).isEqualTo(Delivery.State.DELIVERED);
    }

    @Test
    void whereNothingShowsTheRunItIsSentAgainUnderTheSameId() throws TimeoutException {
        trigger(workflow());
        github.losesReply();
        post.news("rsv_1", "active", 7);

        post.round();
        post.pass(Duration.ofSeconds(5));
        post.round();

        assertThat(github.started).hasSize(2);
        assertThat(github.started.get(1)).isEqualTo(github.started.get(0));
    }

    @Test
    void aRefusedStartIsToldAndTriedAgainWithoutDoubt() throws TimeoutException {
        String id = trigger(workflow().put("ref", "no-such-branch"));
        post.news("rsv_1", "active", 7);

        post.round();

        assertThat(post.only(id).state()).isEqualTo(Delivery.State.WAITING);
        assertThat(post.only(id).inDoubt()).isFalse();
        assertThat(post.only(id).status()).isEqualTo(422);
        assertThat(post.only(id).excerpt()).contains("No ref found");
    }

    /** GitHub: who tries again before that is shut out. */
    @Test
    void aTargetThatSaysWhenToComeAgainIsNotCalledBefore() throws TimeoutException {
        String id = trigger(workflow());
        github.limits();
        post.news("rsv_1", "active", 7);
        post.round();

        post.pass(Duration.ofMinutes(21).minusMillis(1)); // Twenty, and half of the tenth.
        post.round();
        assertThat(github.seen()).hasSize(1);
        post.pass(Duration.ofMillis(1));
        post.round();

        assertThat(github.started).hasSize(1);
        assertThat(post.only(id).state()).isEqualTo(Delivery.State.DELIVERED);
    }

    // ---- GitLab and Jenkins ----------------------------------------------------------------------------

    @Test
    void aGitlabPipelineIsTriggeredByAFormAndLookedForWithTheOtherToken() throws TimeoutException {
        String id = trigger(gitlab().put("recognisable", true).put("apiToken", "gl-api"));
        gitlab.losesReply();
        post.news("rsv_1", "active", 7);

        post.round();
        post.pass(Duration.ofSeconds(5));
        post.round();

        assertThat(gitlab.started).hasSize(1);
        assertThat(gitlab.started.get(0))
                .containsEntry("variables[GPU_RESERVATION]", "rsv_1")
                .containsEntry("variables[config]", "7b.yaml")
                .containsEntry("variables[GPU_RUN]", post.only(id).id());
        assertThat(post.only(id).state()).isEqualTo(Delivery.State.DELIVERED);
    }

    @Test
    void aJenkinsJobIsBuiltWithAnApiTokenAndRecognisedByItsParameter() throws TimeoutException {
        String id = trigger(jenkins().put("user", "ci").put("token", "jk-token"));
        jenkins.crumbs = true;
        jenkins.losesReply();
        post.news("rsv_1", "active", 7);

        post.round();
        post.pass(Duration.ofSeconds(5));
        post.round();

        assertThat(jenkins.started).hasSize(1);
        assertThat(jenkins.started.get(0))
                .containsEntry("GPU_RESERVATION", "rsv_1")
                .doesNotContainKey("token");
        assertThat(post.only(id).state()).isEqualTo(Delivery.State.DELIVERED);
    }

    @Test
    void aJenkinsJobThatDoesNotDeclareTheRunIsBuiltAgainAfterALostReply() throws TimeoutException {
        trigger(jenkins().put("user", "ci").put("token", "jk-token"));
        jenkins.declaresRun = false;
        jenkins.losesReply();
        post.news("rsv_1", "active", 7);

        post.round();
        post.pass(Duration.ofSeconds(5));
        post.round();

        assertThat(jenkins.started).hasSize(2);
    }

    @Test
    void aTargetThatCannotBeAskedIsSentNothingUntilItCan() throws TimeoutException {
        String id = trigger(workflow().put("recognisable", true));
        github.losesReply();
        post.news("rsv_1", "active", 7);
        post.round();
        github.unreadable = true;

        for (Duration pause : List.of(Duration.ofSeconds(5), Duration.ofMinutes(5), Duration.ofMinutes(30))) {
            post.pass(pause);
            post.round();
        }
        assertThat(github.started).hasSize(1);
        assertThat(post.only(id).state()).isEqualTo(Delivery.State.WAITING);
        github.unreadable = false;
        post.pass(Duration.ofHours(2));
        post.round();

        assertThat(github.started).hasSize(1);
        assertThat(post.only(id).state()).isEqualTo(Delivery.State.DELIVERED);
    }

    @Test
    void whereJenkinsAsksForACrumbOneIsFetchedWithItsSession() throws TimeoutException {
        String id = trigger(jenkins().put("token", "job-token"));
        jenkins.crumbs = true;
        post.news("rsv_1", "active", 7);

        post.round();

        assertThat(jenkins.started).hasSize(1);
        assertThat(post.only(id).excerpt()).endsWith("/queue/item/1/");
        assertThat(jenkins.seen()).contains("GET /crumbIssuer/api/json");
    }

    // ---- which reservations ----------------------------------------------------------------------------

    @Test
    void onlyTheReservationOrTheLabelsThatWereNamedStartIt() throws TimeoutException {
        reservation("rsv_2", "active");
        ObjectNode one = workflow();
        one.putObject("match").put("reservation", "rsv_2");
        trigger(one);
        ObjectNode labelled = workflow();
        labelled.putObject("match").putObject("labels").put("job", "nightly").put("size", "7b");
        trigger(labelled);

        post.news("rsv_1", "active", 7, Map.of("job", "nightly"));
        post.round();
        assertThat(github.started).isEmpty();
        post.news("rsv_2", "active", 3, Map.of("job", "nightly", "size", "7b", "more", "x"));
        post.round();
        assertThat(github.started).hasSize(2);
    }

    @Test
    void otherStatesAndOtherTeamsStartNothing() throws TimeoutException {
        trigger(workflow());
        server.send("stranger", "POST", "/v1/triggers", workflow().toString());

        post.news("rsv_1", "provisioning", 6);
        post.round();
        assertThat(github.started).isEmpty();
        post.news("rsv_1", "active", 7);
        post.round();
        assertThat(github.started).hasSize(1);
    }

    @Test
    void aSecondMessageAboutTheSameReservationStartsNoSecondPipeline() throws TimeoutException {
        trigger(workflow());
        post.news("rsv_1", "active", 7);
        post.news("rsv_1", "active", 8);

        post.round();

        assertThat(github.started).hasSize(1);
    }

    @Test
    void nothingIsStartedForAReservationThatEndedMeanwhile() throws TimeoutException {
        String id = trigger(workflow());
        github.refuses();
        post.news("rsv_1", "active", 7);
        post.round();
        DATABASE.execute("UPDATE reservation SET state = 'completed'");

        post.pass(Duration.ofSeconds(5));
        post.round();

        assertThat(github.started).isEmpty();
        assertThat(post.only(id).state()).isEqualTo(Delivery.State.FAILED);
        assertThat(post.only(id).why()).contains("completed");
    }

    // ---- runners ---------------------------------------------------------------------------------------

    @Test
    void aRunnerForOneJobIsOnTheMachineBeforeTheWorkflowStarts() throws TimeoutException {
        ObjectNode body = workflow();
        body.putObject("runner").putArray("labels").add("a100");
        String id = trigger(body);
        post.news("rsv_1", "active", 7);

        post.round();

        JsonNode registered = github.registered.get(0);
        assertThat(registered.path("name").asText())
                .isEqualTo("gpu-" + post.only(id).id());
        assertThat(registered.path("labels").toString()).isEqualTo("[\"self-hosted\",\"gpu-rsv_1\",\"a100\"]");
        assertThat(onMachine).hasSize(1);
        assertThat(onMachine.get(0))
                .startsWith("rsv_1 c2VjcmV0LW9mLXRoZS1ydW5uZXI=\n")
                .contains("ACTIONS_RUNNER_INPUT_JITCONFIG");
        assertThat(github.seen())
                .containsExactly(
                        "POST /repos/acme/train/actions/runners/generate-jitconfig",
                        "POST /repos/acme/train/actions/workflows/train.yml/dispatches");
    }

    @Test
    void aRunnerThatIsUpIsNotMadeAgainAndOneThatIsNotIsReplaced() throws TimeoutException {
        ObjectNode body = workflow().put("ref", "no-such-branch");
        body.putObject("runner");
        trigger(body);
        post.news("rsv_1", "active", 7);
        post.round();
        post.pass(Duration.ofSeconds(5));
        post.round();
        assertThat(onMachine).hasSize(1);

        github.runnersComeUp = false;
        github.close();
        github = new FakeGithub(DATABASE.vertx());
        github.runnersComeUp = false;
        ObjectNode second = workflow().put("ref", "no-such-branch");
        second.putObject("runner");
        trigger(second);
        reservation("rsv_2", "active");
        post.news("rsv_2", "active", 1);
        post.round();
        post.pass(Duration.ofSeconds(5));
        post.round();

        assertThat(github.registered).hasSize(2);
        assertThat(github.seen()).contains("DELETE /repos/acme/train/actions/runners/1");
    }

    @Test
    void aGitlabRunnerIsRegisteredWithTheReservationAsItsTag() throws TimeoutException {
        ObjectNode body = gitlab().put("apiToken", "gl-api");
        body.putObject("runner").putArray("labels").add("a100");
        trigger(body);
        post.news("rsv_1", "active", 7);

        post.round();

        assertThat(gitlab.registered.get(0))
                .containsEntry("tag_list", "gpu-rsv_1,a100")
                .containsEntry("run_untagged", "false");
        assertThat(onMachine.get(0)).startsWith("rsv_1 glrt-secret\n").doesNotContain("--token");
        assertThat(gitlab.started).hasSize(1);
    }

    @Test
    void whatARunnerLeavesIsEndedWithItsReservation() throws TimeoutException {
        ObjectNode body = workflow();
        body.putObject("runner");
        trigger(body);
        post.news("rsv_1", "active", 7);
        post.round();
        String runner = github.registered.get(0).path("name").asText();
        onMachine.clear();

        post.news("rsv_1", "releasing", 8);
        post.news("rsv_1", "completed", 9);
        post.round();
        post.pass(Duration.ofSeconds(5));
        post.round();

        assertThat(onMachine).hasSize(1);
        assertThat(onMachine.get(0)).startsWith("nod_of_rsv_1 ").contains(runner, "kill");
        assertThat(github.seen()).contains("DELETE /repos/acme/train/actions/runners/1");
    }

    @Test
    void nothingIsRegisteredWhereThereIsNoMachine() throws TimeoutException {
        ObjectNode body = workflow();
        body.putObject("runner");
        String id = trigger(body);
        reservation("rsv_bare", "active");
        post.news("rsv_bare", "active", 1);

        post.round();

        assertThat(post.only(id).why()).isEqualTo("no runner: no address of its machines is known");
        assertThat(github.seen()).isEmpty();
    }

    // ---- the API ---------------------------------------------------------------------------------------

    @Test
    void tokensGoInAndNeverComeOut() {
        String id = trigger(gitlab().put("apiToken", "gl-api"));

        String shown =
                server.send("admin", "GET", "/v1/triggers/" + id, null).json().toString();
        assertThat(shown)
                .contains("gitlab_pipeline", "\"project\":\"42\"")
                .doesNotContain("gl-token", "gl-api", "oken");
        assertThat(DATABASE.database()
                        .pool()
                        .query(
                                "SELECT 1 FROM pipeline_trigger t WHERE t::text LIKE '%gl-token%' OR t::text LIKE '%gl-api%'")
                        .execute()
                        .await()
                        .size())
                .isZero();
    }

    @Test
    void whatAKindNeedsAndDoesNotHaveIsNamed() {
        ContractServer.Answer missing =
                create(FakeServer.JSON.createObjectNode().put("kind", "github_workflow_dispatch"));
        ContractServer.Answer strange = create(jenkins().put("token", "t").put("repository", "acme/train"));
        ObjectNode many = github("github_repository_dispatch").put("eventType", "go");
        ObjectNode inputs = many.putObject("inputs");
        for (int i = 0; i < 9; i++) {
            inputs.put("i" + i, "x");
        }

        assertThat(missing.errors())
                .containsExactlyInAnyOrder(
                        "repository required", "workflow required", "ref required", "token required");
        assertThat(strange.errors()).containsExactly("repository not_allowed");
        assertThat(create(many).errors()).containsExactly("inputs maximum");
    }

    @Test
    void aServerThatMayNotBeCalledAndAReservationOfAnotherTeamAreRefused() {
        assertThat(create(workflow().put("server", "http://10.0.0.1")).errors()).containsExactly("server address");
        assertThat(create(workflow().put("server", github.url() + "/?x=")).errors())
                .containsExactly("server address");
        ObjectNode strange = workflow();
        strange.putObject("match").put("reservation", "rsv_1");
        assertThat(server.send("stranger", "POST", "/v1/triggers", strange.toString())
                        .status())
                .isEqualTo(404);
    }

    @Test
    void aRemovedTriggerStartsNothingMore() throws TimeoutException {
        String id = trigger(workflow());
        github.refuses();
        post.news("rsv_1", "active", 7);
        post.round();

        assertThat(server.send("stranger", "DELETE", "/v1/triggers/" + id, null).status())
                .isEqualTo(404);
        assertThat(server.send("admin", "DELETE", "/v1/triggers/" + id, null).status())
                .isEqualTo(204);
        post.pass(Duration.ofDays(1));
        post.round();

        assertThat(github.started).isEmpty();
        assertThat(server.send("admin", "GET", "/v1/triggers/" + id, null).status())
                .isEqualTo(404);
    }

    @Test
    void aFiringIsListedAndStartedAgainByHand() throws TimeoutException {
        String id = trigger(workflow());
        post.news("rsv_1", "active", 7);
        post.round();

        JsonNode listed = server.send("admin", "GET", "/v1/triggers/" + id + "/firings?state=delivered", null)
                .json()
                .at("/items/0");
        ContractServer.Answer again = server.send(
                "admin",
                "POST",
                "/v1/triggers/" + id + "/firings/" + listed.path("run").asText() + "/again",
                null);
        post.round();

        assertThat(listed.path("reservation").asText()).isEqualTo("rsv_1");
        assertThat(listed.path("lastAnswer").asText()).startsWith("https://github.example/");
        assertThat(again.status()).isEqualTo(202);
        assertThat(github.started).hasSize(2);
    }

    // ---- helpers ---------------------------------------------------------------------------------------

    private ObjectNode github(String kind) {
        return FakeServer.JSON
                .createObjectNode()
                .put("kind", kind)
                .put("server", github.url())
                .put("repository", "acme/train")
                .put("token", "gh-token");
    }

    private ObjectNode workflow() {
        ObjectNode body =
                github("github_workflow_dispatch").put("workflow", "train.yml").put("ref", "main");
        body.set("inputs", inputs());
        return body;
    }

    private ObjectNode gitlab() {
        ObjectNode body = FakeServer.JSON
                .createObjectNode()
                .put("kind", "gitlab_pipeline")
                .put("server", gitlab.url() + "/")
                .put("project", "42")
                .put("ref", "main")
                .put("token", "gl-token");
        body.set("inputs", inputs());
        return body;
    }

    private ObjectNode jenkins() {
        return FakeServer.JSON
                .createObjectNode()
                .put("kind", "jenkins_build")
                .put("server", jenkins.url())
                .put("job", "team/nightly run");
    }

    private static ObjectNode inputs() {
        return FakeServer.JSON.createObjectNode().put("config", "7b.yaml");
    }

    private ContractServer.Answer create(JsonNode body) {
        return server.send("admin", "POST", "/v1/triggers", body.toString());
    }

    private String trigger(JsonNode body) {
        ContractServer.Answer made = create(body);
        assertThat(made.status()).as("%s", made.json()).isEqualTo(201);
        return made.json().path("id").asText();
    }
}
