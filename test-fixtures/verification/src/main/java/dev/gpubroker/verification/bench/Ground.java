package dev.gpubroker.verification.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import dev.gpubroker.verification.lab.BrokerProcess;
import dev.gpubroker.verification.lab.Launcher;
import dev.gpubroker.verification.lab.Ports;
import dev.gpubroker.verification.lab.PostgresServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** What one benchmark runs on: a durable PostgreSQL of its own and brokers on it, all stopped at its end. */
final class Ground implements AutoCloseable {
    /** Without simulators: an external set of them would be measured as well. */
    private static final URI NO_SIMULATORS = URI.create("false");

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path folder;
    private final Launcher launcher;
    private final Ports ports = new Ports();
    private final PostgresServer server;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    private Ground(Path folder, Launcher launcher, PostgresServer server) {
        this.folder = folder;
        this.launcher = launcher;
        this.server = server;
        open.push(server);
    }

    static Ground make(Bench.Options options, String benchmark) throws IOException, InterruptedException {
        Path folder = options.scratch().resolve(benchmark);
        Ports ports = new Ports();
        PostgresServer server = PostgresServer.create(folder.resolve("database"), ports.pair());
        return new Ground(folder, Launcher.ofCheckout(options.home()), server);
    }

    PostgresServer server() {
        return server;
    }

    Sql sql() {
        return Sql.of(server);
    }

    Path folder() {
        return folder;
    }

    /** A broker as it is shipped, without simulators; started and ready. */
    BrokerProcess broker(String name) throws IOException, InterruptedException {
        return broker(name, Map.of());
    }

    /** @param settings beside those, or instead of them */
    BrokerProcess broker(String name, Map<String, String> settings) throws IOException, InterruptedException {
        Map<String, String> shipped =
                new HashMap<>(Map.of("GPU_BROKER_JAVA_OPTS", "-Xmx384m", "GPU_BROKER_TIME_ZONE", "UTC"));
        shipped.putAll(settings);
        BrokerProcess broker = BrokerProcess.of(name, ports.pair(), launcher, server, NO_SIMULATORS, folder, shipped);
        open.push(broker);
        broker.launch();
        broker.awaitReady();
        return broker;
    }

    static Api api(BrokerProcess broker) {
        return broker.api(PATIENCE);
    }

    /** A pool of 8-GPU machines. */
    static void pool(BrokerProcess broker, String name, String model, int nodes)
            throws IOException, InterruptedException {
        ObjectNode pool = Api.JSON
                .createObjectNode()
                .put("name", name)
                .put("model", model)
                .put("gpusPerNode", 8)
                .put("nodes", nodes);
        Api.Answer made = api(broker).post("/v1/pools", pool, "pool-" + name);
        if (!made.isOk()) {
            throw new IOException("the pool " + name + " cannot be made: " + made.body());
        }
    }

    /** Stops everything, the database last. */
    @Override
    public void close() throws IOException {
        IOException fault = null;
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) { // The rest must be stopped too.
                fault = fault == null ? new IOException("not everything could be stopped", e) : fault;
            }
        }
        if (fault != null) {
            throw fault;
        }
    }
}
