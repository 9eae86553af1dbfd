package dev.gpubroker.broker.net;

/** An address that must not be called. The message is for its owner and tells nothing of the network behind a name. */
public final class RefusedAddress extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RefusedAddress(String why) {
        super(why, null, false, false);
    }
}
