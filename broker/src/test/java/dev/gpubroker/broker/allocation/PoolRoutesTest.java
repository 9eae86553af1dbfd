package dev.gpubroker.broker.allocation;

import static dev.gpubroker.broker.allocation.Ledger.wanted;
import static dev.gpubroker.broker.allocation.Rooms.hour;
import static dev.gpubroker.broker.allocation.Rooms.hours;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.http.AdminTokenAuthenticator;
import dev.gpubroker.broker.http.ApiJson;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.Authenticator;
import dev.gpubroker.broker.http.Caller;
import dev.gpubroker.broker.http.Contract;
import dev.gpubroker.broker.http.ContractRouter;
import dev.gpubroker.broker.http.HttpService;
import dev.gpubroker.broker.http.HttpSettings;
import dev.gpubroker.broker.http.PgFaults;
import dev.gpubroker.broker.http.PgIdempotencyStore;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pools over HTTP, on the published contract and a real database. */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // Made before the first test.
class PoolRoutesTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Instant NOW = Instant.parse("2026-12-01T02:00:00.123456Z");

    private final HttpClient client = HttpClient.newHttpClient();
    private final List<String> woken = new CopyOnWriteArrayList<>();
    private Ledger ledger;
    private HttpService server;
    private int port;

    @BeforeAll
    void start() throws IOException {
        ledger = new Ledger(DATABASE);
        DATABASE.execute("INSERT INTO team (team_id, name) VALUES ('vision', 'vision')");
        PoolService service = new PoolService(
                DATABASE.database(),
                new PgPoolStore(DATABASE.database()),
                GpuCatalogue.shipped(),
                new Wakings(),
                InstantSource.fixed(NOW));
        Authenticator tokens = Authenticator.firstOf(List.of(
                new AdminTokenAuthenticator("admin", new Caller("default", "admin", true)),
                new AdminTokenAuthenticator("member", new Caller("default", "ann", false)),
                new AdminTokenAuthenticator("stranger", new Caller("vision", "bob", true))));
        Contract contract = Contract.packaged();
        RouteTable table = RouteTable.of(List.of(new PoolRoutes(service, ZoneId.of("Asia/Shanghai"))));
        for (JsonNode id : new YAMLMapper().readTree(contract.published()).findValues("operationId")) {
            if (!List.of("listPools", "createPool", "readPool", "deletePool").contains(id.asText())) {
                table.on(id.asText(), request -> Future.succeededFuture(ApiReply.noContent()));
            }
        }
        ContractRouter router = new ContractRouter(
                contract,
                table,
                tokens,
                new PgIdempotencyStore(DATABASE.database().pool()),
                PgFaults::isUnavailable);
        server = new HttpService(
                DATABASE.vertx(),
                HttpSettings.of("127.0.0.1", 0),
                router.build(DATABASE.vertx(), List.of()).await());
        port = server.start().await();
    }

    @AfterAll
    void stop() {
        server.stop().await();
    }

    @BeforeEach
    void empty() {
        DATABASE.execute("DELETE FROM allocation; DELETE FROM pool; DELETE FROM idempotency_key");
        woken.clear();
    }

    /** Notes what is poked, and that workers are told to look. */
    private final class Wakings implements DueWork {
        @Override
        public Future<Void> schedule(
                SqlConnection connection, String kind, String subject, Instant at, boolean periodic) {
            return Future.failedFuture("not expected");
        }

        @Override
        public Future<Void> poke(SqlConnection connection, String kind, String subject) {
            woken.add(kind + "/" + subject);
            return Future.succeededFuture();
        }

        @Override
        public void lookNow() {
            woken.add("look");
        }
    }

    @Test
    void aPoolByNumberHasNodesNamedAfterIt() {
        Answer made = post("admin", """
                {"name": "lab", "model": "A100", "gpusPerNode": 8, "nodes": 11}""");

        assertThat(made.status()).isEqualTo(201);
        JsonNode pool = made.json();
        assertThat(made.header("Location"))
                .isEqualTo("/v1/pools/" + pool.path("id").asText());
        assertThat(names(pool)).hasSize(11).startsWith("lab-1", "lab-2").endsWith("lab-10", "lab-11");
        assertThat(pool.path("nodes").path(0).path("address").isNull()).isTrue();
        assertThat(pool.path("nodes").path(0).path("gpus").asInt()).isEqualTo(8);
        assertThat(pool.path("turnaround").asText()).isEqualTo("PT0S");
        assertThat(pool.path("createdAt").asText()).isEqualTo("2026-12-01T10:00:00+08:00");
        assertThat(get("admin", "/v1/pools/" + pool.path("id").asText()).json()).isEqualTo(pool);
        assertThat(get("member", "/v1/pools").json().path("items").path(0)).isEqualTo(pool);
    }

    @Test
    void aPoolByHostKeepsWhatEachHostIsAndTheCataloguesNameOfTheModel() {
        Answer made = post("admin", """
                {"name": "lab", "model": "nvidia a100 sxm4 80gb", "gpusPerNode": 8, "turnaround": "PT30M",
                 "hosts": [{"name": "gpu02", "address": "10.0.0.12", "gpus": 4}, {"name": "gpu01"}]}""");

        JsonNode pool = made.json();
        assertThat(made.status()).isEqualTo(201);
        assertThat(pool.path("model").asText()).isEqualTo("A100-SXM4-80GB");
        assertThat(pool.path("turnaround").asText()).isEqualTo("PT30M");
        assertThat(names(pool)).containsExactly("gpu02", "gpu01");
        assertThat(pool.path("nodes").path(0).path("gpus").asInt()).isEqualTo(4);
        assertThat(pool.path("nodes").path(1).path("gpus").asInt()).isEqualTo(8);
        assertThat(get("admin", "/v1/pools/" + pool.path("id").asText()).json()).isEqualTo(pool);
    }

    @Test
    void thoseWhoWaitAreWokenOnceThePoolIsThere() {
        post("admin", lab());

        assertThat(woken).containsExactly("waitlist/all", "look");
    }

    @Test
    void theSameKeyMakesOnePool() {
        Answer first = post("admin", lab(), "Idempotency-Key", "k1");
        Answer again = post("admin", lab(), "Idempotency-Key", "k1");

        assertThat(first.status()).isEqualTo(201);
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.json()).isEqualTo(first.json());
        assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(get("admin", "/v1/pools").json().path("items")).hasSize(1);
    }

    @Test
    void aNameIsTakenOnlyOnceInATeam() {
        post("admin", lab());
        woken.clear();

        Answer refused = post("admin", lab());

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.json().path("code").asText()).isEqualTo("name_taken");
        assertThat(refused.json().path("detail").asText()).contains("lab");
        assertThat(woken).isEmpty();
        assertThat(post("stranger", lab()).status()).isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rack 3/A",
                "it's",
                "100%",
                "a?b#c",
                "a\\\\b",
                "甲区/1",
                "a+b",
                "%2F",
                "a;b,c",
                "x'; DROP TABLE pool; --",
                "...",
                "a/../b"
            })
    void aPoolIsFoundByAnyNameThatPeopleCanRead(String name) {
        JsonNode made =
                post("admin", lab().replace("\"lab\"", "\"" + name + "\"")).json();
        String path = "/v1/pools/"
                + URLEncoder.encode(made.path("name").asText(), UTF_8).replace("+", "%20");

        assertThat(get("admin", path).json()).isEqualTo(made);
        assertThat(delete("admin", path).status()).isEqualTo(204);
        assertThat(get("admin", "/v1/pools").json().path("items")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"pol_1", "POL_x", "ｐｏｌ_1", ".", "..", " lab", "lab ", " ", "la\\u202eb", "la\\u200bb", "la\\nb"})
    void aNameThatIsTakenForSomethingElseIsRefused(String name) {
        Answer refused = post("admin", lab().replace("\"lab\"", "\"" + name + "\""));

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.errors().get(0)).startsWith("name ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"LAB A", "lab  a", "ｌａｂ a", "Lab\u3000A"})
    void aNameThatDiffersOnlyInHowItIsTypedIsTaken(String name) {
        post("admin", lab().replace("lab", "lab a"));

        Answer refused = post("admin", lab().replace("lab", name));

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.json().path("code").asText()).isEqualTo("name_taken");
        assertThat(refused.json().path("detail").asText()).contains("lab a");
        assertThat(post("stranger", lab().replace("lab", name)).status()).isEqualTo(201);
    }

    @Test
    void numberedMachinesOfAPoolWithBlanksHaveNamesThatCanBeListed() {
        JsonNode made =
                post("admin", lab().replace("\"lab\"", "\"rack 3, upper\"")).json();

        assertThat(names(made)).containsExactly("rack-3-upper-1", "rack-3-upper-2");
    }

    @ParameterizedTest
    @MethodSource("badBodies")
    void whatIsWrongIsNamed(String members, List<String> errors) {
        String body = "{\"name\": \"lab\", \"model\": \"A100\", \"gpusPerNode\": 8" + members + "}";

        Answer refused = post("admin", body);

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.json().path("code").asText()).isEqualTo("invalid_request");
        assertThat(refused.errors()).isEqualTo(errors);
        assertThat(get("admin", "/v1/pools").json().path("items")).isEmpty();
    }

    static List<Arguments> badBodies() {
        return List.of(
                bad("", "nodes exclusive"),
                bad(", \"nodes\": 1, \"hosts\": [{\"name\": \"a\"}]", "hosts exclusive"),
                bad(", \"nodes\": 0", "nodes minimum"),
                bad(", \"hosts\": [{\"name\": \"a\"}, {\"name\": \"a\"}]", "hosts[1].name unique"),
                bad(", \"hosts\": [{\"name\": \"a\"}, {\"name\": \"A\"}]", "hosts[1].name unique"),
                bad(", \"hosts\": [{\"name\": \" \"}]", "hosts[0].name format"),
                bad(
                        ", \"hosts\": [{\"name\": \"a b\"}, {\"name\": \"-a\"}]",
                        "hosts[0].name format",
                        "hosts[1].name format"),
                bad(", \"hosts\": [{\"name\": \"a\", \"address\": \"-oProxyCommand=x\"}]", "hosts[0].address format"),
                bad(", \"hosts\": [{\"name\": \"a\", \"gpus\": 129}]", "hosts[0].gpus maximum"),
                bad(", \"nodes\": 1, \"turnaround\": \"P8D\"", "turnaround duration"),
                bad(", \"nodes\": 1, \"turnaround\": \"P2W\"", "turnaround duration"),
                bad(", \"nodes\": 1, \"turnaround\": \"-PT1H\"", "turnaround duration"),
                bad(", \"nodes\": 1, \"turnaround\": \"PT0.5S\"", "turnaround duration"),
                bad(", \"nodes\": 1, \"turnaround\": \"an hour\"", "turnaround duration"),
                bad(", \"turnaround\": \"P1M\"", "nodes exclusive", "turnaround duration"));
    }

    private static Arguments bad(String members, String... errors) {
        return Arguments.of(members, List.of(errors));
    }

    @Test
    void aWeekIsTheLongestTurnaround() {
        Answer made = post("admin", """
                {"name": "lab", "model": "A100", "gpusPerNode": 8, "nodes": 1, "turnaround": "P1W"}""");

        assertThat(made.json().path("turnaround").asText()).isEqualTo("PT168H");
    }

    @Test
    void anUnknownModelIsRefusedWithSuggestions() {
        Answer refused = post("admin", lab().replace("A100", "A1000"));

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.json().path("code").asText()).isEqualTo("unknown_model");
        assertThat(refused.json().path("suggestions").toString()).contains("A100");
    }

    @Test
    void aNameThatLeavesSeveralVariantsIsRefusedBecauseItsMemoryWouldBeLost() {
        Answer refused = post("admin", lab().replace("A100", "A100 80GB"));

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.errors()).containsExactly("model several_variants");
        assertThat(refused.json().path("suggestions").toString()).contains("A100-SXM4-80GB", "A100-PCIE-80GB");
    }

    @Test
    void onlyAnAdministratorRegistersAndRemoves() {
        String id = post("admin", lab()).json().path("id").asText();

        assertThat(post("member", lab().replace("lab", "mine")).status()).isEqualTo(403);
        assertThat(delete("member", "/v1/pools/" + id).status()).isEqualTo(403);
        assertThat(get("member", "/v1/pools/" + id).status()).isEqualTo(200);
    }

    @Test
    void anotherTeamsPoolIsNotThere() {
        String path = post("admin", lab()).header("Location");

        assertThat(get("stranger", path).status()).isEqualTo(404);
        assertThat(delete("stranger", path).status()).isEqualTo(404);
        assertThat(get("stranger", "/v1/pools").json().path("items")).isEmpty();
        assertThat(get("admin", path).status()).isEqualTo(200);
    }

    @Test
    void aPoolWithBookingsIsNotRemovedAndTellsThem() {
        OwnPool pool = ledger.pool("A100", 2, Duration.ZERO);
        String id = ledger.booked(wanted(pool, 2), hours(0, 5));
        ledger.extend(id, hours(5, 8)).await();

        Answer refused = delete("admin", "/v1/pools/" + pool.id());

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.json().path("code").asText()).isEqualTo("pool_in_use");
        assertThat(refused.json().path("conflicts")).hasSize(1);
        JsonNode conflict = refused.json().path("conflicts").path(0);
        assertThat(conflict.path("reservation").asText()).isEqualTo(id);
        assertThat(conflict.path("title").asText()).isEqualTo("evaluation");
        assertThat(conflict.path("node").asText()).isEqualTo(pool.name() + "-1");
        assertThat(conflict.path("gpus").toString()).isEqualTo("[0,1]");
        assertThat(conflict.path("start").asText()).isEqualTo("2026-12-20T08:00:00+08:00");
        assertThat(conflict.path("end").asText()).isEqualTo("2026-12-20T16:00:00+08:00");
    }

    @Test
    void aPoolGoesWithItsNodesOnceEverythingWasGivenBack() {
        OwnPool pool = ledger.pool("A100", 2, Duration.ZERO);
        String id = ledger.booked(wanted(pool, 2), hours(0, 5));
        ledger.outage(pool.nodes().get(1), 0, 8, hours(0, 5));
        ledger.release(id, hour(4));

        Answer gone = delete("admin", "/v1/pools/" + pool.id(), "Idempotency-Key", "d1");

        assertThat(gone.status()).isEqualTo(204);
        assertThat(get("admin", "/v1/pools/" + pool.id()).status()).isEqualTo(404);
        assertThat(ledger.allocations.eligible(wanted(pool, 1)).await()).isEmpty();
    }

    private static String lab() {
        return """
                {"name": "lab", "model": "A100", "gpusPerNode": 8, "nodes": 2}""";
    }

    private static List<String> names(JsonNode pool) {
        List<String> names = new ArrayList<>();
        pool.path("nodes").forEach(node -> names.add(node.path("name").asText()));
        return names;
    }

    private Answer get(String token, String path) {
        return send(token, "GET", path, null);
    }

    private Answer post(String token, String body, String... headers) {
        return send(token, "POST", "/v1/pools", body, headers);
    }

    private Answer delete(String token, String path, String... headers) {
        return send(token, "DELETE", path, null, headers);
    }

    private Answer send(String token, String method, String path, @Nullable String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", "Bearer " + token)
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body, UTF_8));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return new Answer(client.send(request.build(), BodyHandlers.ofString(UTF_8)));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private record Answer(HttpResponse<String> http) {
        int status() {
            return http.statusCode();
        }

        String header(String name) {
            return http.headers().firstValue(name).orElse("");
        }

        JsonNode json() {
            try {
                return ApiJson.mapper().readTree(http.body());
            } catch (IOException e) {
                throw new IllegalStateException(http.body(), e);
            }
        }

        /** Each field at fault with the code of its error. */
        List<String> errors() {
            List<String> errors = new ArrayList<>();
            json().path("errors")
                    .forEach(error -> errors.add(error.path("field").asText() + " "
                            + error.path("code").asText()));
            return errors;
        }
    }
}
