package dev.gpubroker.broker.net;

/** A call that got no answer. */
public final class CallFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean maybeArrived;

    CallFault(String why, boolean maybeArrived) {
        super(why, null, false, false);
        this.maybeArrived = maybeArrived;
    }

    /** Whether the request had left: it may have taken effect. */
    public boolean maybeArrived() {
        return maybeArrived;
    }
}
