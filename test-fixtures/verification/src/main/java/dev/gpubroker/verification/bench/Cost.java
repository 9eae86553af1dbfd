package dev.gpubroker.verification.bench;

import dev.gpubroker.verification.lab.BrokerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Processor time that brokers and their database spend on what is done between {@link #begin} and {@link #perCall}. */
final class Cost {
    private final List<Long> brokers;
    private final long database;
    private double brokersBefore;
    private double databaseBefore;

    Cost(Ground ground, BrokerProcess... brokers) throws IOException {
        this.brokers = Stream.of(brokers).map(BrokerProcess::pid).toList();
        Path pid = ground.folder().resolve("database/postgres/postmaster.pid");
        this.database = Long.parseLong(Files.readAllLines(pid).get(0).strip());
    }

    void begin() throws IOException {
        brokersBefore = ofBrokers();
        databaseBefore = Machine.processorSeconds(database);
    }

    /** Milliseconds of the two for each of so many calls. */
    PerCall perCall(long calls) throws IOException {
        return new PerCall(
                (ofBrokers() - brokersBefore) * 1e3 / calls,
                (Machine.processorSeconds(database) - databaseBefore) * 1e3 / calls);
    }

    private double ofBrokers() throws IOException {
        double seconds = 0;
        for (long each : brokers) {
            seconds += Machine.processorSeconds(each);
        }
        return seconds;
    }

    /** @param broker of all brokers together */
    record PerCall(double broker, double database) {}
}
