package dev.gpubroker.adapter.aws;

import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * What EC2's error codes mean, per operation. Source: EC2 API reference, error codes (read 2026-11); the three
 * {@code InvalidCapacityBlockOfferingId…} codes are listed there without a status, 400 is assumed.
 */
final class AwsErrors {
    private static final Set<String> THROTTLED = Set.of(
            "RequestLimitExceeded",
            "Throttling",
            "ThrottlingException",
            "ThrottledException",
            "RequestThrottled",
            "RequestThrottledException",
            "TooManyRequestsException",
            "SlowDown",
            "CapacityBlockDescribeLimitExceeded",
            "InstanceDescribeLimitExceeded");
    private static final Set<String> BAD_CREDENTIALS = Set.of(
            "AuthFailure",
            "InvalidClientTokenId",
            "SignatureDoesNotMatch",
            "UnrecognizedClientException",
            "MissingAuthenticationToken",
            "IncompleteSignature",
            "ExpiredToken",
            "ExpiredTokenException",
            "UnauthorizedOperation",
            "AccessDenied",
            "AccessDeniedException");
    private static final Set<String> NOT_ELIGIBLE =
            Set.of("OptInRequired", "PendingVerification", "Blocked", "AccountDisabled");
    /** Sold in between, or no machine behind it. */
    private static final Set<String> SOLD_OUT = Set.of(
            "InvalidCapacityBlockOfferingIdExpired",
            "InsufficientInstanceCapacity",
            "InsufficientCapacity",
            "InsufficientHostCapacity",
            "InsufficientCapacityOnHost",
            "ReservationCapacityExceeded",
            "UnfulfillableCapacity");

    private static final Set<String> NO_QUOTA = Set.of(
            "InstanceLimitExceeded",
            "VcpuLimitExceeded",
            "VolumeLimitExceeded",
            "ResourceCountExceeded",
            "NetworkInterfaceLimitExceeded");
    /** The block exists and its time has not come: the same launch works later. */
    private static final String NOT_ACTIVE = "InvalidCapacityReservationState.PendingActivation";

    private AwsErrors() {}

    /** A read that brought no usable answer. */
    static PlatformFault fault(AwsError error) {
        String text = error.text();
        switch (error.kind()) {
            case NOT_SENT:
            case BROKEN:
                return new PlatformFault(PlatformFault.Kind.UNREACHABLE, text, error.getCause());
            case SILENT:
                return new PlatformFault(PlatformFault.Kind.TIMED_OUT, text, error.getCause());
            case UNREADABLE:
                return new PlatformFault(PlatformFault.Kind.PLATFORM_ERROR, text, error.getCause());
            case ANSWERED:
                break;
        }
        if (isThrottled(error)) {
            return PlatformFault.throttled(text, error.retryAfter());
        }
        if (isBadCredentials(error)) {
            return new PlatformFault(PlatformFault.Kind.BAD_CREDENTIALS, text);
        }
        boolean ours =
                error.status() >= 400 && error.status() < 500 && !error.code().isEmpty();
        return new PlatformFault(ours ? PlatformFault.Kind.BAD_REQUEST : PlatformFault.Kind.PLATFORM_ERROR, text);
    }

    /**
     * A purchase or a launch that was not answered as hoped.
     *
     * @throws PlatformFault if nothing was taken and the same call may work later
     */
    static ClaimOutcome outcome(AwsError error, ClaimKey key) {
        if (error.kind() == AwsError.Kind.NOT_SENT || isThrottled(error)) {
            throw fault(error);
        }
        if (error.kind() != AwsError.Kind.ANSWERED) {
            return new ClaimOutcome.Unknown(key);
        }
        if (error.code().equals(NOT_ACTIVE)) {
            throw new PlatformFault(PlatformFault.Kind.PLATFORM_ERROR, error.text());
        }
        return refusal(error)
                .<ClaimOutcome>map(reason -> new ClaimOutcome.Refused(reason, error.text()))
                .orElseGet(() -> new ClaimOutcome.Unknown(key));
    }

    /** The reason of a definite refusal; empty where something may have been taken all the same. */
    static Optional<Reason> refusal(AwsError error) {
        String code = error.code();
        if (SOLD_OUT.contains(code)) {
            return Optional.of(Reason.SOLD_OUT); // Although AWS answers some of them with 500.
        }
        if (NO_QUOTA.contains(code)) {
            return Optional.of(Reason.NO_QUOTA);
        }
        if (NOT_ELIGIBLE.contains(code)) {
            return Optional.of(Reason.NOT_ELIGIBLE);
        }
        if (isBadCredentials(error)) {
            return Optional.of(Reason.BAD_CREDENTIALS);
        }
        boolean definite = error.status() >= 400 && error.status() < 500 && !code.isEmpty();
        return definite ? Optional.of(Reason.REFUSED_UNKNOWN) : Optional.empty();
    }

    /** A termination that was refused, to be tried again; faults of the line are thrown. */
    static ReleaseProgress release(AwsError error, Instant now) {
        String code = error.code();
        if (code.startsWith("InvalidInstanceID")) {
            return new ReleaseProgress.InProgress(error.text()); // Gone in between, or not yet to be seen: look again.
        }
        if (code.equals("OperationNotPermitted") || code.startsWith("Incorrect")) {
            return new ReleaseProgress.Refused(Reason.REFUSED_UNKNOWN, error.text(), now.plus(Duration.ofMinutes(5)));
        }
        throw fault(error);
    }

    static boolean isBadCredentials(AwsError error) {
        return BAD_CREDENTIALS.contains(error.code())
                || (error.code().isEmpty() && (error.status() == 401 || error.status() == 403));
    }

    static boolean isThrottled(AwsError error) {
        return THROTTLED.contains(error.code()) || error.status() == 429;
    }
}
