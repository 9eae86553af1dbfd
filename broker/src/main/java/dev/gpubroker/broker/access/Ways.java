package dev.gpubroker.broker.access;

import dev.gpubroker.broker.config.MachineSettings;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How it can be found out whether a machine can be used; any one will do. Pure. */
enum Ways {
    HEALTH,
    SSH,
    CALL_HOME;

    /**
     * @param settings of its account; null for own machines, of which only those are asked whose pool says so
     * @return none where there is no way
     */
    static Set<Ways> of(Machine machine, @Nullable MachineSettings settings) {
        boolean answers = machine.login().host() != null && machine.login().port() != null;
        if (settings == null) {
            return machine.isOwn() && answers ? EnumSet.of(SSH) : EnumSet.noneOf(Ways.class);
        }
        Set<Ways> ways = EnumSet.noneOf(Ways.class);
        if (machine.callsHome() && settings.readiness() != MachineSettings.Readiness.NONE) {
            ways.add(CALL_HOME);
        }
        if (settings.readiness() != MachineSettings.Readiness.AUTO) {
            return ways;
        }
        if (settings.health() != null && machine.login().host() != null) {
            ways.add(HEALTH);
        } else if (answers) {
            ways.add(SSH);
        }
        return ways;
    }
}
