package dev.gpubroker.verification.simulation;

import dev.gpubroker.broker.BrokerMain;
import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.verification.lab.Api;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;

/**
 * One whole broker in this process, with a database role of its own. It is killed by taking that role away: from that
 * instant it can write nothing and learn nothing, whatever it has in hand, as after kill -9.
 */
final class LiveBroker {
    private static final String TOKEN = "simulation-token-0123456789abcdef";
    /** The same for all brokers of one database. */
    private static final String SECRET_KEY = Base64.getEncoder().encodeToString(new byte[32]);
    /** A walk through weeks on a busy machine takes its time. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    /** What is left of the killed is cleared away beside the simulation. */
    private static final ExecutorService UNDERTAKER = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "undertaker");
        thread.setDaemon(true);
        return thread;
    });

    private final Server server;
    private final String role;
    private final BrokerMain broker;
    private final Api api;

    private LiveBroker(Server server, String role, BrokerMain broker) {
        this.server = server;
        this.role = role;
        this.broker = broker;
        this.api = new Api(URI.create("http://127.0.0.1:" + broker.port()), TOKEN, PATIENCE);
    }

    static LiveBroker start(Server server, String database, String role, URI simulators, Path data, String timeZone) {
        try (Sql admin = server.admin()) {
            admin.run("CREATE ROLE " + role + " SUPERUSER LOGIN");
        }
        try {
            Files.createDirectories(data);
            // The receiver of news is in this process.
            Files.writeString(
                    data.resolve("gpu-broker.yaml"),
                    "webhooks: {allowHttp: true, ports: [1-65535], allowNetworks: [127.0.0.0/8]}\n");
            Settings settings = Settings.load(
                    null,
                    Map.of(
                            "GPU_BROKER_SECRET_KEY",
                            SECRET_KEY,
                            "GPU_BROKER_DATABASE_URL",
                            server.url(role, database),
                            "GPU_BROKER_DATA",
                            data.toString(),
                            "GPU_BROKER_PORT",
                            "0",
                            "GPU_BROKER_SIMULATORS",
                            simulators.toString(),
                            "GPU_BROKER_DEMO_CLOCK",
                            "true",
                            "GPU_BROKER_TIME_ZONE",
                            timeZone,
                            "GPU_BROKER_ADMIN_TOKEN",
                            TOKEN));
            return new LiveBroker(server, role, BrokerMain.start(settings, () -> settings));
        } catch (IOException fault) {
            throw new UncheckedIOException("no folder for a broker", fault);
        } catch (TimeoutException fault) {
            throw new IllegalStateException("a broker does not start", fault);
        }
    }

    Api api() {
        return api;
    }

    /** In order: what is in hand ends first. */
    void stop() {
        broker.close();
    }

    void kill() {
        try (Sql admin = server.admin()) {
            admin.run("ALTER ROLE " + role + " NOLOGIN");
            admin.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ?", role);
        }
        UNDERTAKER.execute(broker::close);
    }
}
