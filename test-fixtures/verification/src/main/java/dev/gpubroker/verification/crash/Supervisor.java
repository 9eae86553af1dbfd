package dev.gpubroker.verification.crash;

import dev.gpubroker.verification.lab.BrokerProcess;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Starts a broker again soon after it died, as the system of a server does; also when it died because the database is away. */
final class Supervisor implements Runnable {
    private final List<BrokerProcess> brokers;
    private final Journal journal;
    private volatile boolean stopped;

    Supervisor(List<BrokerProcess> brokers, Journal journal) {
        this.brokers = brokers;
        this.journal = journal;
    }

    @Override
    public void run() {
        try {
            while (!stopped) {
                for (BrokerProcess broker : brokers) {
                    if (!broker.isAlive()) {
                        journal.write("started again", broker.name());
                        broker.launch();
                    }
                }
                TimeUnit.SECONDS.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException fault) {
            throw new IllegalStateException("a broker cannot be started", fault);
        }
    }

    void stop() {
        stopped = true;
    }
}
