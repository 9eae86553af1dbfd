package dev.gpubroker.adapter.spi;

/** A platform whose bought window holds no machines until they are launched into it (AWS Capacity Blocks). */
public interface SupportsLaunch {
    /**
     * Launches the machines of a bought window once it is active. Safe to repeat: the launch carries the key's token, so
     * a second call finds the machines of the first.
     *
     * @return the reference for all later calls, which holds window and machines, or why not
     */
    ClaimOutcome launch(PlatformRef bought, ClaimRequest request);
}
