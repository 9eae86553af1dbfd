package dev.gpubroker.adapter.spi;

/** The tags that every machine we buy carries, on platforms that have tags. */
public final class Tags {
    /** Id of the installation that bought it: another installation never touches it. */
    public static final String INSTALLATION = "gpu-broker-installation";
    /** Text of the {@link ClaimKey}. */
    public static final String CLAIM = "gpu-broker-claim";

    private Tags() {}
}
