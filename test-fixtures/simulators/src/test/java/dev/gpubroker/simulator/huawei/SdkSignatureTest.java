package dev.gpubroker.simulator.huawei;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.simulator.SimReply;
import dev.gpubroker.simulator.SimRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** That the official SDK's signatures pass is shown by the adapter's tests; here, that others do not. */
class SdkSignatureTest {
    private static final Instant NOW = Instant.parse("2026-11-30T08:10:56Z");
    private static final String PATH = "/v1/" + SdkSignature.PROJECT_ID + "/cloudservers/detail";
    private static final List<String> SIGNED = List.of("host", "x-project-id", "x-sdk-date");

    @Test
    void aSignedAndFreshRequestPasses() {
        assertThat(refusal(signed())).isEmpty();
    }

    @Test
    void aRequestWithoutSignatureIsRefused() {
        SimRequest bare = request(PATH, "limit=1000", Map.of(), "");

        assertRefused(refusal(bare), 401, "APIGW.0301");
    }

    @Test
    void aSignatureOverAnotherBodyPathQueryOrHeaderIsRefused() {
        SimRequest good = signed();

        assertRefused(refusal(request(PATH, "limit=1000", good.headers(), "{}")), 401, "APIGW.0301");
        assertRefused(refusal(request(PATH + "s", "limit=1000", good.headers(), "")), 401, "APIGW.0301");
        assertRefused(refusal(request(PATH, "limit=1001", good.headers(), "")), 401, "APIGW.0301");
        Map<String, String> moved = new HashMap<>(good.headers());
        moved.put("host", "elsewhere");
        assertRefused(refusal(request(PATH, "limit=1000", moved, "")), 401, "APIGW.0301");
    }

    @Test
    void aDateMoreThanFifteenMinutesOffIsRefusedOnBothSides() {
        assertThat(SdkSignature.refusal(signed(), NOW.plus(Duration.ofMinutes(15))))
                .isEmpty();
        assertRefused(SdkSignature.refusal(signed(), NOW.plus(Duration.ofMinutes(16))), 401, "APIGW.0301");
        assertRefused(SdkSignature.refusal(signed(), NOW.minus(Duration.ofMinutes(16))), 401, "APIGW.0301");
    }

    @Test
    void anUnsignedDateIsRefused() {
        SimRequest request = sign(request(PATH, "", headers(), ""), List.of("host", "x-project-id"));

        assertRefused(refusal(request), 401, "APIGW.0301");
    }

    @Test
    void anUnknownAccessKeyIsRefused() {
        Map<String, String> headers = new HashMap<>(signed().headers());
        headers.computeIfPresent("authorization", (name, value) -> value.replace(SdkSignature.ACCESS_KEY, "NOBODY"));

        assertRefused(refusal(request(PATH, "limit=1000", headers, "")), 401, "APIGW.0301");
    }

    @Test
    void anotherProjectIsNotTheCallers() {
        SimRequest other = sign(request("/v1/other/cloudservers/detail", "", headers(), ""), SIGNED);

        assertRefused(refusal(other), 403, "APIGW.0302");
    }

    @Test
    void theOrderOfQueryParametersDoesNotMatter() {
        SimRequest one = sign(request(PATH, "marker=a%20b&limit=1000", headers(), ""), SIGNED);

        assertThat(refusal(request(PATH, "limit=1000&marker=a%20b", one.headers(), "")))
                .isEmpty();
    }

    private static Optional<SimReply> refusal(SimRequest request) {
        return SdkSignature.refusal(request, NOW);
    }

    private static void assertRefused(Optional<SimReply> refusal, int status, String code) {
        assertThat(refusal).isPresent();
        assertThat(refusal.get().status()).isEqualTo(status);
        assertThat(refusal.get().text()).contains(code).doesNotContain(SdkSignature.SECRET_KEY);
    }

    private static SimRequest signed() {
        return sign(request(PATH, "limit=1000", headers(), ""), SIGNED);
    }

    private static Map<String, String> headers() {
        return Map.of(
                "host", "127.0.0.1:8081", "x-project-id", SdkSignature.PROJECT_ID, "x-sdk-date", "20261130T081056Z");
    }

    private static SimRequest sign(SimRequest request, List<String> signed) {
        Map<String, String> headers = new HashMap<>(request.headers());
        headers.put(
                "authorization",
                "SDK-HMAC-SHA256 Access=" + SdkSignature.ACCESS_KEY + ", SignedHeaders=" + String.join(";", signed)
                        + ", Signature=" + SdkSignature.signature(request, signed));
        return new SimRequest(
                request.method(), request.path(), request.rawQuery(), request.query(), headers, request.body());
    }

    private static SimRequest request(String path, String query, Map<String, String> headers, String body) {
        return new SimRequest("GET", path, query, Map.of(), headers, body.getBytes(StandardCharsets.UTF_8));
    }
}
