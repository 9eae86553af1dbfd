package dev.gpubroker.broker.cli;

import dev.gpubroker.broker.BrokerMain;
import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.config.StartException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code gpu-broker}: the service and the commands that talk to it. */
@Command(
        name = "gpu-broker",
        mixinStandardHelpOptions = true,
        description = "One booking API for GPUs across platforms.")
public final class GpuBroker {
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
            throws InterruptedException, TimeoutException {
        Locale.setDefault(Locale.ROOT); // No answer depends on the language of the machine.
        try {
            Supplier<Settings> read = () -> Settings.load(config, System.getenv());
            BrokerMain broker = BrokerMain.start(read.get(), read);
            CountDownLatch stopped = new CountDownLatch(1);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                broker.close();
                stopped.countDown();
            }));
            stopped.await();
            return 0;
        } catch (StartException refused) {
            System.err.println("gpu-broker: " + refused.getMessage());
            return 1;
        }
    }
}
