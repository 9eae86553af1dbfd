package dev.gpubroker.broker.webhook;

import static dev.gpubroker.broker.webhook.Receiver.isGenuine;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.config.Secret;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.delivery.Delivery;
import dev.gpubroker.broker.delivery.PgDeliveryStore;
import dev.gpubroker.broker.delivery.PostOffice;
import dev.gpubroker.broker.http.ContractServer;
import dev.gpubroker.broker.http.ContractServer.Answer;
import dev.gpubroker.broker.net.FakeResolver;
import dev.gpubroker.broker.net.Network;
import dev.gpubroker.broker.net.Outbound;
import dev.gpubroker.broker.net.OutboundGuard;
import dev.gpubroker.broker.net.OutboundRules;
import dev.gpubroker.broker.secret.SecretBox;
import dev.gpubroker.broker.task.PgTasks;
import dev.gpubroker.broker.webhook.Receiver.Received;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Webhooks over HTTP on both sides: the published contract, a real database, a real receiver. Cases H-01 to H-08. */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // Made before the first test.
class WebhooksTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final OutboundRules HERE =
            new OutboundRules(true, List.of(new OutboundRules.Ports(1, 65_535)), List.of(Network.of("127.0.0.0/8")));

    private FakeResolver names;
    private PostOffice post;
    private WebhookModule module;
    private ContractServer server;
    private Receiver receiver;

    @BeforeAll
    void start() {
        DATABASE.execute("INSERT INTO team (team_id, name) VALUES ('vision', 'vision')");
        names = new FakeResolver();
        OutboundGuard guard = new OutboundGuard(names, () -> HERE);
        // The clock is made by the post office, which needs the module: so the module asks through it.
        module = new WebhookModule(new WebhookModule.Needs(
                DATABASE.database(),
                SecretBox.of(new Secret(Base64.getEncoder().encodeToString(new byte[32]))),
                new PgDeliveryStore(DATABASE.database()),
                new PgTasks(DATABASE.database()),
                guard,
                new Outbound(DATABASE.vertx(), guard),
                "inst0001",
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
        DATABASE.execute("DELETE FROM delivery; DELETE FROM outbox; DELETE FROM webhook; DELETE FROM task");
        post = new PostOffice(DATABASE, List.of(module.receivers()));
        receiver = new Receiver(DATABASE.vertx());
    }

    @AfterEach
    void closeReceiver() {
        receiver.close();
    }

    // ---- delivery --------------------------------------------------------------------------------------

    @Test
    void aMessageIsPostedSignedWithTheWholeStateAndItsSequence() throws TimeoutException {
        JsonNode hook = hook(receiver.url());
        post.news("rsv_1", "active", 7);

        post.round();

        Received got = only();
        assertThat(got.method() + " " + got.path() + " " + got.type()).isEqualTo("POST /hook application/json");
        assertThat(isGenuine(got, secret(hook), PostOffice.NOW)).isTrue();
        assertThat(got.id()).matches("msg_inst0001_\\d+");
        assertThat(got.json().path("type").asText()).isEqualTo("reservation.active");
        assertThat(got.json().path("timestamp").asText()).isEqualTo("2026-12-01T02:00:00Z");
        assertThat(got.json().at("/data/sequence").asLong()).isEqualTo(7);
        assertThat(got.json().at("/data/why").asText()).isEqualTo("booked");
        assertThat(got.json().at("/data/reservation").toString())
                .contains("\"id\":\"rsv_1\"", "\"state\":\"active\"", "\"version\":7");
        assertThat(post.only(id(hook)).state()).isEqualTo(Delivery.State.DELIVERED);
    }

    @Test
    void aForgedOrOldMessageDoesNotPassTheReceiversCheck() throws TimeoutException {
        JsonNode hook = hook(receiver.url());
        post.news("rsv_1", "active", 7);
        post.round();
        Received got = only();

        assertThat(isGenuine(
                        new Received("", "", got.id(), got.timestamp(), got.signature(), "", got.body() + " "),
                        secret(hook),
                        PostOffice.NOW))
                .isFalse();
        assertThat(isGenuine(got, secret(hook), PostOffice.NOW.plus(Duration.ofHours(1))))
                .isFalse();
    }

    /** H-01. */
    @Test
    void eachTryHasTheSameIdAndBodyAndANewTimestampAndSignature() throws TimeoutException {
        JsonNode hook = hook(receiver.answers(500, 500, 500).url());
        post.news("rsv_1", "active", 7);

        post.round();
        for (Duration pause : List.of(Duration.ofSeconds(5), Duration.ofMinutes(5), Duration.ofMinutes(30))) {
            post.pass(pause);
            post.round();
        }

        List<Received> tries = receiver.received();
        assertThat(tries).hasSize(4);
        assertThat(tries).extracting(Received::id).containsOnly(tries.get(0).id());
        assertThat(tries).extracting(Received::body).containsOnly(tries.get(0).body());
        assertThat(tries).extracting(Received::timestamp).doesNotHaveDuplicates();
        assertThat(tries).extracting(Received::signature).doesNotHaveDuplicates();
        assertThat(isGenuine(tries.get(3), secret(hook), post.wall.instant())).isTrue();
        assertThat(post.only(id(hook)).state()).isEqualTo(Delivery.State.DELIVERED);
        assertThat(post.only(id(hook)).tries()).isEqualTo(4);
        post.pass(Duration.ofDays(2));
        post.round();
        assertThat(receiver.received()).hasSize(4);
    }

    @Test
    void nothingIsSentBeforeItsPauseIsOver() throws TimeoutException {
        hook(receiver.answers(500).url());
        post.news("rsv_1", "active", 7);
        post.round();

        post.pass(Duration.ofMillis(4_999));
        post.round();
        assertThat(receiver.received()).hasSize(1);
        post.pass(Duration.ofMillis(1));
        post.round();
        assertThat(receiver.received()).hasSize(2);
    }

    @Test
    void whoIsBusyIsLeftAloneForAsLongAsItAsks() throws TimeoutException {
        // As a date and in seconds; half of the jitter is a twentieth.
        JsonNode hook = hook(receiver.asks(503, "Tue, 01 Dec 2026 02:20:00 GMT")
                .asks(429, "7200")
                .url());
        post.news("rsv_1", "active", 7);
        post.round();

        post.pass(Duration.ofMinutes(21).minusMillis(1));
        post.round();
        assertThat(receiver.received()).hasSize(1);
        post.pass(Duration.ofMillis(1));
        post.round();
        assertThat(receiver.received()).hasSize(2);
        post.pass(Duration.ofMinutes(126).minusMillis(1));
        post.round();
        assertThat(receiver.received()).hasSize(2);
        post.pass(Duration.ofMillis(1));
        post.round();
        assertThat(receiver.received()).hasSize(3);
        assertThat(post.only(id(hook)).state()).isEqualTo(Delivery.State.DELIVERED);
    }

    /** Standard Webhooks: 429 is no word about one message. */
    @Test
    void whatElseWaitsForWhoIsBusyWaitsToo() throws TimeoutException {
        Receiver other = new Receiver(DATABASE.vertx());
        try (other) {
            hook(receiver.answers(500).url());
            hook(other.answers(500).url());
            post.news("rsv_1", "active", 1);
            post.round(); // Comes again in 5 s.
            receiver.asks(429, "3600");
            post.news("rsv_2", "active", 1);
            post.round();

            post.pass(Duration.ofMinutes(59));
            post.round();
            assertThat(receiver.received()).hasSize(2);
            assertThat(other.received()).hasSize(3); // Somebody else's pause is not its own.
            post.pass(Duration.ofMinutes(4));
            post.round();
            assertThat(receiver.received())
                    .extracting(
                            message -> message.json().at("/data/reservation/id").asText())
                    .containsExactlyInAnyOrder("rsv_1", "rsv_2", "rsv_1", "rsv_2");
        }
    }

    /** H-02. */
    @Test
    void whoSaysThatItIsGoneIsSwitchedOffAndItsOwnerIsTold() throws TimeoutException {
        JsonNode gone = hook(receiver.answers(410).url());
        Receiver other = new Receiver(DATABASE.vertx());
        try (other) {
            hook(other.url());
            post.news("rsv_1", "active", 7);
            post.round();
            post.news("rsv_2", "active", 1);
            post.round();
            post.round();

            assertThat(receiver.received()).hasSize(1);
            JsonNode after = get("/v1/webhooks/" + id(gone)).json();
            assertThat(after.path("enabled").asBoolean()).isFalse();
            assertThat(after.path("offWhy").asText()).isEqualTo("it answered 410 Gone");
            assertThat(post.only(id(gone)).state()).isEqualTo(Delivery.State.FAILED);
            assertThat(other.received())
                    .extracting(message -> message.json().path("type").asText())
                    .containsExactlyInAnyOrder("reservation.active", "webhook.switched_off", "reservation.active");
            assertThat(openTasks()).containsExactly("webhook_off/" + id(gone));
        }
    }

    @Test
    void switchingOnAgainSendsWhatHappensFromThenOn() throws TimeoutException {
        JsonNode hook = hook(receiver.answers(410).url());
        post.news("rsv_1", "active", 7);
        post.round();

        Answer on = send("admin", "PATCH", "/v1/webhooks/" + id(hook), "{\"enabled\": true}");
        post.news("rsv_2", "active", 1);
        post.round();

        assertThat(on.json().path("enabled").asBoolean()).isTrue();
        assertThat(receiver.received()).hasSize(2);
        assertThat(receiver.received().get(1).json().at("/data/reservation/id").asText())
                .isEqualTo("rsv_2");
        assertThat(openTasks()).isEmpty();
    }

    /** H-02. */
    @Test
    void aRedirectIsAFailureAndNotFollowed() throws TimeoutException {
        JsonNode hook = hook(receiver.answers(301).url());
        post.news("rsv_1", "active", 7);

        post.round();

        assertThat(receiver.received()).extracting(Received::path).containsExactly("/hook");
        Delivery delivery = post.only(id(hook));
        assertThat(delivery.state()).isEqualTo(Delivery.State.WAITING);
        assertThat(delivery.why()).contains("301").contains("not followed");
        assertThat(delivery.excerpt()).isEqualTo("answer 301");
    }

    /** H-05. */
    @Test
    void afterARotationBothSecretsSignForADay() throws TimeoutException {
        JsonNode hook = hook(receiver.url());
        Answer rotated = send("admin", "POST", "/v1/webhooks/" + id(hook) + "/rotate", null);
        post.news("rsv_1", "active", 1);
        post.round();
        post.pass(Duration.ofHours(24));
        post.news("rsv_2", "active", 1);
        post.round();

        Received during = receiver.received().get(0);
        Received after = receiver.received().get(1);
        assertThat(rotated.status()).isEqualTo(200);
        assertThat(secret(rotated.json())).isNotEqualTo(secret(hook));
        assertThat(during.signature().split(" ")).hasSize(2);
        assertThat(isGenuine(during, secret(hook), PostOffice.NOW)).isTrue();
        assertThat(isGenuine(during, secret(rotated.json()), PostOffice.NOW)).isTrue();
        assertThat(isGenuine(after, secret(hook), post.wall.instant())).isFalse();
        assertThat(isGenuine(after, secret(rotated.json()), post.wall.instant()))
                .isTrue();
    }

    @Test
    void anOldSecretIsForgottenOnceItSignsNoMore() {
        JsonNode hook = hook(receiver.url());
        send("admin", "POST", "/v1/webhooks/" + id(hook) + "/rotate", null);

        module.clean().await();
        assertThat(rows("webhook", "old_secret IS NOT NULL")).isEqualTo(1);
        post.pass(Duration.ofHours(24));
        module.clean().await();
        assertThat(rows("webhook", "old_secret IS NOT NULL")).isZero();
    }

    /** H-07: nothing is promised about the order, so each carries what tells the older from the newer. */
    @Test
    void whatArrivesOutOfOrderCanBeDroppedByItsSequence() throws TimeoutException {
        hook(receiver.answers(500).url());
        post.news("rsv_1", "confirmed", 1);
        post.round();
        post.news("rsv_1", "active", 2);
        post.round();
        post.pass(Duration.ofSeconds(5));
        post.round();

        assertThat(receiver.received())
                .extracting(
                        message -> message.json().at("/data/reservation/state").asText() + " "
                                + message.json().at("/data/sequence").asLong())
                .containsExactly("confirmed 1", "active 2", "confirmed 1");
    }

    @Test
    void aBacklogAboutOneReservationLeavesInItsOrder() throws TimeoutException {
        hook(receiver.url());
        for (int version = 1; version <= 9; version++) {
            post.news("rsv_1", "changed", version);
        }

        post.round();

        assertThat(receiver.received())
                .extracting(message -> message.json().at("/data/sequence").asLong())
                .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    }

    /** H-08. */
    @Test
    void anEndpointThatIsDownTooLongIsSwitchedOffAndLosesNothingThatCannotBeSentAgainByHand() throws TimeoutException {
        JsonNode hook = hook(receiver.answers(503, 503, 503, 503, 503, 503, 503, 503, 503, 503)
                .url());
        post.news("rsv_1", "active", 7);
        for (int hours = 0; hours <= 80; hours++) {
            for (int part = 0; part < 12; part++) {
                post.begin().await();
                post.relay();
                post.pass(Duration.ofMinutes(5));
            }
        }

        assertThat(receiver.received()).hasSize(10);
        JsonNode failed = get("/v1/webhooks/" + id(hook) + "/deliveries?state=failed")
                .json()
                .path("items");
        assertThat(failed).hasSize(1);
        assertThat(failed.at("/0/tries").asInt()).isEqualTo(10);
        assertThat(failed.at("/0/lastStatus").asInt()).isEqualTo(503);
        assertThat(failed.at("/0/message").asText())
                .isEqualTo(receiver.received().get(0).id());

        JsonNode off = get("/v1/webhooks/" + id(hook)).json();
        assertThat(off.path("enabled").asBoolean()).isFalse();
        assertThat(off.path("offWhy").asText()).contains("nothing that was sent there arrived");
        assertThat(openTasks()).containsExactly("webhook_off/" + id(hook));
        send("admin", "PATCH", "/v1/webhooks/" + id(hook), "{\"enabled\": true}");
        Answer again = send(
                "admin",
                "POST",
                "/v1/webhooks/" + id(hook) + "/deliveries/" + failed.at("/0/id").asText() + "/resend",
                null);
        post.round();

        assertThat(again.status()).isEqualTo(202);
        assertThat(receiver.received()).hasSize(11);
        assertThat(receiver.received().get(10).id())
                .isEqualTo(receiver.received().get(0).id());
        assertThat(post.only(id(hook)).state()).isEqualTo(Delivery.State.DELIVERED);
    }

    /** One message that a receiver cannot take says nothing of the others. */
    @Test
    void anEndpointAtWhichOtherNewsArrivesStaysOn() throws TimeoutException {
        JsonNode hook = hook(receiver.answers(500).url());
        post.news("rsv_1", "active", 7);
        post.round();
        post.news("rsv_2", "active", 1);
        post.round();
        DATABASE.execute("UPDATE delivery SET step = 9 WHERE state = 'waiting'");
        receiver.answers(500);
        post.pass(Duration.ofDays(4));
        post.round();

        assertThat(post.list(id(hook)))
                .extracting(Delivery::state)
                .containsExactlyInAnyOrder(Delivery.State.FAILED, Delivery.State.DELIVERED);
        assertThat(get("/v1/webhooks/" + id(hook)).json().path("enabled").asBoolean())
                .isTrue();
        assertThat(openTasks()).isEmpty();
    }

    @Test
    void anEndpointThatHangsDelaysNobodyElse() throws InterruptedException {
        Receiver other = new Receiver(DATABASE.vertx());
        try (other) {
            hook(receiver.hangs().url());
            JsonNode healthy = hook(other.url());
            post.news("rsv_1", "active", 1);
            post.relay();
            Future<Void> first = post.begin();
            receiver.next();
            other.next();
            while (post.only(id(healthy)).state() != Delivery.State.DELIVERED) {
                Thread.onSpinWait(); // What has arrived is settled a moment later; until then its lane is busy.
            }

            post.news("rsv_2", "active", 1);
            post.relay();
            Future<Void> second = post.begin();

            assertThat(other.next().json().at("/data/reservation/id").asText()).isEqualTo("rsv_2");
            assertThat(first.isComplete() || second.isComplete()).isFalse();
            assertThat(receiver.received()).hasSize(1);
        }
    }

    @Test
    void aMessageThatTheRelaySeesTwiceIsOneDelivery() throws TimeoutException {
        JsonNode hook = hook(receiver.url());
        post.news("rsv_1", "active", 7);
        post.round();
        DATABASE.execute("UPDATE outbox SET delivered_at = NULL, next_at_wall = clock_timestamp()");

        post.round();

        assertThat(post.list(id(hook))).hasSize(1);
        assertThat(receiver.received()).hasSize(1);
    }

    @Test
    void aBrokerThatDiesInTheMiddleLeavesADeliveryThatComesAgain() throws TimeoutException {
        hook(receiver.url());
        post.news("rsv_1", "active", 7);
        post.relay();
        PostOffice.await(post.store.take(
                post.store.due(java.util.Set.of(), 1, PostOffice.NOW).await().get(0),
                1,
                PostOffice.NOW,
                PostOffice.NOW.plusSeconds(180)));

        post.round();
        assertThat(receiver.received()).isEmpty();
        post.pass(Duration.ofSeconds(180));
        post.round();
        assertThat(receiver.received()).hasSize(1);
    }

    @Test
    void whatWasNotAskedForIsNotSent() throws TimeoutException {
        post("admin", "{\"url\": \"" + receiver.url() + "\", \"topics\": [\"reservation.failed\"]}");
        post.news("rsv_1", "active", 1);
        post.news("rsv_1", "failed", 2);

        post.round();

        assertThat(only().json().path("type").asText()).isEqualTo("reservation.failed");
    }

    @Test
    void anotherTeamsNewsIsNotSent() throws TimeoutException {
        post("stranger", "{\"url\": \"" + receiver.url() + "\"}");
        post.news("rsv_1", "active", 1);

        post.round();

        assertThat(receiver.received()).isEmpty();
    }

    @Test
    void aNameThatTurnsPrivateAfterItWasCheckedIsNotCalled() throws TimeoutException {
        names.then("rebinding.example", "93.184.215.14").then("rebinding.example", "10.0.0.1");
        JsonNode hook = hook("https://rebinding.example/hook");
        post.news("rsv_1", "active", 1);

        post.round();

        assertThat(post.only(id(hook)).state()).isEqualTo(Delivery.State.WAITING);
        assertThat(post.only(id(hook)).why()).contains("not public");
    }

    // ---- the API ---------------------------------------------------------------------------------------

    @Test
    void theSecretIsShownOnceAndLiesSealedInTheDatabase() {
        JsonNode hook = hook(receiver.url());

        assertThat(secret(hook)).matches("whsec_[A-Za-z0-9+/]{43}=");
        assertThat(get("/v1/webhooks/" + id(hook)).json().has("secret")).isFalse();
        assertThat(get("/v1/webhooks").json().at("/items/0").has("secret")).isFalse();
        assertThat(rows("webhook w", "w::text LIKE '%" + secret(hook).substring(6, 20) + "%'"))
                .isZero();
        assertThat(rows("webhook", "secret LIKE 'v1.%'")).isEqualTo(1);
        assertThat(rows("idempotency_key", "true")).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://10.0.0.5/",
                "http://169.254.169.254/latest",
                "http://[::1]:9/",
                "http://[fd00::1]/",
                "ftp://127.0.0.1/",
                "http://",
                "no url",
                "http://nowhere.example/"
            })
    void anAddressThatMayNotBeCalledIsRefusedAtOnce(String url) {
        Answer refused = post("admin", "{\"url\": \"" + url + "\"}");

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.json().at("/errors/0/field").asText()).isEqualTo("url");
        assertThat(get("/v1/webhooks").json().path("items")).isEmpty();
    }

    @Test
    void aTopicThatDoesNotExistIsNamed() {
        Answer refused = post("admin", "{\"url\": \"" + receiver.url() + "\", \"topics\": [\"reservation.activ\"]}");

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.json().at("/errors/0/field").asText()).isEqualTo("topics[0]");
    }

    @Test
    void thereIsOneWebhookForAnAddressSoThatALostAnswerMakesNoSecond() {
        hook(receiver.url());

        Answer again = post("admin", "{\"url\": \"" + receiver.url() + "\"}");

        assertThat(again.status()).isEqualTo(409);
        assertThat(again.json().path("code").asText()).isEqualTo("webhook_exists");
        assertThat(post("stranger", "{\"url\": \"" + receiver.url() + "\"}").status())
                .isEqualTo(201);
    }

    @Test
    void anotherTeamsWebhookIsNotThere() {
        String path = "/v1/webhooks/" + id(hook(receiver.url()));

        for (String call : List.of(
                "GET " + path,
                "DELETE " + path,
                "POST " + path + "/rotate",
                "GET " + path + "/deliveries",
                "POST " + path + "/deliveries/dlv_x/resend")) {
            String[] parts = call.split(" ");
            assertThat(send("stranger", parts[0], parts[1], null).status())
                    .as(call)
                    .isEqualTo(404);
        }
        assertThat(send("stranger", "PATCH", path, "{\"enabled\": false}").status())
                .isEqualTo(404);
        assertThat(get(path).json().path("enabled").asBoolean()).isTrue();
    }

    @Test
    void whatIsChangedCountsFromThenOn() throws TimeoutException {
        JsonNode hook = hook("https://93.184.215.14/");
        String path = "/v1/webhooks/" + id(hook);

        Answer changed = send(
                "admin", "PATCH", path, "{\"url\": \"" + receiver.url() + "\", \"topics\": [\"reservation.active\"]}");
        post.news("rsv_1", "confirmed", 1);
        post.news("rsv_1", "active", 2);
        post.round();

        assertThat(changed.json().path("url").asText()).isEqualTo(receiver.url());
        assertThat(only().json().at("/data/sequence").asInt()).isEqualTo(2);
        assertThat(send("admin", "PATCH", path, "{\"url\": \"http://10.0.0.1/\"}")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void whatIsSwitchedOffOrRemovedIsSentNothing() throws TimeoutException {
        JsonNode hook = hook(receiver.answers(500).url());
        String path = "/v1/webhooks/" + id(hook);
        post.news("rsv_1", "active", 1);
        post.round();

        send("admin", "PATCH", path, "{\"enabled\": false}");
        post.news("rsv_2", "active", 1);
        post.pass(Duration.ofDays(1));
        post.round();
        String delivery = post.only(id(hook)).id();
        assertThat(send("admin", "POST", path + "/deliveries/" + delivery + "/resend", null)
                        .status())
                .isEqualTo(409);
        assertThat(send("admin", "DELETE", path, null).status()).isEqualTo(204);

        assertThat(receiver.received()).hasSize(1);
        assertThat(get(path).status()).isEqualTo(404);
        assertThat(rows("delivery", "true")).isZero();
    }

    @Test
    void deliveriesAreListedInPages() throws TimeoutException {
        JsonNode hook = hook(receiver.url());
        for (int i = 1; i <= 5; i++) {
            post.news("rsv_" + i, "active", i);
            post.pass(Duration.ofSeconds(1));
            post.relay();
        }
        String path = "/v1/webhooks/" + id(hook) + "/deliveries?limit=2";

        JsonNode first = get(path).json();
        JsonNode second =
                get(path + "&cursor=" + first.path("nextCursor").asText()).json();
        JsonNode third =
                get(path + "&cursor=" + second.path("nextCursor").asText()).json();

        assertThat(List.of(first, second, third))
                .flatExtracting(page -> page.path("items").findValuesAsText("reservation"))
                .containsExactly("rsv_5", "rsv_4", "rsv_3", "rsv_2", "rsv_1");
        assertThat(third.path("nextCursor").isNull()).isTrue();
    }

    @Test
    void whatEndedLongAgoIsCleanedUpAndWhatWaitsStays() throws TimeoutException {
        hook(receiver.answers(500).url());
        post.news("rsv_1", "active", 1);
        post.round();
        post.news("rsv_2", "active", 1);
        post.round();
        DATABASE.execute("UPDATE outbox SET delivered_at = '2026-12-01T02:00:00Z'");

        PostOffice.await(post.store.clean(PostOffice.NOW.plusSeconds(1)));

        assertThat(rows("delivery", "state = 'waiting'")).isEqualTo(1);
        assertThat(rows("delivery", "true")).isEqualTo(1);
        assertThat(rows("outbox", "true")).isEqualTo(1);
    }

    // ---- helpers ---------------------------------------------------------------------------------------

    private Received only() {
        assertThat(receiver.received()).hasSize(1);
        return receiver.received().get(0);
    }

    private JsonNode hook(String url) {
        Answer made = post("admin", "{\"url\": \"" + url + "\"}");
        assertThat(made.status()).as("%s", made.json()).isEqualTo(201);
        return made.json();
    }

    private static String id(JsonNode hook) {
        return hook.path("id").asText();
    }

    private static String secret(JsonNode hook) {
        return hook.path("secret").asText();
    }

    private static long rows(String table, String where) {
        return DATABASE.database()
                .pool()
                .query("SELECT count(*) AS n FROM " + table + " WHERE " + where)
                .execute()
                .await()
                .iterator()
                .next()
                .getLong("n");
    }

    private static List<String> openTasks() {
        return java.util.stream.StreamSupport.stream(
                        DATABASE.database()
                                .pool()
                                .query("SELECT kind || '/' || subject AS task FROM task WHERE done_at IS NULL")
                                .execute()
                                .await()
                                .spliterator(),
                        false)
                .map(row -> row.getString("task"))
                .toList();
    }

    private Answer get(String path) {
        return send("admin", "GET", path, null);
    }

    private Answer post(String token, String body) {
        return send(token, "POST", "/v1/webhooks", body);
    }

    private Answer send(String token, String method, String path, @Nullable String body) {
        return server.send(token, method, path, body);
    }
}
