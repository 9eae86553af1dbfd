package dev.gpubroker.adapter.huawei;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * What Huawei's codes mean, operation by operation. ECS codes: API reference page ecs_07_0002; ModelArts codes: examples of its API
 * reference; BSS codes: customer API reference, all as of 2026-11-30. The references warn that code and HTTP status need not fit.
 */
final class HuaweiMapping {
    /** Refusals that say for certain that nothing was taken, and why. */
    private static final Map<String, Reason> REFUSALS = Map.ofEntries(
            Map.entry("Ecs.0018", Reason.SOLD_OUT),
            Map.entry("Ecs.0319", Reason.SOLD_OUT),
            Map.entry("Ecs.0044", Reason.SOLD_OUT), // The disk's type.
            Map.entry("Ecs.0019", Reason.NOT_OFFERED), // Also said of a zone that does not exist.
            Map.entry("Ecs.0029", Reason.NOT_OFFERED),
            Map.entry("Ecs.0707", Reason.NOT_OFFERED),
            Map.entry("Ecs.0016", Reason.NOT_ELIGIBLE), // Open test, to be applied for.
            Map.entry("Ecs.0027", Reason.NOT_ELIGIBLE),
            Map.entry("Ecs.0028", Reason.NOT_ELIGIBLE),
            Map.entry("Ecs.0001", Reason.NO_QUOTA),
            Map.entry("Ecs.0013", Reason.NO_QUOTA),
            Map.entry("Ecs.0021", Reason.NO_QUOTA),
            Map.entry("Ecs.0022", Reason.NO_QUOTA),
            Map.entry("Ecs.0003", Reason.NOT_ELIGIBLE), // The account is restricted,
            Map.entry("Ecs.0066", Reason.NOT_ELIGIBLE), // has no real name,
            Map.entry("Ecs.0071", Reason.NOT_ELIGIBLE), // is suspended,
            Map.entry("Ecs.0030", Reason.NOT_ELIGIBLE), // is frozen.
            Map.entry("Ecs.0067", Reason.NO_BALANCE),
            Map.entry("Ecs.0069", Reason.NO_BALANCE),
            Map.entry("Ecs.0070", Reason.NO_BALANCE),
            Map.entry("Ecs.0081", Reason.WINDOW_UNSUPPORTED));

    /** Signature, or a right that the key lacks. */
    private static final Set<String> CREDENTIALS =
            Set.of("APIGW.0301", "APIGW.0302", "ModelArts.50001000", "Pdp.0001", "Ecs.0110", "CBC.0151");

    private static final Set<String> THROTTLES = Set.of("APIGW.0308", "Common.0024");

    /** Our own request was wrong. */
    private static final Set<String> BAD_REQUESTS =
            Set.of("Ecs.0005", "Ecs.0123", "CBC.0100", "ModelArts.50004000", "ModelArts.50025001");

    /**
     * Says that the key was used before (token with other parameters, token expired, name taken), or nothing at all. What became of
     * the first use is for {@code find} to tell.
     */
    private static final Set<String> UNKNOWN = Set.of("Ecs.0122", "Ecs.0124", "ModelArts.50015000", "CBC.0999");

    private static final Duration RELEASE_AGAIN = Duration.ofMinutes(2);

    /** Why a code refuses; {@link Reason#REFUSED_UNKNOWN} for codes we do not know, never sold out. */
    static Reason reason(String code) {
        return REFUSALS.getOrDefault(
                code, CREDENTIALS.contains(code) ? Reason.BAD_CREDENTIALS : Reason.REFUSED_UNKNOWN);
    }

    /** @throws PlatformFault if for certain nothing was taken and the answer is no refusal */
    static ClaimOutcome claim(WireFault fault, ClaimKey key) {
        switch (fault.kind()) {
            case NOT_SENT:
                throw fault(fault);
            case TIMED_OUT:
            case BROKEN:
            case UNREADABLE:
                return new ClaimOutcome.Unknown(key);
            case ANSWERED:
                break;
        }
        if (fault.status() >= 500 || UNKNOWN.contains(fault.code())) {
            return new ClaimOutcome.Unknown(key);
        }
        if (REFUSALS.containsKey(fault.code())) {
            return new ClaimOutcome.Refused(reason(fault.code()), fault.words());
        }
        if (isThrottle(fault) || isCredentials(fault) || BAD_REQUESTS.contains(fault.code())) {
            throw fault(fault);
        }
        boolean definite = fault.status() >= 400 && !fault.code().isEmpty();
        return definite
                ? new ClaimOutcome.Refused(Reason.REFUSED_UNKNOWN, fault.words())
                : new ClaimOutcome.Unknown(key);
    }

    /** What a failed call means where it took nothing. */
    static PlatformFault fault(WireFault fault) {
        PlatformFault.Kind kind = switch (fault.kind()) {
            case NOT_SENT, BROKEN -> PlatformFault.Kind.UNREACHABLE;
            case TIMED_OUT -> PlatformFault.Kind.TIMED_OUT;
            case UNREADABLE -> PlatformFault.Kind.PLATFORM_ERROR;
            case ANSWERED -> answered(fault);
        };
        return kind == PlatformFault.Kind.THROTTLED
                ? PlatformFault.throttled(fault.words(), null)
                : new PlatformFault(kind, fault.words(), fault);
    }

    private static PlatformFault.Kind answered(WireFault fault) {
        if (isThrottle(fault)) {
            return PlatformFault.Kind.THROTTLED;
        }
        if (isCredentials(fault)) {
            return PlatformFault.Kind.BAD_CREDENTIALS;
        }
        boolean theirs =
                fault.status() >= 500 || fault.status() < 400 || fault.code().equals("CBC.0999");
        return theirs ? PlatformFault.Kind.PLATFORM_ERROR : PlatformFault.Kind.BAD_REQUEST;
    }

    /** @throws PlatformFault where asking again at once, or other credentials, may help */
    static ReleaseProgress release(WireFault fault, Instant now) {
        PlatformFault meaning = fault(fault);
        if (meaning.kind() != PlatformFault.Kind.BAD_REQUEST) {
            throw meaning;
        }
        return new ReleaseProgress.Refused(reason(fault.code()), fault.words(), now.plus(RELEASE_AGAIN));
    }

    /** Whether the platform says that the thing asked for does not exist: a 404 with a code, not one of some proxy. */
    static boolean isAbsent(WireFault fault) {
        return fault.kind() == WireFault.Kind.ANSWERED
                && fault.status() == 404
                && !fault.code().isEmpty()
                && !fault.code().startsWith("APIGW.");
    }

    private static boolean isThrottle(WireFault fault) {
        return fault.status() == 429 || THROTTLES.contains(fault.code());
    }

    private static boolean isCredentials(WireFault fault) {
        return fault.status() == 401 || fault.status() == 403 || CREDENTIALS.contains(fault.code());
    }

    private HuaweiMapping() {}
}
