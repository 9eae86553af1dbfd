package dev.gpubroker.simulator.aliyun;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.gpubroker.simulator.SimEnvironment;
import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.SimReply;
import dev.gpubroker.simulator.SimRequest;
import dev.gpubroker.simulator.SimStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AliyunSimulatorTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Instant NOW = Instant.parse("2026-11-01T02:00:00Z");
    /** What was signed below, and the instant at which it is judged unless a test says otherwise. */
    private static final Instant SIGNED_AT = Instant.parse("2026-11-30T08:10:24Z");
    /** Computed with another implementation (Python's hmac and hashlib) from the format in the platform's page. */
    private static final String SIGNATURE = "25b385a3fcc58a99f9f558ff58e974e9518e0c936736a6f3841d1b216a45a4c4";

    private final SimStore store = SimStore.inMemory();
    private Instant now = NOW;
    private Instant timedEnd = Instant.parse("2026-11-06T03:00:59Z");
    private AliyunSimulator simulator = start();

    private AliyunSimulator start() {
        return new AliyunSimulator(new SimEnvironment(store, () -> now, () -> SIGNED_AT));
    }

    // ---- signature -----------------------------------------------------------------------------

    @Test
    void aSignatureMadeByAnotherImplementationIsAccepted() {
        assertThat(refused(signed(Map.of()), SIGNED_AT)).isEmpty();
    }

    @Test
    void aWrongSignatureIsRefused() {
        String wrong = signed(Map.of()).header("authorization").replaceFirst("Signature=....", "Signature=0000");

        assertThat(code(refused(signed(Map.of("authorization", wrong)), SIGNED_AT)))
                .isEqualTo("SignatureDoesNotMatch");
    }

    @Test
    void whatWasChangedAfterSigningIsRefused() {
        SimRequest request = signed(Map.of());
        Map<String, String> other = new LinkedHashMap<>(request.query());
        other.put("ZoneId", "cn-hangzhou-k");
        SimRequest forged = new SimRequest(
                request.method(), request.path(), request.rawQuery(), other, request.headers(), request.body());
        SimRequest otherAction = signed(Map.of("x-acs-action", "RunInstances"));
        SimRequest withBody = new SimRequest(
                request.method(),
                request.path(),
                request.rawQuery(),
                request.query(),
                request.headers(),
                "x".getBytes(StandardCharsets.UTF_8));

        assertThat(code(refused(forged, SIGNED_AT))).isEqualTo("SignatureDoesNotMatch");
        assertThat(code(refused(otherAction, SIGNED_AT))).isEqualTo("SignatureDoesNotMatch");
        assertThat(code(refused(withBody, SIGNED_AT))).isEqualTo("SignatureDoesNotMatch");
    }

    @Test
    void anUnsignedHeaderOrNoSignatureAtAllIsRefused() {
        String less = signed(Map.of()).header("authorization").replace("x-acs-action;", "");

        assertThat(code(refused(signed(Map.of("authorization", less)), SIGNED_AT)))
                .isEqualTo("IncompleteSignature");
        assertThat(code(refused(signed(Map.of("authorization", "")), SIGNED_AT)))
                .isEqualTo("IncompleteSignature");
    }

    @Test
    void anUnknownKeyIsRefused() {
        String other =
                signed(Map.of()).header("authorization").replaceFirst("Credential=[^,]+", "Credential=LTAInobody");

        assertThat(code(refused(signed(Map.of("authorization", other)), SIGNED_AT)))
                .isEqualTo("InvalidAccessKeyId.NotFound");
    }

    @Test
    void aDateIsGoodForFifteenMinutesEitherWay() {
        assertThat(refused(signed(Map.of()), SIGNED_AT.plus(Duration.ofMinutes(15))))
                .isEmpty();
        simulator = start();
        assertThat(code(refused(signed(Map.of()), SIGNED_AT.plus(Duration.ofMinutes(16)))))
                .isEqualTo("InvalidTimeStamp.Expired");
        assertThat(code(refused(signed(Map.of()), SIGNED_AT.minus(Duration.ofMinutes(16)))))
                .isEqualTo("InvalidTimeStamp.Expired");
    }

    @Test
    void aNonceIsGoodOnce() {
        assertThat(refused(signed(Map.of()), SIGNED_AT)).isEmpty();
        assertThat(code(refused(signed(Map.of()), SIGNED_AT))).isEqualTo("SignatureNonceUsed");
    }

    // ---- machines ------------------------------------------------------------------------------

    @Test
    void aMachineIsPendingThenStartingThenRunning() {
        run(1, "token-1");
        assertThat(state()).isEqualTo("Pending");
        now = NOW.plusSeconds(30);
        assertThat(state()).isEqualTo("Starting");
        now = NOW.plusSeconds(90);
        assertThat(state()).isEqualTo("Running");
    }

    @Test
    void theSameTokenBringsTheSameMachinesAndOtherParametersAreRefused() {
        SimReply first = run(2, "token-1");
        SimReply again = run(2, "token-1");

        assertThat(json(again).path("InstanceIdSets")).isEqualTo(json(first).path("InstanceIdSets"));
        assertThat(simulator.nodesTaken()).isEqualTo(2);
        assertThat(json(run(3, "token-1")).path("Code").asText()).isEqualTo("IdempotentParameterMismatch");
    }

    @Test
    void machinesStockAndTokensSurviveARestart() {
        SimReply first = run(3, "token-1");
        commit();
        now = NOW.plusSeconds(120);

        simulator = start();

        assertThat(simulator.instances()).hasSize(3).allMatch(SimInstance::isLive);
        assertThat(json(run(3, "token-1")).path("InstanceIdSets"))
                .isEqualTo(json(first).path("InstanceIdSets"));
        assertThat(json(run(6, "token-2")).path("Code").asText()).isEqualTo("OperationDenied.NoStock");
        assertThat(run(5, "token-3").status()).isEqualTo(200);
    }

    @Test
    void aTimedEndPassedWhileTheSimulatorWasDownIsDatedToItsInstant() {
        run(8, "token-1");
        commit();
        now = NOW.plus(Duration.ofDays(9));
        timedEnd = NOW.plus(Duration.ofDays(12));

        simulator = start();

        assertThat(simulator.instances())
                .hasSize(8)
                .allSatisfy(
                        machine -> assertThat(machine.releasedAt()).isEqualTo(Instant.parse("2026-11-06T03:00:00Z")));
        assertThat(run(8, "token-2").status()).isEqualTo(200);
        assertThat(json(run(1, "token-3")).path("Code").asText()).isEqualTo("OperationDenied.NoStock");
    }

    @Test
    void aMachineIsReleasedOnceAndItsPlaceComesBackOnce() {
        run(8, "token-1");
        now = NOW.plusSeconds(120);
        Map<String, String> all = new LinkedHashMap<>(Map.of("RegionId", "cn-hangzhou", "Force", "true"));
        int n = 1;
        for (SimInstance machine : simulator.instances()) {
            all.put("InstanceId." + n++, machine.id());
        }

        assertThat(serve("DeleteInstances", all).status()).isEqualTo(200);
        assertThat(json(serve("DeleteInstances", all)).path("Code").asText()).isEqualTo("InvalidInstanceId.NotFound");

        assertThat(simulator.nodesTaken()).isZero();
        assertThat(run(8, "token-2").status()).isEqualTo(200);
        assertThat(json(run(1, "token-3")).path("Code").asText()).isEqualTo("OperationDenied.NoStock");
    }

    @Test
    void aPendingMachineAndARunningOneWithoutForceAreNotReleased() {
        run(1, "token-1");
        String id = simulator.instances().get(0).id();
        Map<String, String> gentle = Map.of("InstanceId.1", id);

        assertThat(json(serve("DeleteInstances", Map.of("InstanceId.1", id, "Force", "true")))
                        .path("Code")
                        .asText())
                .isEqualTo("IncorrectInstanceStatus.Initializing");
        now = NOW.plusSeconds(120);
        simulator.instances();
        assertThat(json(serve("DeleteInstances", gentle)).path("Code").asText()).isEqualTo("IncorrectInstanceStatus");
        assertThat(simulator.nodesTaken()).isEqualTo(1);
    }

    @Test
    void anOrderThatThePlatformWouldRefuseIsRefused() {
        assertThat(orderCode(Map.of("ImageId", ""))).isEqualTo("MissingParameter");
        assertThat(orderCode(Map.of("InstanceType", "ecs.none"))).isEqualTo("InvalidInstanceType.ValueNotSupported");
        assertThat(orderCode(Map.of("VSwitchId", "vsw-none"))).isEqualTo("InvalidVSwitchId.NotFound");
        assertThat(orderCode(Map.of("ZoneId", "cn-hangzhou-k"))).isEqualTo("InvalidParameter.Mismatch");
        assertThat(orderCode(Map.of("ZoneId", "cn-hangzhou-k", "VSwitchId", AliyunSimulator.vSwitch("cn-hangzhou-k"))))
                .isEqualTo("Zone.NotOnSale");
        assertThat(orderCode(Map.of("Amount", "101", "MinAmount", "101"))).isEqualTo("InvalidParam.Amount");
        assertThat(orderCode(Map.of("AutoReleaseTime", "2026-11-01T02:20:00Z")))
                .isEqualTo("InvalidAutoReleaseTime.Malformed");
        assertThat(orderCode(Map.of("AutoReleaseTime", "soon"))).isEqualTo("InvalidAutoReleaseTime.Malformed");
        assertThat(orderCode(Map.of("UserData", "%%%"))).isEqualTo("InvalidUserData.Base64FormatInvalid");
        assertThat(orderCode(Map.of("DryRun", "true"))).isEqualTo("DryRunOperation");
        assertThat(simulator.nodesTaken()).isZero();
    }

    @Test
    void theNeighboursOfWhatTheAdapterUsesAnswerToo() {
        run(2, "token-1");

        assertThat(json(serve("DescribeInstanceStatus", Map.of("RegionId", "cn-hangzhou", "PageSize", "50")))
                        .path("InstanceStatuses")
                        .path("InstanceStatus"))
                .hasSize(2);
        assertThat(json(serve("DescribeInstanceTypes", Map.of()))
                        .path("InstanceTypes")
                        .path("InstanceType"))
                .hasSize(AliyunSkus.ALL.size());
        assertThat(json(serve("CreateDisk", Map.of())).path("Code").asText()).isEqualTo("InvalidAction.NotFound");
        assertThat(json(serve("DescribePrice", Map.of("InstanceType", "ecs.gn7e-c16g1.32xlarge", "PriceUnit", "Month")))
                        .path("PriceInfo")
                        .path("Price")
                        .path("TradePrice")
                        .decimalValue())
                .isEqualByComparingTo("133406.40");
    }

    // ---- steps ---------------------------------------------------------------------------------

    private Optional<SimReply> refused(SimRequest request, Instant wallNow) {
        return simulator.refuse(request, wallNow);
    }

    private static String code(Optional<SimReply> reply) {
        return json(reply.orElseThrow()).path("Code").asText();
    }

    private SimReply run(int amount, String token) {
        return serve("RunInstances", order(Map.of("Amount", String.valueOf(amount), "ClientToken", token)));
    }

    private String orderCode(Map<String, String> changes) {
        return json(serve("RunInstances", order(changes))).path("Code").asText();
    }

    private Map<String, String> order(Map<String, String> changes) {
        Map<String, String> order = new LinkedHashMap<>();
        order.put("RegionId", "cn-hangzhou");
        order.put("ZoneId", "cn-hangzhou-j");
        order.put("VSwitchId", AliyunSimulator.vSwitch("cn-hangzhou-j"));
        order.put("SecurityGroupId", AliyunSimulator.SECURITY_GROUP);
        order.put("ImageId", "img");
        order.put("InstanceType", "ecs.gn7e-c16g1.32xlarge");
        order.put("AutoReleaseTime", timedEnd.toString());
        order.putAll(changes);
        return order;
    }

    private String state() {
        return simulator.instances().get(0).state();
    }

    /** Writes what was changed: the server does so before each reply, and so does a look at the machines. */
    private void commit() {
        simulator.instances();
    }

    private SimReply serve(String action, Map<String, String> query) {
        Map<String, String> headers = Map.of("x-acs-action", action, "x-acs-version", "2014-05-26");
        return simulator.serve(new SimRequest("POST", "/", "", query, headers, new byte[0]), now);
    }

    private static SimRequest signed(Map<String, String> changedHeaders) {
        Map<String, String> query = new LinkedHashMap<>();
        query.put("ZoneId", "cn-hangzhou-j");
        query.put("RegionId", "cn-hangzhou");
        query.put("DestinationResource", "InstanceType");
        query.put("Note", "a b*c~d/é+");
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("host", "127.0.0.1:8080");
        headers.put("x-acs-action", "DescribeAvailableResource");
        headers.put("x-acs-version", "2014-05-26");
        headers.put("x-acs-date", "2026-11-30T08:10:24Z");
        headers.put("x-acs-signature-nonce", "4de15dc1d3f9cc3cc69a19fc8cf3919c");
        headers.put("x-acs-content-sha256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        headers.put(
                "authorization",
                "ACS3-HMAC-SHA256 Credential=" + AliyunSignature.KEY_ID
                        + ",SignedHeaders=host;x-acs-action;x-acs-content-sha256;x-acs-date;"
                        + "x-acs-signature-nonce;x-acs-version,Signature=" + SIGNATURE);
        headers.putAll(changedHeaders);
        return new SimRequest("POST", "/", "", query, headers, new byte[0]);
    }

    private static JsonNode json(SimReply reply) {
        try {
            return JSON.readTree(reply.text());
        } catch (JsonProcessingException unreadable) {
            throw new IllegalStateException(reply.text(), unreadable);
        }
    }
}
