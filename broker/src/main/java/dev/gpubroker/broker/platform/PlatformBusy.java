package dev.gpubroker.broker.platform;

/** Nothing was sent: the lane is full, the breaker open, or the account's rate used up. */
public final class PlatformBusy extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public PlatformBusy(String message) {
        super(message, null, false, false);
    }
}
