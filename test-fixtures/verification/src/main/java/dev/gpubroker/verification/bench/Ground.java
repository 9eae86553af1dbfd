package dev.gpubroker.verification.bench;

import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import dev.gpubroker.verification.lab.BrokerProcess;
import dev.gpubroker.verification.lab.Launcher;
import dev.gpubroker.verification.lab.Ports;
import dev.gpubroker.verification.lab.PostgresServer;
import dev.gpubroker.verification.lab.SimulatorControl;
import dev.gpubroker.verification.lab.SimulatorsProcess;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/** What one benchmark runs on: a durable PostgreSQL of its own and brokers on it, all stopped at its end. */
final class Ground implements AutoCloseable {
    /** Simulators would be measured as well. */
    private static final URI NO_SIMULATORS = URI.create("false");

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path folder;
    private final Path checkout;
    private final Ports ports;
    private final PostgresServer server;
    private final Deque<AutoCloseable> open = new ConcurrentLinkedDeque<>();
    private final Thread onInterrupt = new Thread(this::killAll, "bench-stop");
    private Launcher launcher;
    private URI platforms = NO_SIMULATORS;

    private Ground(Path folder, Path checkout, Ports ports, PostgresServer server) {
        this.folder = folder;
        this.checkout = checkout;
        this.ports = ports;
        this.server = server;
        this.launcher = Launcher.ofCheckout(checkout);
        Runtime.getRuntime().addShutdownHook(onInterrupt);
        open.push(server);
    }

    static Ground make(Bench.Options options, String benchmark) throws IOException, InterruptedException {
        Path folder = options.scratch().resolve(benchmark);
        Ports ports = new Ports();
        PostgresServer server = PostgresServer.create(folder.resolve("database"), ports.pair());
        return new Ground(folder, options.home(), ports, server);
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
        BrokerProcess broker = notStarted(name, settings);
        broker.launch();
        broker.awaitReady();
        return broker;
    }

    BrokerProcess notStarted(String name, Map<String, String> settings) throws IOException {
        Map<String, String> shipped =
                new HashMap<>(Map.of("GPU_BROKER_JAVA_OPTS", "-Xmx384m", "GPU_BROKER_TIME_ZONE", "UTC"));
        shipped.putAll(settings);
        BrokerProcess broker = BrokerProcess.of(name, ports.pair(), launcher, server, platforms, folder, shipped);
        open.push(broker);
        return broker;
    }

    /** Hosts the simulated platforms; brokers made from now on use them. */
    SimulatorControl simulators() throws IOException, InterruptedException {
        SimulatorsProcess simulators = SimulatorsProcess.of(ports.pair(), launcher, server, folder);
        open.push(simulators);
        simulators.launch();
        simulators.awaitReady();
        platforms = simulators.controlUrl();
        return simulators.control();
    }

    /** Brokers made from now on have this jar and the benchmarks themselves on their class path. */
    Ground withJar(Path jar) throws IOException {
        Path home = folder.resolve("home");
        Path lib = Files.createDirectories(home.resolve("lib"));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path each = Path.of(entry);
            if (Files.isRegularFile(each)) {
                Files.createSymbolicLink(lib.resolve(each.getFileName()), each.toAbsolutePath());
            }
        }
        Files.createSymbolicLink(lib.resolve(jar.getFileName()), jar);
        Files.createDirectories(home.resolve("deploy"));
        Files.copy(checkout.resolve("deploy/gpu-broker"), home.resolve("deploy/gpu-broker"), COPY_ATTRIBUTES);
        launcher = Launcher.ofCheckout(home); // Without a pom.xml beside it the wrapper takes it for the unpacked tar.
        return this;
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
        IOException fault = stopAll();
        try {
            Runtime.getRuntime().removeShutdownHook(onInterrupt);
        } catch (IllegalStateException stopping) {
            Bench.say("stopped in the middle");
        }
        if (fault != null) {
            throw fault;
        }
    }

    /** Processes outlive whoever started them, so an interrupt must not forget them. */
    private void killAll() {
        IOException fault = stopAll();
        if (fault != null) {
            Bench.say(fault + ": " + fault.getCause());
        }
    }

    private @Nullable IOException stopAll() {
        IOException fault = null;
        while (true) {
            AutoCloseable next = open.pollFirst();
            if (next == null) {
                return fault;
            }
            try {
                next.close();
            } catch (Exception e) { // The rest must be stopped too.
                fault = fault == null ? new IOException("not everything could be stopped", e) : fault;
            }
        }
    }
}
