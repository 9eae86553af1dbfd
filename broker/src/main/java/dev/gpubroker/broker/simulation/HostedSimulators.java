package dev.gpubroker.broker.simulation;

import static java.util.Objects.requireNonNull;

import dev.gpubroker.broker.config.Secret;
import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.config.StartException;
import dev.gpubroker.broker.platform.Providers;
import dev.gpubroker.broker.platform.SimulatedEndpoint;
import dev.gpubroker.simulator.PgSimStore;
import dev.gpubroker.simulator.SimEnvironment;
import dev.gpubroker.simulator.SimulatedPlatform;
import dev.gpubroker.simulator.SimulatorControl;
import dev.gpubroker.simulator.SimulatorFactory;
import dev.gpubroker.simulator.SimulatorServer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import java.net.URI;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The simulators that settings ask for: in this process, in another one, or none. */
public final class HostedSimulators {
    private static final Logger LOG = LoggerFactory.getLogger(HostedSimulators.class);
    /** A simulator on loopback answers in some milliseconds; whoever asks whether we are ready waits two seconds. */
    private static final int PATIENCE_MILLIS = 1_500;

    private final WebClient client;
    private final @Nullable URI control;
    private final List<SimulatedEndpoint> endpoints;
    private final List<SimulatorServer> servers;
    private final @Nullable SimulatorControl controlServer;

    private HostedSimulators(
            WebClient client,
            @Nullable URI control,
            List<SimulatedEndpoint> endpoints,
            List<SimulatorServer> servers,
            @Nullable SimulatorControl controlServer) {
        this.client = client;
        this.control = control;
        this.endpoints = endpoints.stream()
                .sorted(Comparator.comparing(SimulatedEndpoint::platform))
                .toList();
        this.servers = servers;
        this.controlServer = controlServer;
    }

    /**
     * Does what the settings say. Hosted simulators keep their state in schema {@code sim} of {@code database} and have
     * their control on the port after the broker's; on a free one where the broker takes a free one too.
     *
     * @return fails with {@link StartException} if the control's port is taken or the other process does not answer
     */
    public static Future<HostedSimulators> open(
            Vertx vertx, Settings settings, DataSource database, InstantSource businessTime) {
        return switch (settings.simulators().mode()) {
            case NONE -> Future.succeededFuture(new HostedSimulators(client(vertx), null, List.of(), List.of(), null));
            case HOSTED -> host(vertx, database, businessTime, controlPort(settings));
            case REMOTE -> find(vertx, requireNonNull(settings.simulators().control(), "control"));
        };
    }

    private static int controlPort(Settings settings) {
        return settings.port() == 0 ? 0 : settings.port() + 1;
    }

    /** Starts every simulator on the class path, each on a free port, and their control on a given one (0 = a free one). */
    public static Future<HostedSimulators> host(
            Vertx vertx, DataSource database, InstantSource businessTime, int controlPort) {
        List<SimulatorFactory> factories = Providers.of(SimulatorFactory.class);
        List<SimulatorServer> servers = new ArrayList<>();
        return vertx.executeBlocking(() -> create(factories, database, businessTime))
                .compose(platforms -> started(vertx, platforms, servers))
                .compose(started -> SimulatorControl.start(vertx, servers, controlPort))
                .map(control -> hosted(vertx, factories, servers, control))
                .recover(fault -> Future.join(
                                servers.stream().map(SimulatorServer::stop).toList())
                        .transform(stopped -> Future.failedFuture(
                                fault instanceof java.net.BindException ? taken(controlPort, fault) : fault)));
    }

    private static List<SimulatedPlatform> create(
            List<SimulatorFactory> factories, DataSource database, InstantSource businessTime) {
        SimEnvironment environment = new SimEnvironment(new PgSimStore(database), businessTime, InstantSource.system());
        return factories.stream().map(factory -> factory.create(environment)).toList();
    }

    private static Future<Void> started(Vertx vertx, List<SimulatedPlatform> platforms, List<SimulatorServer> servers) {
        Future<Void> done = Future.succeededFuture();
        for (SimulatedPlatform platform : platforms) {
            done = done.compose(before -> SimulatorServer.start(vertx, platform))
                    .onSuccess(servers::add)
                    .mapEmpty();
        }
        return done;
    }

    private static HostedSimulators hosted(
            Vertx vertx, List<SimulatorFactory> factories, List<SimulatorServer> servers, SimulatorControl control) {
        Map<String, SimulatorFactory> byPlatform = byPlatform(factories);
        List<SimulatedEndpoint> endpoints = servers.stream()
                .map(server -> endpoint(
                        requireNonNull(byPlatform.get(server.platform().platform())),
                        new Listed(server.url(), server.sshPort())))
                .toList();
        URI url = URI.create("http://127.0.0.1:" + control.port());
        LOG.info("simulators: {}; control {}/_sim", platforms(endpoints), url);
        return new HostedSimulators(client(vertx), url, endpoints, List.copyOf(servers), control);
    }

    private static StartException taken(int port, Throwable fault) {
        return new StartException(
                "The simulators' control cannot listen on 127.0.0.1:" + port
                        + ", the port after the broker's: it is taken. Set GPU_BROKER_PORT to another port.",
                fault);
    }

    /** Finds the simulators of another process through its control. */
    public static Future<HostedSimulators> find(Vertx vertx, URI control) {
        WebClient client = client(vertx);
        Map<String, SimulatorFactory> known = byPlatform(Providers.of(SimulatorFactory.class));
        return listed(client, control)
                .recover(fault -> Future.failedFuture(new StartException(
                        "No simulators answer at " + control + " (GPU_BROKER_SIMULATORS): " + fault.getMessage()
                                + ". Start them with 'gpu-broker simulators', or set it to true.",
                        fault)))
                .map(listed -> {
                    List<SimulatedEndpoint> endpoints = new ArrayList<>();
                    listed.forEach((platform, found) -> {
                        SimulatorFactory factory = known.get(platform);
                        if (factory == null) {
                            LOG.warn(
                                    "left out: the simulated {} at {}, whose keys are not known here",
                                    platform,
                                    found.url());
                        } else {
                            endpoints.add(endpoint(factory, found));
                        }
                    });
                    LOG.info("simulators of another process: {}", platforms(endpoints));
                    return new HostedSimulators(client, control, endpoints, List.of(), null);
                });
    }

    /** @param sshPort where its machines answer; 0 where an older control does not say */
    private record Listed(URI url, int sshPort) {}

    private static Future<Map<String, Listed>> listed(WebClient client, URI control) {
        return client.getAbs(control.resolve("/_sim").toString())
                .timeout(PATIENCE_MILLIS)
                .send()
                .map(reply -> {
                    if (reply.statusCode() != 200) {
                        throw new IllegalStateException("status " + reply.statusCode());
                    }
                    JsonArray list = reply.bodyAsJsonArray();
                    Map<String, Listed> urls = new TreeMap<>();
                    for (int i = 0; i < list.size(); i++) {
                        JsonObject entry = list.getJsonObject(i);
                        urls.put(
                                entry.getString("platform"),
                                new Listed(URI.create(entry.getString("url")), entry.getInteger("sshPort", 0)));
                    }
                    return urls;
                });
    }

    /** One for each simulator, by platform; empty without simulators. */
    public List<SimulatedEndpoint> endpoints() {
        return endpoints;
    }

    /** Where the control listens; null without simulators. */
    public @Nullable URI control() {
        return control;
    }

    /** Succeeds while the control and every simulator answer, and at once without simulators; else names who does not. */
    public Future<Void> isReady() {
        if (control == null) {
            return Future.succeededFuture();
        }
        List<Future<?>> answers = new ArrayList<>();
        answers.add(answering("the simulators' control", listed(client, control)));
        for (SimulatedEndpoint endpoint : endpoints) {
            // Without a signature: it is refused, which no fault hits and which changes nothing.
            answers.add(answering(
                    "the simulated " + endpoint.platform(),
                    client.getAbs(endpoint.url().resolve("/").toString())
                            .timeout(PATIENCE_MILLIS)
                            .send()));
        }
        return Future.all(answers).mapEmpty();
    }

    private static Future<?> answering(String name, Future<?> answer) {
        return answer.recover(fault -> Future.failedFuture(
                new IllegalStateException(name + " does not answer: " + fault.getMessage(), fault)));
    }

    /** Stops what this process hosts. */
    public Future<Void> stop() {
        List<Future<Void>> stopped = new ArrayList<>();
        if (controlServer != null) {
            stopped.add(controlServer.stop());
        }
        servers.forEach(server -> stopped.add(server.stop()));
        return Future.join(stopped).<Void>mapEmpty().onComplete(done -> client.close());
    }

    private static SimulatedEndpoint endpoint(SimulatorFactory factory, Listed listed) {
        Map<String, Secret> credentials = factory.credentials().entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> new Secret(entry.getValue())));
        Map<String, String> options = new HashMap<>(factory.options());
        if (listed.sshPort() > 0) {
            options.put("sshPort", String.valueOf(listed.sshPort()));
        }
        return new SimulatedEndpoint(factory.platform(), listed.url(), credentials, options);
    }

    private static Map<String, SimulatorFactory> byPlatform(List<SimulatorFactory> factories) {
        return factories.stream().collect(Collectors.toMap(SimulatorFactory::platform, Function.identity()));
    }

    private static String platforms(List<SimulatedEndpoint> endpoints) {
        return endpoints.stream()
                .map(endpoint -> endpoint.platform() + " " + endpoint.url())
                .collect(Collectors.joining(", "));
    }

    private static WebClient client(Vertx vertx) {
        return WebClient.create(vertx, new WebClientOptions().setConnectTimeout(PATIENCE_MILLIS));
    }
}
