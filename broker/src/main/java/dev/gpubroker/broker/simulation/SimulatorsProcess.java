package dev.gpubroker.broker.simulation;

import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.config.StartException;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.time.BusinessClock;
import dev.gpubroker.broker.time.PgTimeSource;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The simulators in a process of their own ({@code gpu-broker simulators}); a broker finds them with
 * {@code GPU_BROKER_SIMULATORS=http://127.0.0.1:<control>}. On the broker's database ({@code GPU_BROKER_DATABASE_URL}) they
 * follow its demo clock; without one they keep a database of their own in a folder below the broker's, and run on its time.
 */
public final class SimulatorsProcess {
    private static final Logger LOG = LoggerFactory.getLogger(SimulatorsProcess.class);

    private SimulatorsProcess() {}

    public static void main(String[] args) {
        try {
            start(Settings.load(null, System.getenv()));
        } catch (StartException e) {
            LOG.error("{}", e.getMessage());
            System.exit(1);
        }
    }

    /**
     * Starts them; they run until the process is told to end. The control listens on the port after the settings'.
     *
     * @throws StartException if they cannot start
     */
    public static HostedSimulators start(Settings settings) {
        Settings own = settings.database() == null ? inFolderOfTheirOwn(settings) : settings;
        Vertx vertx = Vertx.vertx();
        Database database = Database.open(vertx, own);
        try {
            HostedSimulators simulators = BusinessClock.start(new PgTimeSource(database.pool()))
                    .map(clock -> clock.keepFresh(vertx))
                    .compose(clock -> HostedSimulators.host(vertx, database.jdbc(), clock, settings.port() + 1))
                    .await(60, TimeUnit.SECONDS);
            Runtime.getRuntime().addShutdownHook(new Thread(database::close, "simulators-stop"));
            return simulators;
        } catch (TimeoutException | RuntimeException e) {
            database.close();
            vertx.close();
            throw e instanceof StartException known
                    ? known
                    : new StartException("The simulators do not start: " + e.getMessage(), e);
        }
    }

    private static Settings inFolderOfTheirOwn(Settings settings) {
        LOG.warn("Without GPU_BROKER_DATABASE_URL the simulators do not follow a broker's demo clock.");
        return new Settings(
                settings.port(),
                settings.bind(),
                settings.publicUrl(),
                null,
                settings.data().resolve("simulators"),
                settings.adminToken(),
                settings.timeZone(),
                settings.simulators(),
                settings.demoClock(),
                settings.accounts(),
                settings.accountsLeft(),
                settings.notifications(),
                settings.policy(),
                settings.secretKey(),
                settings.otherSecretKey(),
                settings.webhooks(),
                settings.machineLogin(),
                settings.file());
    }
}
