package dev.gpubroker.broker.cli;

import dev.gpubroker.broker.BrokerMain;
import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.config.StartException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code gpu-broker}: the service and the commands that talk to it. */
@Command(
        name = "gpu-broker",
        mixinStandardHelpOptions = true,
        description = "One booking API for GPUs across platforms.")
public final class GpuBroker {
    /** Recovery of a database after a crash is the longest part of a start. */
    private static final long START_LIMIT_SECONDS = 120;

    private GpuBroker() {}

    public static void main(String[] arguments) {
        System.exit(Cli.of(new GpuBroker(), Terminal.system()).execute(arguments));
    }

    @Command(
            name = "serve",
            mixinStandardHelpOptions = true,
            description = "Runs the service until it is told to stop.")
    int serve(
            @Option(names = "--config", paramLabel = "FILE", description = "The settings file.") @Nullable Path config)
            throws InterruptedException, TimeoutException {
        Locale.setDefault(Locale.ROOT); // No answer depends on the language of the machine.
        // Before the start, since a database that was begun must be stopped even if the signal comes in the middle.
        CompletableFuture<Optional<BrokerMain>> started = new CompletableFuture<>();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(started), "stop"));
        try {
            Supplier<Settings> read = () -> Settings.load(config, System.getenv());
            started.complete(Optional.of(BrokerMain.start(read.get(), read)));
            new CountDownLatch(1).await(); // The signal ends the process.
            return 0;
        } catch (StartException refused) {
            System.err.println("gpu-broker: " + refused.getMessage());
            return 1;
        } finally {
            started.complete(Optional.empty());
        }
    }

    /** Lets a start under way finish, then closes what it made. */
    private static void stop(CompletableFuture<Optional<BrokerMain>> started) {
        try {
            started.get(START_LIMIT_SECONDS, TimeUnit.SECONDS).ifPresent(BrokerMain::close);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            System.err.println("gpu-broker: the start did not end; the next one cleans up");
        }
    }
}
