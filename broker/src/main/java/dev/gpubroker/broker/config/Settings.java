package dev.gpubroker.broker.config;

import dev.gpubroker.broker.net.OutboundRules;
import java.net.URI;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that whoever runs the broker decides.
 *
 * @param port where the broker listens; 0 takes a free one
 * @param bind the address it listens on
 * @param publicUrl how others reach it, without a slash at the end
 * @param database an external server; null runs an embedded one under {@code data}
 * @param data the folder of everything the broker writes
 * @param adminToken null lets the first start make one, see {@link AdminToken}
 * @param timeZone of people who name none; never the machine's own
 * @param demoClock whether business time may be moved
 * @param accountsLeft ids of accounts that are not among them any more although they may hold machines
 * @param secretKey what secrets in the database are sealed with; null lets the first start make one
 * @param otherSecretKey opens too; what it sealed is sealed anew with {@code secretKey} at the start
 * @param webhooks where webhooks and triggers may go
 * @param machineLogin how the broker logs in to machines; null: it does not
 * @param file where these were read from; null when there is no file
 */
public record Settings(
        int port,
        String bind,
        URI publicUrl,
        @Nullable DatabaseUrl database,
        Path data,
        @Nullable Secret adminToken,
        ZoneId timeZone,
        Simulators simulators,
        boolean demoClock,
        List<Account> accounts,
        List<String> accountsLeft,
        Notifications notifications,
        Policy policy,
        @Nullable Secret secretKey,
        @Nullable Secret otherSecretKey,
        OutboundRules webhooks,
        @Nullable MachineLogin machineLogin,
        @Nullable Path file) {
    public Settings {
        accounts = List.copyOf(accounts);
        accountsLeft = List.copyOf(accountsLeft);
    }

    /**
     * Reads the settings file and the environment; the latter wins.
     *
     * @param config the file named on the command line, or null
     * @throws StartException naming the setting, its value (never a secret) and what to write
     */
    public static Settings load(@Nullable Path config, Map<String, String> environment) {
        return new SettingsLoader(environment).load(config);
    }
}
