package dev.gpubroker.broker.claim;

import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.broker.platform.PlatformBusy;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why machines of a bought window did not start, and whether waiting may help. Pure.
 *
 * @param word names the cause where the text may differ each time
 * @param said by the platform, or by us
 * @param ownFault a fault of our own code, for the log
 */
record Launch(
        String word,
        boolean passes,
        @Nullable Reason reason,
        String said,
        @Nullable Throwable ownFault) {
    static Launch failed(Throwable fault) {
        String said = String.valueOf(fault.getMessage());
        if (fault instanceof PlatformFault theirs) {
            boolean passes = theirs.kind() != PlatformFault.Kind.BAD_REQUEST
                    && theirs.kind() != PlatformFault.Kind.BAD_CREDENTIALS;
            return new Launch(theirs.kind().name().toLowerCase(Locale.ROOT), passes, theirs.reason(), said, null);
        }
        return fault instanceof PlatformBusy
                ? new Launch("busy", true, Reason.PLATFORM_UNAVAILABLE, said, null)
                : new Launch("broker", false, null, fault.getClass().getSimpleName() + ": " + said, fault);
    }

    /** @param outcome anything but that they were launched */
    static Launch answered(ClaimOutcome outcome) {
        return outcome instanceof ClaimOutcome.Refused refused
                ? new Launch(refused.reason().wireName(), false, refused.reason(), refused.detail(), null)
                : new Launch("no_answer", true, null, "no readable answer", null);
    }

    /** Begins with the cause, so that the same one is known again. */
    String detail() {
        return begin() + said;
    }

    private String begin() {
        return "not launched (" + word + "): ";
    }

    /** @param before what is written of the claim */
    boolean isTold(@Nullable String before) {
        return before != null && before.startsWith(begin());
    }
}
