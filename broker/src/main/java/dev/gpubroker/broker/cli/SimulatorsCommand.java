package dev.gpubroker.broker.cli;

import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.config.StartException;
import dev.gpubroker.broker.simulation.SimulatorsProcess;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs the simulators in a process of their own. */
@Command(
        name = "simulators",
        mixinStandardHelpOptions = true,
        description =
                "Runs the simulated platforms in a process of their own, with their control on the port after GPU_BROKER_PORT;"
                        + " a broker finds them with GPU_BROKER_SIMULATORS=http://127.0.0.1:<that port>.")
final class SimulatorsCommand implements Callable<Integer> {
    @Option(names = "--config", paramLabel = "FILE", description = "The settings file.")
    private @Nullable Path config;

    private final Terminal terminal;

    SimulatorsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        try {
            SimulatorsProcess.start(Settings.load(config, terminal.environment()));
        } catch (StartException refused) {
            terminal.err().println("gpu-broker: " + refused.getMessage());
            return ExitCode.FAILED;
        }
        new CountDownLatch(1).await(); // Until the process is told to end.
        return ExitCode.OK;
    }
}
