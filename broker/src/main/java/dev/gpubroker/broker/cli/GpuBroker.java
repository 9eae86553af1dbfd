package dev.gpubroker.broker.cli;

import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.config.SettingsReloader;
import dev.gpubroker.broker.config.StartException;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.database.Installation;
import dev.gpubroker.broker.database.Stamp;
import dev.gpubroker.broker.time.BusinessClock;
import dev.gpubroker.broker.time.PgTimeSource;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code gpu-broker}: the service and the commands that talk to it. */
@Command(
        name = "gpu-broker",
        mixinStandardHelpOptions = true,
        description = "One booking API for GPUs across platforms.")
public final class GpuBroker {
    private static final Logger LOG = LoggerFactory.getLogger(GpuBroker.class);

    private GpuBroker() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new GpuBroker()).execute(arguments));
    }

    @Command(
            name = "serve",
            mixinStandardHelpOptions = true,
            description = "Runs the service until it is told to stop.")
    int serve(
            @Option(names = "--config", paramLabel = "FILE", description = "The settings file.") @Nullable Path config)
            throws InterruptedException {
        try {
            Settings settings = Settings.load(config, System.getenv());
            Stamp stamp = Stamp.of(settings);
            Vertx vertx = Vertx.vertx();
            Database database = Database.open(vertx, settings);
            CountDownLatch stopped = new CountDownLatch(1);
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(
                            () -> {
                                database.close();
                                vertx.close().await();
                                stopped.countDown();
                            },
                            "stop"));
            Installation installation = Installation.open(database, stamp).await();
            BusinessClock clock =
                    BusinessClock.start(new PgTimeSource(database.pool())).await();
            clock.keepFresh(vertx);
            SettingsReloader reloader = new SettingsReloader(settings, () -> Settings.load(config, System.getenv()));
            reloader.listenForHangup();
            LOG.info("Installation {} ({}), business time {}", installation.id(), stamp.word(), clock.instant());
            stopped.await();
            return 0;
        } catch (StartException e) {
            System.err.println("gpu-broker: " + e.getMessage());
            return 1;
        }
    }

    private static void close(Deque<AutoCloseable> open, CountDownLatch stopped) {
        for (AutoCloseable each : open) {
            try {
                each.close();
            } catch (Exception e) {
                LOG.warn("Stopping: {} does not close in order", each, e);
            }
        }
        stopped.countDown();
    }
}
