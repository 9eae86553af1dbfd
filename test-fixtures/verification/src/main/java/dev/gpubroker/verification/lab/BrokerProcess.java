package dev.gpubroker.verification.lab;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A broker as a process of its own ({@code gpu-broker serve}), on a database that others may share. */
public final class BrokerProcess extends ServerProcess {
    /** The admin token of every broker of a lab. */
    public static final String TOKEN = "lab-token-0123456789abcdef0123456789";

    private final String name;
    private final URI url;

    private BrokerProcess(String name, URI url, Launcher launcher, Map<String, String> environment, Path folder) {
        super(launcher, List.of("serve"), environment, folder.resolve(name + ".log"), url.resolve("/readyz"));
        this.name = name;
        this.url = url;
    }

    /**
     * A broker that is not started yet.
     *
     * @param port it takes this one only: simulators are in a process of their own
     * @param folder holds its log, {@code <name>.log}, and its data
     * @param more settings beside those of the lab, or instead of them
     */
    public static BrokerProcess of(
            String name,
            int port,
            Launcher launcher,
            PostgresServer database,
            URI simulators,
            Path folder,
            Map<String, String> more) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "GPU_BROKER_PORT",
                Integer.toString(port),
                "GPU_BROKER_DATABASE_URL",
                database.brokerUrl(),
                "GPU_BROKER_DATA",
                folder.resolve(name).toString(),
                "GPU_BROKER_SIMULATORS",
                simulators.toString(),
                "GPU_BROKER_DEMO_CLOCK",
                "true",
                "GPU_BROKER_TIME_ZONE",
                "Asia/Shanghai",
                "GPU_BROKER_ADMIN_TOKEN",
                TOKEN,
                "GPU_BROKER_JAVA_OPTS",
                "-Xmx256m"));
        environment.putAll(more);
        return new BrokerProcess(name, URI.create("http://127.0.0.1:" + port), launcher, environment, folder);
    }

    public String name() {
        return name;
    }

    public URI url() {
        return url;
    }

    /** @param patience after which a call counts as lost */
    public Api api(Duration patience) {
        return new Api(url, TOKEN, patience);
    }

    @Override
    public String toString() {
        return "broker " + name;
    }
}
