package dev.gpubroker.broker.database;

import dev.gpubroker.broker.config.Account;
import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.config.StartException;
import java.util.List;
import java.util.Locale;

/** Whether an installation deals with simulated platforms or with real money; decided once, at its first start. */
public enum Stamp {
    SIMULATED,
    REAL;

    /**
     * What these settings ask for.
     *
     * @throws StartException where simulators or the demo clock stand beside a real account: moving the clock or playing
     *     with faults must never touch money
     */
    public static Stamp of(Settings settings) {
        boolean simulated = settings.simulators().present() || settings.demoClock();
        if (!simulated) {
            if (settings.webhooks().allowsLoopback()) {
                throw new StartException(
                        "Setting 'webhooks.allowNetworks' has this machine itself, which is for simulated"
                                + " installations only: whoever may make a webhook could call the broker's own database. Take it out.");
            }
            return REAL;
        }
        List<String> real = settings.accounts().stream()
                .filter(Account::isReal)
                .map(Account::id)
                .toList();
        if (!real.isEmpty()) {
            String playful = settings.simulators().present() ? "Simulators are" : "The demo clock is";
            throw new StartException(
                    playful + " set (GPU_BROKER_SIMULATORS, GPU_BROKER_DEMO_CLOCK) beside real accounts ("
                            + String.join(", ", real)
                            + "). Unset them, or take the accounts out and use a data folder of its own.");
        }
        return SIMULATED;
    }

    /** As it is stored. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
