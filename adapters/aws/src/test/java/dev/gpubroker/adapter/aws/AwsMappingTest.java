package dev.gpubroker.adapter.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimStatus.Phase;
import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.Shape;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.services.ec2.model.CapacityBlockOffering;
import software.amazon.awssdk.services.ec2.model.Instance;

final class AwsMappingTest {
    private static final ClaimKey KEY = new ClaimKey("gb-inst0001-rsv00000001-1-aaaaaa");
    private static final Shape P4D = AwsShapes.ALL.get(0);

    // ---- errors -----------------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({
        "400, InvalidCapacityBlockOfferingIdExpired, SOLD_OUT",
        "500, InsufficientInstanceCapacity, SOLD_OUT",
        "400, InstanceLimitExceeded, NO_QUOTA",
        "400, VcpuLimitExceeded, NO_QUOTA",
        "401, AuthFailure, BAD_CREDENTIALS",
        "403, SignatureDoesNotMatch, BAD_CREDENTIALS",
        "403, UnauthorizedOperation, BAD_CREDENTIALS",
        "401, OptInRequired, NOT_ELIGIBLE",
        "400, PendingVerification, NOT_ELIGIBLE",
        "400, InvalidCapacityBlockOfferingIdNotFound, REFUSED_UNKNOWN",
        "400, InvalidParameterValue, REFUSED_UNKNOWN",
        "400, SomethingNobodyHasSeen, REFUSED_UNKNOWN"
    })
    void aDefiniteRefusalOfAClaimKeepsItsReasonAndItsCode(int status, String code, Reason reason) {
        ClaimOutcome outcome = AwsErrors.outcome(AwsError.answered(status, code, "some text", null), KEY);

        assertThat(outcome).isInstanceOf(ClaimOutcome.Refused.class);
        assertThat(((ClaimOutcome.Refused) outcome).reason()).isEqualTo(reason);
        assertThat(((ClaimOutcome.Refused) outcome).detail()).contains(code, "some text");
    }

    @ParameterizedTest
    @CsvSource({
        "500, InternalError",
        "503, Unavailable",
        "503, ServiceUnavailable",
        "500, SomethingNobodyHasSeen",
        "502,",
        "503,",
        "504,",
        "404,",
        "302,"
    })
    void aClaimThatMayHaveBeenDoneIsUnknown(int status, @Nullable String code) {
        assertThat(AwsErrors.outcome(AwsError.answered(status, code, null, null), KEY))
                .isEqualTo(new ClaimOutcome.Unknown(KEY));
    }

    @ParameterizedTest
    @EnumSource(
            value = AwsError.Kind.class,
            names = {"SILENT", "BROKEN", "UNREADABLE"})
    void aClaimWithoutAReadableAnswerIsUnknown(AwsError.Kind kind) {
        assertThat(AwsErrors.outcome(AwsError.of(kind, "x", null), KEY)).isEqualTo(new ClaimOutcome.Unknown(KEY));
    }

    @Test
    void aClaimThatNeverLeftOrWasThrottledTookNothing() {
        assertThat(claimFault(AwsError.of(AwsError.Kind.NOT_SENT, "refused", null))
                        .kind())
                .isEqualTo(PlatformFault.Kind.UNREACHABLE);
        PlatformFault throttled =
                claimFault(AwsError.answered(503, "RequestLimitExceeded", null, Duration.ofSeconds(7)));
        assertThat(throttled.kind()).isEqualTo(PlatformFault.Kind.THROTTLED);
        assertThat(throttled.retryAfter()).isEqualTo(Duration.ofSeconds(7));
        assertThat(claimFault(AwsError.answered(429, null, null, null)).kind()).isEqualTo(PlatformFault.Kind.THROTTLED);
    }

    @Test
    void aLaunchIntoABlockThatIsNotYetActiveIsTriedAgain() {
        assertThat(claimFault(AwsError.answered(400, "InvalidCapacityReservationState.PendingActivation", null, null))
                        .isRetryable())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "503, RequestLimitExceeded, THROTTLED",
        "400, Throttling, THROTTLED",
        "400, CapacityBlockDescribeLimitExceeded, THROTTLED",
        "401, AuthFailure, BAD_CREDENTIALS",
        "401,, BAD_CREDENTIALS",
        "403,, BAD_CREDENTIALS",
        "403, UnauthorizedOperation, BAD_CREDENTIALS",
        "400, InvalidParameterValue, BAD_REQUEST",
        "400, RequestExpired, BAD_REQUEST",
        "500, InternalError, PLATFORM_ERROR",
        "503, Unavailable, PLATFORM_ERROR",
        "502,, PLATFORM_ERROR",
        "404,, PLATFORM_ERROR"
    })
    void aFailedReadSaysWhoseFaultItIs(int status, @Nullable String code, PlatformFault.Kind kind) {
        assertThat(AwsErrors.fault(AwsError.answered(status, code, null, null)).kind())
                .isEqualTo(kind);
    }

    @Test
    void aTerminationThatFindsNothingIsLookedAtAgainAndAProtectedMachineIsRefused() {
        Instant now = Instant.parse("2026-11-01T02:00:00Z");

        assertThat(AwsErrors.release(AwsError.answered(400, "InvalidInstanceID.NotFound", null, null), now))
                .isInstanceOf(ReleaseProgress.InProgress.class);
        ReleaseProgress refused = AwsErrors.release(AwsError.answered(400, "OperationNotPermitted", null, null), now);
        assertThat(refused).isInstanceOf(ReleaseProgress.Refused.class);
        assertThat(((ReleaseProgress.Refused) refused).retryAt()).isAfter(now);
        assertThatThrownBy(() -> AwsErrors.release(AwsError.answered(500, "InternalError", null, null), now))
                .isInstanceOf(PlatformFault.class);
    }

    @Test
    void onlyTheFirstLineOfAMessageIsKept() {
        AwsError error = AwsError.answered(
                403,
                "SignatureDoesNotMatch",
                "does not match\nThe Canonical String\nx-amz-security-token:secret",
                null);

        assertThat(error.text()).contains("does not match").doesNotContain("secret", "Canonical");
    }

    private static PlatformFault claimFault(AwsError error) {
        return catchThrowableOfType(PlatformFault.class, () -> AwsErrors.outcome(error, KEY));
    }

    // ---- states -----------------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({
        "payment-pending, PENDING",
        "pending, PENDING",
        "assessing, PENDING",
        "scheduled, SECURED",
        "delayed, SECURED",
        "active, SECURED",
        "cancelling, ENDING",
        "expired, GONE",
        "cancelled, GONE",
        "payment-failed, FAILED",
        "failed, FAILED",
        "unsupported, FAILED",
        "unavailable, FAILED",
        "brand-new, UNKNOWN",
        ", UNKNOWN"
    })
    void everyStateOfAReservationHasItsPhase(@Nullable String state, Phase phase) {
        assertThat(AwsMapping.reservationPhase(state)).isEqualTo(phase);
    }

    @ParameterizedTest
    @CsvSource({
        "pending, STARTING",
        "running, RUNNING",
        "shutting-down, ENDING",
        "stopping, ENDING",
        "stopped, ENDING",
        "terminated, GONE",
        "brand-new, UNKNOWN",
        ", UNKNOWN"
    })
    void everyStateOfAMachineHasItsPhase(@Nullable String state, Phase phase) {
        assertThat(AwsMapping.instancePhase(state)).isEqualTo(phase);
    }

    @Test
    void aMachineThatNeverCameUpSaysWhy() {
        assertThat(AwsMapping.failure(reasoned("Server.InsufficientInstanceCapacity")))
                .isEqualTo(Reason.SOLD_OUT);
        assertThat(AwsMapping.failure(reasoned("Client.UserInitiatedShutdown"))).isNull();
        assertThat(AwsMapping.failure(Instance.builder().build())).isNull();
    }

    private static Instance reasoned(String code) {
        return Instance.builder().stateReason(why -> why.code(code)).build();
    }

    // ---- offers and prices --------------------------------------------------------------------------------

    @Test
    void anOfferStatesItsWindowAndTheInstantItsMachinesAreTakenAway() {
        Offer offer = offer(offering("1770.00"));

        assertThat(offer.id()).isEqualTo("cb-0a1b2c3d4e5f60718");
        assertThat(offer.window()).isNotNull();
        assertThat(offer.usableEnd()).isEqualTo(Instant.parse("2026-12-25T11:00:00Z"));
        assertThat(offer.attributes()).containsEntry("upfrontFee", "1770.00").containsEntry("currency", "USD");
    }

    @Test
    void anOfferingWithoutDatesOrCountIsNoOffer() {
        assertThat(AwsMapping.offer(
                        P4D,
                        "us-east-2",
                        offering("1.00").toBuilder().endDate(null).build()))
                .isEmpty();
        assertThat(AwsMapping.offer(
                        P4D,
                        "us-east-2",
                        offering("1.00").toBuilder().instanceCount(null).build()))
                .isEmpty();
    }

    @Test
    void aFeeThatDividesIsShownPerInstanceHour() {
        Price.Line line =
                lines(offering("1770.00"), "Linux/UNIX", MachineSpec.standard()).get(0);

        assertThat(line.kind()).isEqualTo(LineKind.GPU);
        assertThat(line.unit()).isEqualTo("instance-hour");
        assertThat(line.quantity()).isEqualTo("120");
        assertThat(line.unitPrice()).isEqualTo(new BigDecimal("14.75"));
    }

    @Test
    void aFeeThatDoesNotDivideIsShownForTheBlock() {
        Price.Line line =
                lines(offering("1000.01"), "Linux/UNIX", MachineSpec.standard()).get(0);

        assertThat(line.unit()).isEqualTo("block");
        assertThat(line.quantity()).isEqualTo("1");
        assertThat(line.unitPrice()).isEqualTo(new BigDecimal("1000.01"));
    }

    @Test
    void aBlockOfOddMinutesIsShownForTheBlock() {
        CapacityBlockOffering odd = offering("97.10").toBuilder()
                .startDate(Instant.parse("2026-12-25T04:55:00Z"))
                .build();

        assertThat(lines(odd, "Linux/UNIX", MachineSpec.standard()).get(0).unit())
                .isEqualTo("block");
    }

    @Test
    void aMissingFeeIsALineWithoutPriceAndAnUnreadableOneIsAFault() {
        assertThat(lines(offering(null), "Linux/UNIX", MachineSpec.standard())
                        .get(0)
                        .unitPrice())
                .isNull();
        for (String fee : List.of("1,770.00", "NaN", "1e9", "USD 5", "١٢")) {
            assertThatThrownBy(() -> lines(offering(fee), "Linux/UNIX", MachineSpec.standard()))
                    .isInstanceOf(PlatformFault.class);
        }
    }

    @Test
    void aFeeOfNothingIsHandedOnAsItIs() {
        assertThat(lines(offering("0.00"), "Linux/UNIX", MachineSpec.standard())
                        .get(0)
                        .unitPrice())
                .isEqualByComparingTo("0");
    }

    @Test
    void whatIsBilledApartIsNamedWithoutPrice() {
        MachineSpec machine = new MachineSpec(null, List.of(), List.of(), null, 500, true);

        assertThat(lines(offering("1770.00"), "Red Hat Enterprise Linux", machine))
                .extracting(Price.Line::kind, Price.Line::unitPrice)
                .contains(
                        org.assertj.core.groups.Tuple.tuple(LineKind.IMAGE, null),
                        org.assertj.core.groups.Tuple.tuple(LineKind.DATA_DISK, null),
                        org.assertj.core.groups.Tuple.tuple(LineKind.PUBLIC_IP, null));
        assertThat(lines(offering("1770.00"), "Linux/UNIX", MachineSpec.standard()))
                .hasSize(1);
    }

    private static List<Price.Line> lines(CapacityBlockOffering offering, String platform, MachineSpec machine) {
        Offer offer = offer(offering);
        return AwsMapping.price(offer, java.util.Objects.requireNonNull(offer.window()), platform, machine)
                .lines();
    }

    private static Offer offer(CapacityBlockOffering offering) {
        return AwsMapping.offer(P4D, "us-east-2", offering).orElseThrow();
    }

    private static CapacityBlockOffering offering(@Nullable String fee) {
        return CapacityBlockOffering.builder()
                .capacityBlockOfferingId("cb-0a1b2c3d4e5f60718")
                .instanceType("p4d.24xlarge")
                .availabilityZone("us-east-2a")
                .instanceCount(1)
                .startDate(Instant.parse("2026-12-20T11:30:00Z"))
                .endDate(Instant.parse("2026-12-25T11:30:00Z"))
                .upfrontFee(fee)
                .currencyCode("USD")
                .build();
    }
}
