package dev.gpubroker.adapter.aliyun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AliyunErrorsTest {
    private static final ClaimKey KEY = new ClaimKey("gb-inst0001-rsv00000001-1-aaaaaa");
    private static final Instant NOW = Instant.parse("2026-11-01T02:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "403, OperationDenied.NoStock, SOLD_OUT",
        "400, Invalid.PrivatePoolOptions.NoStock, SOLD_OUT",
        "400, LackResource, SOLD_OUT",
        "400, ResourceNotAvailable, SOLD_OUT",
        "403, Zone.NotOnSale, NOT_OFFERED",
        "403, Zone.NotOpen, NOT_OFFERED",
        "403, InvalidInstanceType.ZoneNotSupported, NOT_OFFERED",
        "403, InvalidInstanceType.NotSupported, NOT_OFFERED",
        "400, InvalidInstanceType.ValueNotSupported, NOT_OFFERED",
        "403, InstanceType.Offline, NOT_OFFERED",
        "403, QuotaExceed.ElasticQuota, NO_QUOTA",
        "403, QuotaExceed.PostPaidDisk, NO_QUOTA",
        "400, QuotaExceed.AfterpayInstance, NO_QUOTA",
        "400, QuotaExceeded, NO_QUOTA",
        "400, QuotaExceeded.PrivateIpAddress, NO_QUOTA",
        "403, QuotaExceed.DiskCapacity, NO_QUOTA",
        "403, InvalidAccountStatus.NotEnoughBalance, NO_BALANCE",
        "403, InsufficientBalance, NO_BALANCE",
        "403, InvalidPayMethod, NO_BALANCE",
        "400, Account.Arrearage, NO_BALANCE",
        "403, Forbidden.RAM, NOT_ELIGIBLE",
        "403, Forbidden.SubUser, NOT_ELIGIBLE",
        "403, Forbidden.RiskControl, NOT_ELIGIBLE",
        "403, RegionUnauthorized, NOT_ELIGIBLE",
        "400, InvalidInstanceType.ValueUnauthorized, NOT_ELIGIBLE",
        "403, InvalidOperation.NotInWhiteList, NOT_ELIGIBLE",
        "403, RealNameAuthenticationError, NOT_ELIGIBLE",
        "404, InvalidImageId.NotFound, REFUSED_UNKNOWN",
        "400, InvalidParameter.Conflict, REFUSED_UNKNOWN",
        "403, OperationDenied.ImageNotValid, REFUSED_UNKNOWN",
        "418, SomethingNew, REFUSED_UNKNOWN",
    })
    void aRefusedClaimSaysWhy(int status, String code, Reason reason) {
        assertThat(claimed(status, code, "some text"))
                .isEqualTo(new ClaimOutcome.Refused(reason, code + ": some text"));
    }

    @ParameterizedTest
    @CsvSource({
        "The resource is out of stock, SOLD_OUT",
        "The specified type is sold out in this zone., SOLD_OUT",
        "库存不足, SOLD_OUT",
        "If the network segment of the vswitch is the same as that of its VPC, REFUSED_UNKNOWN",
        "The image does not support this operation, REFUSED_UNKNOWN",
    })
    void aBareOperationDeniedMeansStockOnlyIfItsTextSaysSo(String message, Reason reason) {
        ClaimOutcome outcome = claimed(403, "OperationDenied", message);

        assertThat(((ClaimOutcome.Refused) outcome).reason()).isEqualTo(reason);
    }

    @ParameterizedTest
    @CsvSource({
        "500, InternalError",
        "503, ServiceUnavailable",
        "502, OperationDenied.NoStock",
        "403, LastTokenProcessing",
        "400, IdempotentParameterMismatch",
        "403, InvalidIdempotenceParameter.Mismatch",
        "400, SignatureNonceUsed",
        "408, RequestTimeout",
    })
    void aClaimThatMayHaveRunIsUnknown(int status, String code) {
        assertThat(claimed(status, code, "")).isEqualTo(new ClaimOutcome.Unknown(KEY));
    }

    @Test
    void aClaimWithoutAReadableReplyIsUnknown() {
        assertThat(AliyunErrors.claimFailed(KEY, new Answer.Lost("HTTP 502", false)))
                .isEqualTo(new ClaimOutcome.Unknown(KEY));
        assertThat(AliyunErrors.claimFailed(KEY, new Answer.Lost("timeout", true)))
                .isEqualTo(new ClaimOutcome.Unknown(KEY));
    }

    @Test
    void aClaimThatNeverLeftIsAFaultAndNotUnknown() {
        assertThat(claimFault(new Answer.NotSent("refused")).kind()).isEqualTo(PlatformFault.Kind.UNREACHABLE);
    }

    @ParameterizedTest
    @CsvSource({
        "400, Throttling, THROTTLED",
        "400, Throttling.User, THROTTLED",
        "400, Throttling.Api, THROTTLED",
        "429, TooManyRequests, THROTTLED",
        "400, SignatureDoesNotMatch, BAD_CREDENTIALS",
        "400, IncompleteSignature, BAD_CREDENTIALS",
        "404, InvalidAccessKeyId.NotFound, BAD_CREDENTIALS",
        "400, InvalidTimeStamp.Expired, BAD_CREDENTIALS",
        "403, Forbidden.AccessKeyDisabled, BAD_CREDENTIALS",
    })
    void whatWasTurnedAwayAtTheDoorIsAFaultOnAClaimAndOnARead(int status, String code, PlatformFault.Kind kind) {
        Answer answer = new Answer.Refusal(status, code, "text", null);

        assertThat(claimFault(answer).kind()).isEqualTo(kind);
        assertThat(AliyunErrors.fault("DescribePrice", answer).kind()).isEqualTo(kind);
    }

    @ParameterizedTest
    @CsvSource({
        "500, InternalError, PLATFORM_ERROR",
        "503, ServiceUnavailable, PLATFORM_ERROR",
        "400, SignatureNonceUsed, PLATFORM_ERROR",
        "403, Forbidden.RAM, BAD_CREDENTIALS",
        "400, PriceNotFound, BAD_REQUEST",
        "403, OperationDenied.NoStock, BAD_REQUEST",
    })
    void theSameCodesAreFaultsOnARead(int status, String code, PlatformFault.Kind kind) {
        assertThat(AliyunErrors.fault("DescribePrice", new Answer.Refusal(status, code, "", null))
                        .kind())
                .isEqualTo(kind);
    }

    @Test
    void aFaultKeepsTheWaitThatThePlatformAsksFor() {
        Answer answer = new Answer.Refusal(400, "Throttling", "", Duration.ofSeconds(7));

        assertThat(AliyunErrors.fault("DescribePrice", answer).retryAfter()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void aBadSignatureIsNamedWithoutTheTextThatRepeatsTheRequest() {
        Answer answer = new Answer.Refusal(400, "SignatureDoesNotMatch", "server string to sign is: UserData=…", null);

        assertThat(AliyunErrors.fault("RunInstances", answer)).hasMessage("RunInstances: SignatureDoesNotMatch");
    }

    @ParameterizedTest
    @CsvSource({
        "403, IncorrectInstanceStatus.Initializing, REFUSED_UNKNOWN, PT15S",
        "403, IncorrectInstanceStatus, REFUSED_UNKNOWN, PT15S",
        "400, DependencyViolation.SLBConfiguring, REFUSED_UNKNOWN, PT1M",
        "403, InvalidOperation.DeletionProtection, NOT_ALLOWED_BY_POLICY, PT15M",
        "403, ChargeTypeViolation, NOT_ALLOWED_BY_POLICY, PT15M",
        "403, Forbidden.RAM, NOT_ELIGIBLE, PT15M",
        "403, InstanceLockedForSecurity, REFUSED_UNKNOWN, PT5M",
    })
    void aRefusedReleaseSaysWhenToTryAgain(int status, String code, Reason reason, Duration wait) {
        assertThat(AliyunErrors.releaseRefused(new Answer.Refusal(status, code, "", null), NOW))
                .isEqualTo(new ReleaseProgress.Refused(reason, code, NOW.plus(wait)));
    }

    private static ClaimOutcome claimed(int status, String code, String message) {
        return AliyunErrors.claimFailed(KEY, new Answer.Refusal(status, code, message, null));
    }

    private static PlatformFault claimFault(Answer answer) {
        PlatformFault fault = catchThrowableOfType(PlatformFault.class, () -> AliyunErrors.claimFailed(KEY, answer));
        assertThat(fault).isNotNull();
        return fault;
    }
}
