package dev.gpubroker.verification.lab;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The simulated platforms as a process of their own ({@code gpu-broker simulators}), on the brokers' database and demo clock. */
public final class SimulatorsProcess extends ServerProcess {
    private final URI control;

    private SimulatorsProcess(URI control, Launcher launcher, Map<String, String> environment, Path log) {
        super(launcher, List.of("simulators"), environment, log, control.resolve("/_sim"));
        this.control = control;
    }

    /**
     * Simulators that are not started yet. The brokers' addresses of the platforms change when these are started again.
     *
     * @param port the control takes the one after it
     * @param folder holds their log, {@code simulators.log}, and their data
     */
    public static SimulatorsProcess of(int port, Launcher launcher, PostgresServer database, Path folder) {
        Map<String, String> environment = Map.of(
                "GPU_BROKER_PORT", Integer.toString(port),
                "GPU_BROKER_DATABASE_URL", database.brokerUrl(),
                "GPU_BROKER_DATA", folder.resolve("simulators").toString(),
                "GPU_BROKER_DEMO_CLOCK", "true",
                "GPU_BROKER_JAVA_OPTS", "-Xmx256m");
        URI control = URI.create("http://127.0.0.1:" + (port + 1));
        return new SimulatorsProcess(control, launcher, environment, folder.resolve("simulators.log"));
    }

    /** For the brokers' {@code GPU_BROKER_SIMULATORS}. */
    public URI controlUrl() {
        return control;
    }

    public SimulatorControl control() {
        return new SimulatorControl(control);
    }

    @Override
    public String toString() {
        return "simulators";
    }
}
