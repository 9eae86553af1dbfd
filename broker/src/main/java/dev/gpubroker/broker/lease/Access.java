package dev.gpubroker.broker.lease;

import dev.gpubroker.broker.access.Login;
import dev.gpubroker.broker.allocation.LeaseAllocations.Host;
import dev.gpubroker.broker.catalogue.DeviceVariables;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How a job reaches what it holds. Pure. */
final class Access {
    /** Of machines that nobody asked. */
    private static final String UNVERIFIED = "unverified";

    private final DeviceVariables variables;

    Access(GpuCatalogue catalogue) {
        this.variables = new DeviceVariables(catalogue);
    }

    /**
     * A machine with what a job needs to know of it.
     *
     * @param address null where nobody gave one
     * @param hostKey a line of {@code known_hosts}; null where the machine showed no key, or was not asked
     * @param gpus indexes, ascending
     * @param env variables that limit the job to its GPUs
     * @param outage why some of them are out of order; the job is not moved
     */
    record HostJson(
            String name,
            @Nullable String address,
            @Nullable Integer port,
            @Nullable String user,
            @Nullable String hostKey,
            List<Integer> gpus,
            Map<String, String> env,
            String readiness,
            @Nullable String outage) {}

    HostJson of(Host host) {
        Login login = host.port() == null && host.user() == null
                ? Login.written(host.address())
                : Login.stated(host.address(), host.port(), host.user());
        return new HostJson(
                host.name(),
                login.host(),
                login.port(),
                login.user(),
                login.knownHost(host.hostKey()),
                host.gpus(),
                variables.of(host.model(), host.gpus()),
                host.readiness() == null ? UNVERIFIED : host.readiness(),
                host.outage());
    }
}
