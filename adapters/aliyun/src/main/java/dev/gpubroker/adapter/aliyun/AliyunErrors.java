package dev.gpubroker.adapter.aliyun;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads error codes, per operation. Codes and their groups: {@code RunInstances}, {@code DeleteInstance} and
 * {@code DescribeInstances} in the ECS API reference as of July 2021 and the platform's page of November 2026. A code is
 * looked up whole, then by its part before the first dot.
 */
final class AliyunErrors {
    static final String DRY_RUN_PASSED = "DryRunOperation";
    static final String INSTANCE_NOT_FOUND = "InvalidInstanceId.NotFound";

    /** Signature, clock and key: the platform did not even look at the request. */
    private static final Set<String> CREDENTIALS = Set.of(
            "IncompleteSignature",
            "SignatureDoesNotMatch",
            "IllegalTimestamp",
            "InvalidTimeStamp",
            "InvalidAccessKeyId",
            "InvalidSecurityToken", // Temporary credentials; unverified.
            "Forbidden.AccessKeyDisabled");

    /** The signature was right and the account, user or role may not do it. */
    private static final Set<String> PERMISSION = Set.of(
            "Forbidden",
            "Forbbiden", // As the platform spells one of them.
            "RegionUnauthorized",
            "NotAuthorized", // Billing; unverified.
            "InvalidInstanceType.ValueUnauthorized",
            "InvalidSystemDiskCategory.ValueUnauthorized",
            "InvalidOperation.NotInWhiteList",
            "UserNotInTheWhiteList",
            "RealNameAuthenticationError",
            "SecurityRisk");

    /**
     * The first use of the token is still running, or was made with other parameters: something of this key may exist. A
     * used nonce means that something below us sent the request twice, and the first copy may have been carried out.
     */
    private static final Set<String> MAY_HAVE_RUN = Set.of(
            "LastTokenProcessing",
            "OperationFailed.LastTokenProcessing",
            "IdempotentParameterMismatch",
            "InvalidIdempotenceParameter",
            "SignatureNonceUsed");

    private static final Map<Reason, Set<String>> REFUSALS = Map.of(
            Reason.SOLD_OUT,
                    Set.of(
                            "OperationDenied.NoStock",
                            "Invalid.PrivatePoolOptions.NoStock",
                            "LackResource",
                            "ResourceNotAvailable"),
            Reason.NOT_OFFERED,
                    Set.of(
                            "Zone.NotOnSale",
                            "Zone.NotOpen",
                            "InvalidInstanceType.ZoneNotSupported",
                            "InvalidInstanceType.NotSupported",
                            "InvalidInstanceType.ValueNotSupported",
                            "OperationDenied.ZoneNotAllowed",
                            "InstanceType.Offline"),
            Reason.NO_QUOTA, Set.of("QuotaExceed", "QuotaExceeded", "OperationDenied.QuotaExceed"),
            Reason.NO_BALANCE,
                    Set.of(
                            "InvalidAccountStatus.NotEnoughBalance",
                            "InsufficientBalance",
                            "InvalidPayMethod",
                            "PaymentMethodNotFound",
                            "Account.Arrearage"),
            Reason.NOT_ELIGIBLE, PERMISSION);

    /** What a bare {@code OperationDenied} says when it means stock. */
    private static final Pattern STOCK =
            Pattern.compile("sold out|no stock|out of stock|understock|insufficient (stock|inventory)|库存|售罄");

    private AliyunErrors() {}

    /** A claim that got no success: unknown, refused, or a fault where nothing was taken. */
    static ClaimOutcome claimFailed(ClaimKey key, Answer answer) {
        if (answer instanceof Answer.NotSent) {
            throw fault("RunInstances", answer);
        }
        if (!(answer instanceof Answer.Refusal refusal) || mayHaveRun(refusal)) {
            return new ClaimOutcome.Unknown(key);
        }
        if (isThrottled(refusal) || is(refusal, CREDENTIALS)) {
            throw fault("RunInstances", answer);
        }
        return new ClaimOutcome.Refused(reason(refusal), refusal.text());
    }

    private static boolean mayHaveRun(Answer.Refusal refusal) {
        return refusal.status() >= 500 || refusal.status() == 408 || is(refusal, MAY_HAVE_RUN);
    }

    /** Why a claim was refused; {@link Reason#REFUSED_UNKNOWN} for codes that we do not know. */
    static Reason reason(Answer.Refusal refusal) {
        for (Map.Entry<Reason, Set<String>> group : REFUSALS.entrySet()) {
            if (is(refusal, group.getValue())) {
                return group.getKey();
            }
        }
        // The bare code covers both missing stock and a wrong configuration; only its text tells.
        boolean saysStock = refusal.code().equals("OperationDenied")
                && STOCK.matcher(refusal.message().toLowerCase(java.util.Locale.ROOT))
                        .find();
        return saysStock ? Reason.SOLD_OUT : Reason.REFUSED_UNKNOWN;
    }

    /** A read, or a release, that got no success. */
    static PlatformFault fault(String action, Answer answer) {
        if (answer instanceof Answer.NotSent notSent) {
            return new PlatformFault(PlatformFault.Kind.UNREACHABLE, action + ": " + notSent.why());
        }
        if (answer instanceof Answer.Lost lost) {
            PlatformFault.Kind kind =
                    lost.timedOut() ? PlatformFault.Kind.TIMED_OUT : PlatformFault.Kind.PLATFORM_ERROR;
            return new PlatformFault(kind, action + ": " + lost.why());
        }
        if (!(answer instanceof Answer.Refusal refusal)) {
            return new PlatformFault(PlatformFault.Kind.PLATFORM_ERROR, action + ": an answer of an unknown shape");
        }
        if (isThrottled(refusal)) {
            return PlatformFault.throttled(action + ": " + refusal.text(), refusal.retryAfter());
        }
        if (is(refusal, CREDENTIALS)) { // Without the text, which repeats the signed request.
            return new PlatformFault(PlatformFault.Kind.BAD_CREDENTIALS, action + ": " + refusal.code());
        }
        return new PlatformFault(kind(refusal), action + ": " + refusal.text());
    }

    private static PlatformFault.Kind kind(Answer.Refusal refusal) {
        if (isPermission(refusal)) {
            return PlatformFault.Kind.BAD_CREDENTIALS;
        }
        // 408 and a used nonce are no fault of the request: the same read may be sent again.
        boolean again = refusal.status() >= 500
                || refusal.status() == 408
                || refusal.code().equals("SignatureNonceUsed");
        return again ? PlatformFault.Kind.PLATFORM_ERROR : PlatformFault.Kind.BAD_REQUEST;
    }

    /**
     * A release that the platform refused, other than for an unknown id. The waits are ours: seconds while a machine is
     * still being set up, longer where a person has to act.
     */
    static ReleaseProgress releaseRefused(Answer.Refusal refusal, Instant now) {
        record Wait(Reason reason, Duration until) {}
        List<Map.Entry<Set<String>, Wait>> waits = List.of(
                Map.entry(Set.of("IncorrectInstanceStatus"), new Wait(Reason.REFUSED_UNKNOWN, Duration.ofSeconds(15))),
                Map.entry(Set.of("DependencyViolation"), new Wait(Reason.REFUSED_UNKNOWN, Duration.ofMinutes(1))),
                Map.entry(
                        Set.of("InvalidOperation.DeletionProtection", "ChargeTypeViolation"),
                        new Wait(Reason.NOT_ALLOWED_BY_POLICY, Duration.ofMinutes(15))),
                Map.entry(PERMISSION, new Wait(Reason.NOT_ELIGIBLE, Duration.ofMinutes(15))));
        Wait wait = waits.stream()
                .filter(entry -> is(refusal, entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(new Wait(Reason.REFUSED_UNKNOWN, Duration.ofMinutes(5)));
        return new ReleaseProgress.Refused(wait.reason(), refusal.text(), now.plus(wait.until()));
    }

    /** Whether a release was refused by the machine's state, rather than not answered or not allowed in. */
    static boolean isDefinite(Answer.Refusal refusal) {
        return refusal.status() < 500
                && refusal.status() != 408
                && !isThrottled(refusal)
                && !is(refusal, CREDENTIALS)
                && !is(refusal, MAY_HAVE_RUN);
    }

    static boolean isPermission(Answer.Refusal refusal) {
        return is(refusal, PERMISSION);
    }

    /** ECS throttles with 400; other products with 429. */
    private static boolean isThrottled(Answer.Refusal refusal) {
        return refusal.status() == 429 || is(refusal, Set.of("Throttling"));
    }

    private static boolean is(Answer.Refusal refusal, Set<String> codes) {
        String code = refusal.code();
        int dot = code.indexOf('.');
        return codes.contains(code) || (dot > 0 && codes.contains(code.substring(0, dot)));
    }
}
