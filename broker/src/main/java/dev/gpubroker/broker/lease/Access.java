package dev.gpubroker.broker.lease;

import dev.gpubroker.broker.access.Login;
import dev.gpubroker.broker.allocation.LeaseAllocations.Host;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How a job reaches what it holds. Pure. */
final class Access {
    /** Of machines that nobody asked. */
    private static final String UNVERIFIED = "unverified";

    /** Which variable limits a program to some of a machine's GPUs, by vendor. */
    private static final Map<String, String> VARIABLES = Map.of(
            "nvidia", "CUDA_VISIBLE_DEVICES",
            "huawei", "ASCEND_RT_VISIBLE_DEVICES",
            "hygon", "HIP_VISIBLE_DEVICES");

    private final GpuCatalogue catalogue;

    Access(GpuCatalogue catalogue) {
        this.catalogue = catalogue;
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
        String indexes = host.gpus().stream().map(String::valueOf).collect(Collectors.joining(","));
        Map<String, String> env = catalogue.variants(host.model()).stream()
                .findFirst()
                .flatMap(model -> Optional.ofNullable(VARIABLES.get(model.vendor())))
                .map(variable -> Map.of(variable, indexes))
                .orElse(Map.of());
        return new HostJson(
                host.name(),
                login.host(),
                login.port(),
                login.user(),
                login.knownHost(host.hostKey()),
                host.gpus(),
                env,
                host.readiness() == null ? UNVERIFIED : host.readiness(),
                host.outage());
    }
}
