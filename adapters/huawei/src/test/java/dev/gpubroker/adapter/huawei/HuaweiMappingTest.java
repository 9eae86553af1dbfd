package dev.gpubroker.adapter.huawei;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HuaweiMappingTest {
    private static final ClaimKey KEY = new ClaimKey("gb-inst0001-rsv00000001-1-aaaaaa");
    private static final Instant NOW = Instant.parse("2026-11-01T02:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "Ecs.0018, SOLD_OUT",
        "Ecs.0319, SOLD_OUT",
        "Ecs.0044, SOLD_OUT",
        "Ecs.0019, NOT_OFFERED",
        "Ecs.0029, NOT_OFFERED",
        "Ecs.0707, NOT_OFFERED",
        "Ecs.0016, NOT_ELIGIBLE",
        "Ecs.0027, NOT_ELIGIBLE",
        "Ecs.0028, NOT_ELIGIBLE",
        "Ecs.0001, NO_QUOTA",
        "Ecs.0013, NO_QUOTA",
        "Ecs.0021, NO_QUOTA",
        "Ecs.0066, NOT_ELIGIBLE",
        "Ecs.0071, NOT_ELIGIBLE",
        "Ecs.0067, NO_BALANCE",
        "Ecs.0070, NO_BALANCE",
        "Ecs.0081, WINDOW_UNSUPPORTED"
    })
    void aClaimIsRefusedForTheReasonOfItsCode(String code, Reason reason) {
        assertThat(HuaweiMapping.claim(WireFault.answered(400, code, "text"), KEY))
                .isEqualTo(new ClaimOutcome.Refused(reason, code + ": text"));
    }

    @Test
    void anUnknownCodeRefusesWithoutBeingCalledSoldOut() {
        assertThat(HuaweiMapping.claim(WireFault.answered(400, "Ecs.9999", "no resources left"), KEY))
                .isEqualTo(new ClaimOutcome.Refused(Reason.REFUSED_UNKNOWN, "Ecs.9999: no resources left"));
    }

    @ParameterizedTest
    @CsvSource({
        "500, Ecs.0319", // 5xx is never definite, whatever the body says,
        "502, ''",
        "200, Ecs.9999", // nor is an unknown error body of a success,
        "404, ''", // nor a refusal without a code, which may come from a proxy.
        "500, CBC.0999",
        "400, CBC.0999"
    })
    void whatIsNotDefiniteIsUnknown(int status, String code) {
        assertThat(HuaweiMapping.claim(WireFault.answered(status, code, "text"), KEY))
                .isEqualTo(new ClaimOutcome.Unknown(KEY));
    }

    @ParameterizedTest
    @CsvSource({"400, Ecs.0122", "400, Ecs.0124", "409, ModelArts.50015000"})
    void aKeyThatWasUsedBeforeIsForTheSearchToSettle(int status, String code) {
        assertThat(HuaweiMapping.claim(WireFault.answered(status, code, "text"), KEY))
                .isEqualTo(new ClaimOutcome.Unknown(KEY));
    }

    @ParameterizedTest
    @ValueSource(strings = {"TIMED_OUT", "BROKEN", "UNREADABLE"})
    void aClaimThatWasSentAndNotAnsweredIsUnknown(WireFault.Kind kind) {
        assertThat(HuaweiMapping.claim(WireFault.of(kind, "text", null), KEY)).isEqualTo(new ClaimOutcome.Unknown(KEY));
    }

    @ParameterizedTest
    @CsvSource({
        "202, Common.0024, THROTTLED",
        "429, APIGW.0308, THROTTLED",
        "429, '', THROTTLED",
        "401, APIGW.0301, BAD_CREDENTIALS",
        "403, Pdp.0001, BAD_CREDENTIALS",
        "403, Ecs.0110, BAD_CREDENTIALS",
        "401, ModelArts.50001000, BAD_CREDENTIALS",
        "400, Ecs.0005, BAD_REQUEST",
        "400, ModelArts.50004000, BAD_REQUEST",
        "404, ModelArts.50025001, BAD_REQUEST"
    })
    void aClaimThatWasNotEvenLookedAtTookNothing(int status, String code, PlatformFault.Kind kind) {
        PlatformFault fault = catchThrowableOfType(
                PlatformFault.class, () -> HuaweiMapping.claim(WireFault.answered(status, code, "text"), KEY));

        assertThat(fault.kind()).isEqualTo(kind);
    }

    @Test
    void aClaimThatNeverLeftTookNothing() {
        PlatformFault fault = catchThrowableOfType(
                PlatformFault.class,
                () -> HuaweiMapping.claim(WireFault.of(WireFault.Kind.NOT_SENT, "refused", null), KEY));

        assertThat(fault.kind()).isEqualTo(PlatformFault.Kind.UNREACHABLE);
    }

    @ParameterizedTest
    @CsvSource({
        "400, Ecs.0018, BAD_REQUEST", "500, Ecs.0018, PLATFORM_ERROR", "202, Common.0024, THROTTLED",
        "403, CBC.0151, BAD_CREDENTIALS", "400, CBC.0999, PLATFORM_ERROR", "503, '', PLATFORM_ERROR"
    })
    void theSameCodesAreFaultsOfARead(int status, String code, PlatformFault.Kind kind) {
        assertThat(HuaweiMapping.fault(WireFault.answered(status, code, "text")).kind())
                .isEqualTo(kind);
    }

    @Test
    void aReleaseThatIsRefusedIsTriedAgainLater() {
        ReleaseProgress progress = HuaweiMapping.release(WireFault.answered(400, "Ecs.0614", "busy"), NOW);

        assertThat(progress).isInstanceOf(ReleaseProgress.Refused.class);
        assertThat(((ReleaseProgress.Refused) progress).retryAt()).isAfter(NOW);
    }

    @Test
    void onlyACodedNotFoundOfTheServiceItselfMeansAbsent() {
        assertThat(HuaweiMapping.isAbsent(WireFault.answered(404, "ModelArts.50015001", "pool not found")))
                .isTrue();
        assertThat(HuaweiMapping.isAbsent(WireFault.answered(404, "APIGW.0101", "no such API")))
                .isFalse();
        assertThat(HuaweiMapping.isAbsent(WireFault.answered(404, "", "no error body")))
                .isFalse();
    }
}
