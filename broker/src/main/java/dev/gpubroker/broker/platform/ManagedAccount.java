package dev.gpubroker.broker.platform;

import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.broker.config.MachineSettings;
import java.time.Duration;
import java.util.List;

/**
 * An account with the adapter that acts for it.
 *
 * @param capabilities as the adapter stated them when it was made
 * @param queryTimeout longest wait of the adapter for one read
 * @param machines what the settings say of its machines
 */
record ManagedAccount(
        String id,
        String platform,
        List<String> regions,
        boolean simulated,
        PlatformAdapter adapter,
        Capabilities capabilities,
        Duration queryTimeout,
        MachineSettings machines) {
    ManagedAccount(
            String id,
            String platform,
            List<String> regions,
            boolean simulated,
            PlatformAdapter adapter,
            Capabilities capabilities,
            Duration queryTimeout) {
        this(id, platform, regions, simulated, adapter, capabilities, queryTimeout, MachineSettings.NONE);
    }

    ManagedAccount {
        regions = List.copyOf(regions);
    }
}
