package dev.gpubroker.broker.access;

import dev.gpubroker.broker.booking.Reservation;
import dev.gpubroker.broker.booking.ReservationState;
import dev.gpubroker.broker.booking.ReservationStore;
import dev.gpubroker.broker.booking.Why;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.trigger.RunnerHost;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/** Runs scripts on the machines of reservations; each login is an event of the reservation. */
final class MachineCommands implements RunnerHost {
    private static final int AT_ONCE = 8;

    private final Database database;
    private final ReservationStore reservations;
    private final PgMachines machines;
    private final MachineReadiness readiness;
    private final RemoteCommand remote;
    private final InstantSource clock;
    private final WorkerExecutor workers;

    MachineCommands(
            Vertx vertx,
            Database database,
            ReservationStore reservations,
            PgMachines machines,
            MachineReadiness readiness,
            RemoteCommand remote,
            InstantSource clock) {
        this.database = database;
        this.reservations = reservations;
        this.machines = machines;
        this.readiness = readiness;
        this.remote = remote;
        this.clock = clock;
        this.workers = vertx.createSharedWorkerExecutor("machine-commands", AT_ONCE);
    }

    @Override
    public Future<Void> run(String team, String reservation, String script, String input) {
        return reservations
                .read(reservation)
                .compose(found -> found.filter(r -> r.team().equals(team) && r.state() == ReservationState.ACTIVE)
                        .map(r -> machines.held(r).compose(held -> run(r, first(held), script, input)))
                        .orElseGet(() -> Future.failedFuture(new IOException("the reservation holds no machines"))));
    }

    private static Machine first(List<Machine> held) {
        return held.stream()
                .filter(machine -> machine.login().host() != null)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no address of its machines is known"));
    }

    private Future<Void> run(Reservation r, Machine machine, String script, String input) {
        return database.inTransaction(connection -> machines.event(
                        connection,
                        r.id(),
                        r.team(),
                        "broker",
                        "access_used",
                        Map.of("nodes", List.of(machine.name())),
                        new Why(
                                "the broker logs in to " + machine.name() + " to start a runner",
                                "系统登录 " + machine.name() + " 以启动 runner"),
                        clock.instant()))
                .compose(told -> workers.<Void>executeBlocking(
                        () -> {
                            String host = String.valueOf(machine.login().host());
                            remote.run(machine, readiness.reachOf(machine).resolve(host), script, input);
                            return null;
                        },
                        false));
    }
}
