package dev.gpubroker.broker.net;

/** An address that must not be called. The message is for its owner and tells nothing of the network behind a name. */
public final class RefusedAddress extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String whyZh;

    RefusedAddress(String why, String whyZh) {
        super(why, null, false, false);
        this.whyZh = whyZh;
    }

    /** The message in Chinese. */
    public String whyZh() {
        return whyZh;
    }
}
