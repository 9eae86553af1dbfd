package dev.gpubroker.verification.bench;

import dev.gpubroker.verification.lab.BrokerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Processor time that a broker and its database spend on what is done between {@link #begin} and {@link #perCall}. */
final class Cost {
    private final long broker;
    private final long database;
    private double brokerBefore;
    private double databaseBefore;

    Cost(Ground ground, BrokerProcess broker) throws IOException {
        this.broker = broker.pid();
        Path pid = ground.folder().resolve("database/postgres/postmaster.pid");
        this.database = Long.parseLong(Files.readAllLines(pid).get(0).strip());
    }

    void begin() throws IOException {
        brokerBefore = Machine.processorSeconds(broker);
        databaseBefore = Machine.processorSeconds(database);
    }

    /** Milliseconds of the two for each of so many calls. */
    PerCall perCall(long calls) throws IOException {
        return new PerCall(
                (Machine.processorSeconds(broker) - brokerBefore) * 1e3 / calls,
                (Machine.processorSeconds(database) - databaseBefore) * 1e3 / calls);
    }

    record PerCall(double broker, double database) {}
}
