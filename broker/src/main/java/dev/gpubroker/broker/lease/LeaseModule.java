package dev.gpubroker.broker.lease;

import dev.gpubroker.broker.allocation.LeaseAllocations;
import dev.gpubroker.broker.allocation.PgLeaseAllocations;
import dev.gpubroker.broker.allocation.PgPoolStore;
import dev.gpubroker.broker.allocation.PoolStore;
import dev.gpubroker.broker.booking.AlsoWaiting;
import dev.gpubroker.broker.booking.UseSignal;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.schedule.DueWork;
import dev.gpubroker.broker.schedule.DueWorker;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.function.Supplier;

/** Builds the objects of this package by hand, top to bottom, from what the rest of the broker gives it. */
public final class LeaseModule implements AutoCloseable {
    private final LeaseStore leases;
    private final LeaseWatch watch;
    private final LeaseLine line;
    private final LeaseStep step;
    private final Routes routes;

    /** @param zone in which times are shown */
    public LeaseModule(
            Vertx vertx,
            Database database,
            GpuCatalogue catalogue,
            DueWork due,
            Supplier<Policy> policy,
            ZoneId zone,
            InstantSource clock) {
        LeaseAllocations allocations = new PgLeaseAllocations(database);
        PoolStore pools = new PgPoolStore(database);
        this.leases = new PgLeaseStore(database, catalogue);
        this.watch = new LeaseWatch(vertx, leases);
        LeaseSources sources = new LeaseSources(leases, pools);
        LeaseTransition transition = new LeaseTransition(leases, allocations, due);
        this.line = new LeaseLine(database, leases, allocations, sources, transition, watch, due, policy, clock);
        this.step = new LeaseStep(database, leases, allocations, transition, watch, due, clock);
        LeaseService service = new LeaseService(
                database,
                leases,
                new LeaseTargets(leases, allocations, pools, catalogue),
                sources,
                transition,
                watch,
                due,
                clock);
        this.routes = new LeaseRoutes(
                database, service, allocations, new LeaseJson(new Access(catalogue), zone, clock), clock);
    }

    /** Those who wait in the one line beside reservations. */
    public AlsoWaiting waiting() {
        return line;
    }

    /** Whether any job ever held GPUs inside a reservation. */
    public UseSignal use() {
        return leases::wasHeldIn;
    }

    public Routes routes() {
        return routes;
    }

    /** Gives the worker this package's kinds of work. */
    public void register(DueWorker worker) {
        worker.on(LeaseStep.KIND, step).on(AlsoWaiting.INSIDE, line);
    }

    /** Only while there is no lease may the demo clock go back. */
    public Future<Boolean> isUsed() {
        return leases.isUsed();
    }

    /** Answers those who wait for a lease's next state. */
    @Override
    public void close() {
        watch.close();
    }
}
