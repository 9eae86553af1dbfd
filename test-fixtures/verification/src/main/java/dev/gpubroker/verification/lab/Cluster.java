package dev.gpubroker.verification.lab;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Several brokers on one PostgreSQL, and the simulated platforms, each a process of its own; all logs in one folder. */
public final class Cluster implements AutoCloseable {
    /** The brokers' own zone. */
    public static final ZoneId ZONE = ZoneId.of("Asia/Shanghai");

    /** A walk of the demo clock visits every due instant; a busy half day takes a minute. */
    private static final Duration LONGEST_WALK = Duration.ofMinutes(6);

    private static final int START_TRIES = 3;

    private final PostgresServer database;
    private final SimulatorsProcess simulators;
    private final List<BrokerProcess> brokers = new ArrayList<>();

    private Cluster(PostgresServer database, SimulatorsProcess simulators) {
        this.database = database;
        this.simulators = simulators;
    }

    /** Starts everything and waits until each broker is ready; takes ten seconds and more. */
    public static Cluster start(int brokers, Launcher launcher, Path folder) throws IOException, InterruptedException {
        Ports ports = new Ports();
        PostgresServer database = PostgresServer.create(folder.resolve("database"), ports.pair());
        SimulatorsProcess simulators = SimulatorsProcess.of(ports.pair(), launcher, database, folder);
        Cluster cluster = new Cluster(database, simulators);
        try {
            simulators.launch();
            simulators.awaitReady();
            for (int i = 0; i < brokers; i++) {
                String name = "broker-" + (char) ('a' + i);
                cluster.brokers.add(BrokerProcess.of(
                        name, ports.pair(), launcher, database, simulators.controlUrl(), folder, Map.of()));
            }
            for (BrokerProcess broker : cluster.brokers) {
                start(broker); // One after the other: together they would starve each other on two cores.
            }
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException fault) {
            try {
                cluster.close();
            } catch (IOException | InterruptedException again) {
                fault.addSuppressed(again);
            }
            throw fault;
        }
    }

    /** A start has limits of its own, which a machine that is busy with other things may break; a real one is repeated too. */
    private static void start(BrokerProcess broker) throws IOException, InterruptedException {
        for (int number = 1; ; number++) {
            broker.launch();
            try {
                broker.awaitReady();
                return;
            } catch (IOException fault) {
                if (number == START_TRIES) {
                    throw fault;
                }
                broker.kill();
            }
        }
    }

    public PostgresServer database() {
        return database;
    }

    public SimulatorsProcess simulators() {
        return simulators;
    }

    public List<BrokerProcess> brokers() {
        return List.copyOf(brokers);
    }

    public BrokerProcess broker(int number) {
        return brokers.get(number);
    }

    /** Business time, as the first broker tells it. */
    public ZonedDateTime now() throws IOException, InterruptedException {
        return timeIn(api(Duration.ofSeconds(10)).get("/v1/demo/clock"));
    }

    /** Moves business time forward, through every due instant on the way. */
    public ZonedDateTime walkTo(Instant target) throws IOException, InterruptedException {
        String set = target.truncatedTo(ChronoUnit.SECONDS)
                .atZone(ZONE)
                .toOffsetDateTime()
                .toString();
        JsonNode body = Api.JSON.createObjectNode().put("set", set);
        return timeIn(api(LONGEST_WALK).post("/v1/demo/clock", body));
    }

    private static ZonedDateTime timeIn(Api.Answer answer) throws IOException {
        if (!answer.isOk()) {
            throw new IOException("the demo clock answered " + answer.status() + ": " + answer.body());
        }
        return OffsetDateTime.parse(answer.body().get("now").asText()).atZoneSameInstant(ZONE);
    }

    private Api api(Duration patience) {
        return brokers.get(0).api(patience);
    }

    /** Ends all processes, also those that are frozen. */
    @Override
    public void close() throws IOException, InterruptedException {
        for (BrokerProcess broker : brokers) {
            broker.close();
        }
        simulators.close();
        database.close();
    }
}
