package dev.gpubroker.simulator.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.simulator.SimRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Against the worked example of the AWS General Reference, Signature Version 4 (the request to list IAM users). */
final class SigV4Test {
    private static final Instant SIGNED_AT = Instant.parse("2015-08-30T12:36:00Z");
    private static final String SIGNATURE = "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7";

    @Test
    void theWorkedExampleIsBelieved() {
        assertThat(check(request(SIGNATURE, "Action=ListUsers&Version=2010-05-08"), SIGNED_AT))
                .isEmpty();
    }

    @Test
    void anotherSignatureIsNot() {
        assertThat(check(request(SIGNATURE.replace('5', '6'), "Action=ListUsers&Version=2010-05-08"), SIGNED_AT)
                        .map(SigV4.Refusal::code))
                .contains("SignatureDoesNotMatch");
    }

    @Test
    void anythingElseThanWasSignedIsNot() {
        assertThat(check(request(SIGNATURE, "Action=DeleteUser&Version=2010-05-08"), SIGNED_AT)
                        .map(SigV4.Refusal::code))
                .contains("SignatureDoesNotMatch");
    }

    @Test
    void aRequestSignedMoreThanAQuarterOfAnHourAwayIsExpired() {
        SimRequest request = request(SIGNATURE, "Action=ListUsers&Version=2010-05-08");

        assertThat(check(request, SIGNED_AT.plus(Duration.ofMinutes(15)))).isEmpty();
        assertThat(check(request, SIGNED_AT.plus(Duration.ofMinutes(15)).plusSeconds(1))
                        .map(SigV4.Refusal::code))
                .contains("RequestExpired");
        assertThat(check(request, SIGNED_AT.minus(Duration.ofMinutes(16))).map(SigV4.Refusal::code))
                .contains("RequestExpired");
    }

    @Test
    void aRequestWithoutSignatureOrOfAnotherAccountIsRefused() {
        SimRequest unsigned = new SimRequest("POST", "/", "", Map.of(), Map.of(), new byte[0]);

        assertThat(check(unsigned, SIGNED_AT).map(SigV4.Refusal::code)).contains("MissingAuthenticationToken");
        assertThat(SigV4.check(
                                request(SIGNATURE, "Action=ListUsers&Version=2010-05-08"),
                                "iam",
                                "AKIDOTHER",
                                "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                                SIGNED_AT)
                        .map(SigV4.Refusal::code))
                .contains("AuthFailure");
    }

    private static Optional<SigV4.Refusal> check(SimRequest request, Instant wallNow) {
        return SigV4.check(request, "iam", "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", wallNow);
    }

    private static SimRequest request(String signature, String query) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("host", "iam.amazonaws.com");
        headers.put("content-type", "application/x-www-form-urlencoded; charset=utf-8");
        headers.put("x-amz-date", "20150830T123600Z");
        headers.put(
                "authorization",
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
                        + "SignedHeaders=content-type;host;x-amz-date, Signature=" + signature);
        return new SimRequest("GET", "/", query, Map.of(), headers, "".getBytes(StandardCharsets.UTF_8));
    }
}
