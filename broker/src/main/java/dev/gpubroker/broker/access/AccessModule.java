package dev.gpubroker.broker.access;

import dev.gpubroker.broker.booking.EndScripts;
import dev.gpubroker.broker.booking.Readiness;
import dev.gpubroker.broker.booking.ReservationStore;
import dev.gpubroker.broker.catalogue.DeviceVariables;
import dev.gpubroker.broker.claim.Orders;
import dev.gpubroker.broker.config.MachineLogin;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.platform.Platforms;
import dev.gpubroker.broker.schedule.DueWork;
import dev.gpubroker.broker.schedule.DueWorker;
import dev.gpubroker.broker.trigger.RunnerHost;
import io.vertx.core.Vertx;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Builds the objects of this package by hand. */
public final class AccessModule {
    /** Less than a delivery is held by one broker. */
    private static final Duration LONGEST_COMMAND = Duration.ofSeconds(40);

    private final Vertx vertx;
    private final Database database;
    private final Platforms platforms;
    private final DeviceVariables variables;
    private final @Nullable RemoteCommand remote;
    private final InstantSource clock;
    private final PgMachines machines;
    private final MachineReadiness readiness;
    private final MachineCheck check;
    private final CallHome callHome;

    /**
     * @param publicUrl where machines reach the broker; one on this computer is told to simulated ones only
     * @param login null where the broker was given no key to log in with
     * @param data the folder in which the keys of own machines are remembered
     */
    public AccessModule(
            Vertx vertx,
            Database database,
            Platforms platforms,
            DueWork due,
            URI publicUrl,
            boolean simulated,
            @Nullable MachineLogin login,
            Path data,
            DeviceVariables variables,
            InstantSource clock) {
        this.vertx = vertx;
        this.database = database;
        this.platforms = platforms;
        this.variables = variables;
        this.remote = login == null ? null : new RemoteCommand(login, data.resolve("known_hosts"), LONGEST_COMMAND);
        this.clock = clock;
        this.machines = new PgMachines(database);
        this.readiness = new MachineReadiness(database, machines, platforms, due, clock);
        this.check = new MachineCheck(vertx, database, machines, readiness, due, clock);
        this.callHome = new CallHome(database, platforms, due, publicUrl, simulated, clock);
    }

    /** For those who start reservations. */
    public Readiness readiness() {
        return readiness;
    }

    /** For those who send claims. */
    public Orders orders() {
        return callHome;
    }

    /** For those who start runners; null where the broker was given no key to log in with. */
    public @Nullable RunnerHost runners(ReservationStore reservations) {
        return remote == null
                ? null
                : new MachineCommands(vertx, database, reservations, machines, readiness, variables, remote, clock);
    }

    /** For those who end reservations. */
    public EndScripts endScripts() {
        return new MachineEndScripts(vertx, machines, readiness, variables, remote);
    }

    public void register(DueWorker worker) {
        worker.on(MachineCheck.KIND, check);
    }

    public Routes routes(ReservationStore reservations) {
        return new AccessRoutes(new AccessService(database, reservations, machines, platforms, clock), callHome);
    }
}
