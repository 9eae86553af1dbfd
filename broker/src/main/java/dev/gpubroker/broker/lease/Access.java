package dev.gpubroker.broker.lease;

import dev.gpubroker.broker.allocation.LeaseAllocations.Host;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How a job reaches what it holds. Pure. */
final class Access {
    /** The broker does not log in to machines, so it has checked none. */
    private static final String UNVERIFIED = "unverified";

    /** Which variable limits a program to some of a machine's GPUs, by vendor. */
    private static final Map<String, String> VARIABLES = Map.of(
            "nvidia", "CUDA_VISIBLE_DEVICES",
            "huawei", "ASCEND_RT_VISIBLE_DEVICES",
            "hygon", "HIP_VISIBLE_DEVICES");

    /** {@code user@host:port}, of which user and port may be missing; an IPv6 address stands in brackets if a port follows. */
    private static final Pattern ADDRESS = Pattern.compile(
            "(?:(?<user>[^@\\s]+)@)?(?:\\[(?<six>[0-9A-Fa-f:.]+)]|(?<host>[^\\s:@\\[\\]]+|[0-9A-Fa-f]*:[0-9A-Fa-f:.]+?))"
                    + "(?::(?<port>[0-9]{1,5}))?");

    private final GpuCatalogue catalogue;

    Access(GpuCatalogue catalogue) {
        this.catalogue = catalogue;
    }

    /**
     * A machine with what a job needs to know of it.
     *
     * @param address null where nobody gave one
     * @param gpus indexes, ascending
     * @param env variables that limit the job to its GPUs
     * @param outage why some of them are out of order; the job is not moved
     */
    record HostJson(
            String name,
            @Nullable String address,
            @Nullable Integer port,
            @Nullable String user,
            List<Integer> gpus,
            Map<String, String> env,
            String readiness,
            @Nullable String outage) {}

    HostJson of(Host host) {
        Login login = login(host);
        String indexes = host.gpus().stream().map(String::valueOf).collect(Collectors.joining(","));
        Map<String, String> env = catalogue.variants(host.model()).stream()
                .findFirst()
                .flatMap(model -> Optional.ofNullable(VARIABLES.get(model.vendor())))
                .map(variable -> Map.of(variable, indexes))
                .orElse(Map.of());
        return new HostJson(
                host.name(), login.host, login.port, login.user, host.gpus(), env, UNVERIFIED, host.outage());
    }

    private record Login(
            @Nullable String host,
            @Nullable Integer port,
            @Nullable String user) {}

    /** What the platform said in fields of their own wins over what an address contains. */
    private static Login login(Host host) {
        String address = host.address();
        if (address == null) {
            return new Login(null, host.port(), host.user());
        }
        Matcher parts = ADDRESS.matcher(address.strip());
        if (!parts.matches()) {
            return new Login(address, host.port(), host.user());
        }
        String named = parts.group("six") == null ? parts.group("host") : parts.group("six");
        Integer port = parts.group("port") == null ? null : Integer.valueOf(parts.group("port"));
        return new Login(
                named,
                host.port() == null ? port : host.port(),
                host.user() == null ? parts.group("user") : host.user());
    }
}
