package dev.gpubroker.broker.access;

import dev.gpubroker.broker.booking.Readiness;
import dev.gpubroker.broker.booking.ReservationStore;
import dev.gpubroker.broker.claim.Orders;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.platform.Platforms;
import dev.gpubroker.broker.schedule.DueWork;
import dev.gpubroker.broker.schedule.DueWorker;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.InstantSource;

/** Builds the objects of this package by hand. */
public final class AccessModule {
    private final Database database;
    private final Platforms platforms;
    private final InstantSource clock;
    private final PgMachines machines;
    private final MachineReadiness readiness;
    private final MachineCheck check;
    private final CallHome callHome;

    /** @param publicUrl where machines reach the broker; one on this computer is told to simulated ones only */
    public AccessModule(
            Vertx vertx,
            Database database,
            Platforms platforms,
            DueWork due,
            URI publicUrl,
            boolean simulated,
            InstantSource clock) {
        this.database = database;
        this.platforms = platforms;
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

    public void register(DueWorker worker) {
        worker.on(MachineCheck.KIND, check);
    }

    public Routes routes(ReservationStore reservations) {
        return new AccessRoutes(new AccessService(database, reservations, machines, platforms, clock), callHome);
    }
}
