package dev.gpubroker.broker.availability;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.Term;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.catalogue.LeadTimePriors;
import dev.gpubroker.broker.catalogue.ModelRoutes;
import dev.gpubroker.broker.catalogue.PlatformProfiles;
import dev.gpubroker.broker.catalogue.SubstitutionFacts;
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
import dev.gpubroker.broker.inventory.PlatformInventory;
import dev.gpubroker.broker.inventory.StockHistory;
import dev.gpubroker.broker.planning.KnownLeadTimes;
import dev.gpubroker.broker.platform.AccountRoutes;
import dev.gpubroker.broker.platform.FakeAccounts;
import dev.gpubroker.broker.platform.FakeAdapter;
import dev.gpubroker.broker.platform.PlatformRoutes;
import dev.gpubroker.broker.platform.Platforms;
import dev.gpubroker.broker.platform.PurchaseRoutes;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is told of platforms, over HTTP; every answer has the contract's shape and no member more. */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // Made before the first test.
final class ReadRoutesTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Instant NOW = Instant.parse("2026-12-01T02:10:00Z");
    private static final ZoneId ZONE = ZoneId.of("Asia/Shanghai");
    private static final Flavor A100 = new Flavor("A100-SXM4-80GB", 8);
    private static final Flavor H100 = new Flavor("H100-SXM5-80GB", 8);

    private final FakeAdapter aliyun = FakeAdapter.selling("aliyun");
    private final FakeAdapter aws = new FakeAdapter(Capabilities.of("aws", "AWS", "USD")
            .shapes(List.of(new Shape("p5.48xlarge", H100, 80, "nvlink", Set.of())))
            .forward(new Capabilities.Forward(
                    Duration.ofDays(56), Duration.ofDays(1), Duration.ofDays(14), Duration.ofMinutes(30), false))
            .onlyForward()
            .minInterval(Duration.ZERO)
            .build());
    private final FakeAdapter other = new FakeAdapter(Capabilities.of("other", "Other", "CNY")
            .shapes(List.of(
                    new Shape("one-h100", new Flavor("H100-SXM5-80GB", 1), 80, "none", Set.of()),
                    new Shape("eight-h100", H100, 80, "nvlink", Set.of())))
            .minInterval(Duration.ZERO)
            .build());
    private final HttpClient client = HttpClient.newHttpClient();
    private JsonObject contract;
    private HttpService server;
    private int port;

    @BeforeAll
    void start() throws IOException {
        InstantSource clock = InstantSource.fixed(NOW);
        FakeAccounts fakes = new FakeAccounts().with(aliyun).with(aws).withReal(other);
        Platforms platforms = fakes.lanes(DATABASE.vertx());
        StockHistory history = new StockHistory(DATABASE.database().pool(), clock, clock);
        PlatformInventory inventory =
                new PlatformInventory(DATABASE.vertx(), platforms, clock, InstantSource.system(), history);
        GpuCatalogue catalogue = GpuCatalogue.shipped();
        RouteTable table = RouteTable.of(List.of(
                new AvailabilityRoutes(
                        inventory,
                        platforms,
                        new KnownLeadTimes(history, catalogue, LeadTimePriors.shipped()),
                        catalogue,
                        ZONE,
                        clock),
                new AccountRoutes(fakes.accounts(), platforms),
                new PlatformRoutes(platforms, PlatformProfiles.shipped()),
                new ModelRoutes(catalogue, SubstitutionFacts.shipped(), PlatformRoutes.sellers(platforms)),
                new PurchaseRoutes(DATABASE.database(), ZONE, clock)));
        Contract published = Contract.packaged();
        JsonNode yaml = new YAMLMapper().readTree(published.published());
        contract = new JsonObject(ApiJson.mapper().writeValueAsString(yaml));
        contract.getJsonObject("components")
                .getJsonObject("schemas")
                .forEach(each -> close((JsonObject) each.getValue()));
        Set<String> ours = Set.of(
                "readAvailability",
                "listAccounts",
                "listPlatforms",
                "readPlatform",
                "listGpuModels",
                "pausePurchases",
                "resumePurchases");
        for (JsonNode id : yaml.findValues("operationId")) {
            if (!ours.contains(id.asText())) {
                table.on(id.asText(), request -> Future.succeededFuture(ApiReply.noContent()));
            }
        }
        Authenticator tokens = Authenticator.firstOf(List.of(
                new AdminTokenAuthenticator("admin", new Caller("default", "admin", true)),
                new AdminTokenAuthenticator("member", new Caller("default", "ann", false))));
        ContractRouter router = new ContractRouter(
                published,
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
    void soldOut() {
        for (FakeAdapter adapter : List.of(aliyun, aws, other)) {
            adapter.offers = query -> Offers.none();
        }
    }

    // ---- availability ----------------------------------------------------------------------------

    @Test
    void whatIsInStockIsFreeNowFromTheNextHourOn() {
        aliyun.offers = query -> available(
                Offer.now("sku-a100", A100, "here", "z1", Stock.of(5)),
                Offer.now("sku-a100", A100, "here", "z2", Stock.of(3)));

        JsonNode item = availability("?model=A100&count=8").get(0);

        assertThat(item.path("platform").asText()).isEqualTo("aliyun");
        assertThat(item.path("freeNow").asInt()).isEqualTo(8);
        assertThat(item.path("stock").asText()).isEqualTo("known");
        assertThat(item.path("earliest").path("start").asText()).isEqualTo("2026-12-01T11:00:00+08:00");
        assertThat(item.path("earliest").path("end").asText()).isEqualTo("2026-12-02T11:00:00+08:00");
        assertThat(item.path("leadTime").path("duration").asText()).isEqualTo("PT0S");
        assertThat(item.path("leadTime").path("source").asText()).isEqualTo("platform");
        assertThat(item.path("ageSeconds").asInt()).isZero();
    }

    @Test
    void machinesInTwoZonesDoNotMakeOneReservation() {
        aliyun.offers = query -> available(
                Offer.now("sku-a100", A100, "here", "z1", Stock.of(1)),
                Offer.now("sku-a100", A100, "here", "z2", Stock.of(1)));

        JsonNode item = availability("?model=A100&count=16").get(0);

        assertThat(item.path("freeNow").asInt()).isEqualTo(2);
        assertThat(item.path("stock").asText()).isEqualTo("sold_out");
        assertThat(item.path("earliest").isNull()).isTrue();
    }

    @Test
    void aWaitNamesItsSource() {
        aliyun.offers = query -> new Offers(
                List.of(),
                List.of(new Offers.Missing("sku-a100", A100, "here", Reason.SOLD_OUT, "", Duration.ofHours(30))));

        JsonNode stated = availability("?model=A100").get(0);
        assertThat(stated.path("stock").asText()).isEqualTo("sold_out");
        assertThat(stated.path("freeNow").asInt()).isZero();
        assertThat(stated.path("leadTime").path("duration").asText()).isEqualTo("PT30H");
        assertThat(stated.path("leadTime").path("source").asText()).isEqualTo("platform");

        soldOut();
        JsonNode assumed = availability("?model=A100").get(0);
        assertThat(assumed.path("leadTime").path("source").asText()).isEqualTo("assumed");
        assertThat(assumed.path("leadTime").path("duration").asText()).isEqualTo("P14D");
        for (JsonNode item : availability("?model=H100")) {
            assertThat(item.path("leadTime").path("source").asText()).isEqualTo("prior");
            assertThat(item.path("leadTime").path("duration").asText()).isEqualTo("P28D");
        }
    }

    @Test
    void stockThatCannotBeToldIsUnknownAndNeverSoldOut() {
        other.offers = query -> new Offers(
                List.of(Offer.now("one-h100", query.asks().get(0).flavor(), "here", null, Stock.unknown())),
                List.of(new Offers.Missing("eight-h100", H100, "here", Reason.NO_QUOTA, "quota 0", null)));

        for (JsonNode item : availability("?model=H100")) {
            if (item.path("platform").asText().equals("other")) {
                assertThat(item.path("stock").asText()).isEqualTo("unknown");
                assertThat(item.path("freeNow").isNull()).isTrue();
            }
        }
    }

    @Test
    void aWindowThatIsSoldAheadIsTheEarliest() {
        Window block = new Window(Instant.parse("2026-12-03T11:30:00Z"), Instant.parse("2026-12-05T11:30:00Z"));
        aws.offers = query -> available(new Offer(
                "cb-1",
                "p5.48xlarge",
                H100,
                "here",
                null,
                Term.FORWARD,
                Stock.of(1),
                block,
                Instant.parse("2026-12-05T11:00:00Z"),
                Map.of()));

        JsonNode item = availability("?model=H100&count=8&timeZone=UTC").get(0);

        assertThat(item.path("platform").asText()).isEqualTo("aws");
        assertThat(item.path("freeNow").isNull()).isTrue();
        assertThat(item.path("earliest").path("start").asText()).isEqualTo("2026-12-03T11:30:00+00:00");
        assertThat(item.path("earliest").path("end").asText()).isEqualTo("2026-12-05T11:00:00+00:00");
        assertThat(item.path("leadTime").path("duration").asText()).isEqualTo("PT57H20M");
    }

    @Test
    void onlyMachinesThatHoldTheGpusAreShown() {
        assertThat(availability("?model=H100").findValuesAsText("sku"))
                .containsExactly("p5.48xlarge", "one-h100", "eight-h100");
        assertThat(availability("?model=H100&count=2").findValuesAsText("sku"))
                .containsExactly("p5.48xlarge", "eight-h100");
        assertThat(availability("").findValuesAsText("model")).contains("A100-SXM4-80GB", "H100-SXM5-80GB");
        assertThat(availability("?model=V100")).isEmpty();
    }

    @Test
    void whoDidNotAnswerIsNamed() {
        aliyun.offers = query -> {
            throw new PlatformFault(PlatformFault.Kind.BAD_CREDENTIALS, "InvalidAccessKeyId.NotFound");
        };

        JsonNode silent = get("/v1/availability?model=A100", "Availability").path("silent");

        assertThat(silent).hasSize(1);
        assertThat(silent.get(0).path("account").asText()).isEqualTo("aliyun");
        assertThat(silent.get(0).path("reason").asText()).isEqualTo("bad_credentials");
    }

    @Test
    void badQuestionsAboutAvailabilityAreRefused() {
        assertThat(send("GET", "/v1/availability?model=A10O", null).code()).isEqualTo("unknown_model");
        assertThat(send("GET", "/v1/availability?timeZone=Mars", null).code()).isEqualTo("time_zone_unknown");
        assertThat(send("GET", "/v1/availability?timeZone=UTC%2B8", null).code())
                .isEqualTo("time_zone_unknown");
        assertThat(send("GET", "/v1/availability?from=2026-12-05&to=2026-12-04", null)
                        .code())
                .isEqualTo("invalid_request");
        assertThat(send("GET", "/v1/availability?from=tomorrow", null).code()).isEqualTo("invalid_request");
    }

    // ---- catalogue, platforms, accounts ------------------------------------------------------------

    @Test
    void everyModelIsListedWithWhoSellsItAndWhatMayStandIn() {
        JsonNode items = get("/v1/gpu-models", "GpuModels").path("items");

        assertThat(items.findValuesAsText("id")).isSorted().contains("A100-SXM4-80GB", "RTX4090");
        JsonNode a100 = byId(items, "A100-SXM4-80GB");
        assertThat(a100.path("platforms")).extracting(JsonNode::asText).containsExactly("aliyun");
        assertThat(a100.path("facts")).isNotEmpty();
        assertThat(a100.path("substitutes").findValuesAsText("model")).contains("RTX4090");
        assertThat(byId(items, "H100-SXM5-80GB").path("platforms"))
                .extracting(JsonNode::asText)
                .containsExactly("aws", "other");
    }

    @Test
    void platformsWithAndWithoutAccountsAreListed() {
        JsonNode items = get("/v1/platforms", "Platforms").path("items");

        assertThat(items.findValuesAsText("id")).isSorted().contains("aliyun", "aws", "autodl", "other", "pool");
        JsonNode aliyunJson = byId(items, "aliyun");
        assertThat(aliyunJson.path("simulated").asBoolean()).isTrue();
        assertThat(aliyunJson.path("acquisitions"))
                .extracting(JsonNode::asText)
                .containsExactly("just_in_time", "hold_early");
        assertThat(byId(items, "aws").path("acquisitions"))
                .extracting(JsonNode::asText)
                .containsExactly("forward");
        assertThat(byId(items, "autodl").path("accounts")).isEmpty();
        assertThat(byId(items, "other").path("simulated").asBoolean()).isFalse();
        assertThat(aliyunJson.has("profile")).isFalse();
    }

    @Test
    void onePlatformIsShownWithShapesAndSources() {
        for (String id :
                List.of("aliyun", "autodl", "aws", "baidu", "huawei", "pool", "sugon", "tencent", "zhixingyun")) {
            JsonNode platform = get("/v1/platforms/" + id, "Platform");
            assertThat(platform.path("profile").isObject()).isTrue();
        }
        JsonNode one = get("/v1/platforms/aliyun", "Platform");
        assertThat(one.path("shapes").findValuesAsText("sku")).containsExactly("sku-a100");
        assertThat(one.path("profile").path("certificates").findValuesAsText("id"))
                .contains("cn-mlps-3");
        assertThat(get("/v1/platforms/other", "Platform").has("profile")).isFalse();
        assertThat(send("GET", "/v1/platforms/nobody", null).code()).isEqualTo("not_found");
    }

    @Test
    void accountsShowBalanceCapsAndHowTheyWereProven() {
        other.balance = () -> {
            throw new PlatformFault(PlatformFault.Kind.BAD_CREDENTIALS, "no permission");
        };

        JsonNode items = get("/v1/accounts", "Accounts").path("items");

        JsonNode simulated = byId(items, "aliyun");
        assertThat(simulated.path("balance").path("amount").asText()).isEqualTo("100.00");
        assertThat(simulated.path("proven").asText()).isEqualTo("simulator");
        assertThat(simulated.path("purchases").asText()).isEqualTo("auto");
        assertThat(simulated.path("caps").path("perDay").isNull()).isTrue();
        JsonNode real = byId(items, "other");
        assertThat(real.path("balance").isNull()).isTrue();
        assertThat(real.path("proven").isNull()).isTrue();
    }

    // ---- the switch ----------------------------------------------------------------------------------

    @Test
    void buyingIsPausedAndResumedAndSaysByWhom() {
        JsonNode paused = post("/v1/purchases/pause", "{\"reason\": \"month end\"}");
        assertThat(paused.path("paused").asBoolean()).isTrue();
        assertThat(paused.path("since").asText()).isEqualTo("2026-12-01T10:10:00+08:00");
        assertThat(paused.path("by").asText()).isEqualTo("admin");
        assertThat(paused.path("reason").asText()).isEqualTo("month end");
        assertThat(post("/v1/purchases/pause", null).path("reason").asText()).isEqualTo("month end");
        assertThat(isPausedInTheDatabase()).isTrue();

        JsonNode resumed = post("/v1/purchases/resume", null);
        assertThat(resumed.path("paused").asBoolean()).isFalse();
        assertThat(resumed.path("by").asText()).isEqualTo("admin");
        assertThat(resumed.path("reason").isNull()).isTrue();
        assertThat(isPausedInTheDatabase()).isFalse();
    }

    @Test
    void onlyAnAdministratorMovesTheSwitch() {
        assertThat(send("POST", "/v1/purchases/pause", null, "Authorization", "Bearer member")
                        .code())
                .isEqualTo("not_allowed");
        assertThat(isPausedInTheDatabase()).isFalse();
    }

    // ---- helpers ---------------------------------------------------------------------------------

    private static boolean isPausedInTheDatabase() {
        return DATABASE.database()
                .pool()
                .query("SELECT paused FROM purchase_switch")
                .execute()
                .await()
                .iterator()
                .next()
                .getBoolean(0);
    }

    private JsonNode availability(String query) {
        return get("/v1/availability" + query, "Availability").path("items");
    }

    private static JsonNode byId(JsonNode items, String id) {
        for (JsonNode item : items) {
            if (item.path("id").asText().equals(id)) {
                return item;
            }
        }
        throw new AssertionError("no " + id + " in " + items);
    }

    private static Offers available(Offer... offers) {
        return new Offers(List.of(offers), List.of());
    }

    private JsonNode get(String path, String schema) {
        Answer answer = send("GET", path, null);
        assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
        return checked(answer, schema);
    }

    private JsonNode post(String path, @Nullable String body) {
        Answer answer = send("POST", path, body);
        assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
        return checked(answer, "Purchases");
    }

    private JsonNode checked(Answer answer, String schema) {
        JsonObject root = new JsonObject()
                .put("$schema", Draft.DRAFT202012.getIdentifier())
                .put("$ref", "#/components/schemas/" + schema)
                .put("components", contract.getJsonObject("components"));
        JsonSchemaOptions options = new JsonSchemaOptions()
                .setBaseUri("urn:gpu-broker")
                .setDraft(Draft.DRAFT202012)
                .setOutputFormat(OutputFormat.Basic);
        OutputUnit result = Validator.create(JsonSchema.of(root), options)
                .validate(new JsonObject(answer.http().body()));
        assertThat(result.getValid()).as(() -> String.valueOf(result.toJson())).isTrue();
        return answer.json();
    }

    /** No member may be there that the contract does not describe. */
    private static void close(JsonObject schema) {
        if (schema.containsKey("properties") && !schema.containsKey("additionalProperties")) {
            schema.put("additionalProperties", false);
        }
    }

    private Answer send(String method, String path, @Nullable String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body, UTF_8))
                .header("Content-Type", "application/json");
        String[] sent = headers.length == 0 ? new String[] {"Authorization", "Bearer admin"} : headers;
        request.headers(sent);
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

        JsonNode json() {
            try {
                return ApiJson.mapper().readTree(http.body());
            } catch (IOException e) {
                throw new IllegalStateException(http.body(), e);
            }
        }

        String code() {
            return json().path("code").asText();
        }
    }
}
