package dev.gpubroker.broker.access;

import dev.gpubroker.broker.booking.Reservation;
import dev.gpubroker.broker.booking.ReservationState;
import dev.gpubroker.broker.booking.ReservationStore;
import dev.gpubroker.broker.booking.Why;
import dev.gpubroker.broker.catalogue.DeviceVariables;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.trigger.RunnerHost;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs scripts on the machines of reservations; each login is an event of the reservation. */
final class MachineCommands implements RunnerHost {
    private static final int AT_ONCE = 8;

    private final Database database;
    private final ReservationStore reservations;
    private final PgMachines machines;
    private final MachineReadiness readiness;
    private final DeviceVariables variables;
    private final RemoteCommand remote;
    private final InstantSource clock;
    private final WorkerExecutor workers;

    MachineCommands(
            Vertx vertx,
            Database database,
            ReservationStore reservations,
            PgMachines machines,
            MachineReadiness readiness,
            DeviceVariables variables,
            RemoteCommand remote,
            InstantSource clock) {
        this.database = database;
        this.reservations = reservations;
        this.machines = machines;
        this.readiness = readiness;
        this.variables = variables;
        this.remote = remote;
        this.clock = clock;
        this.workers = vertx.createSharedWorkerExecutor("machine-commands", AT_ONCE);
    }

    @Override
    public Future<Place> of(String team, String reservation) {
        return reservations
                .read(reservation)
                .compose(found -> found.filter(r -> r.team().equals(team) && r.state() == ReservationState.ACTIVE)
                        .map(r -> machines.held(r).map(held -> place(r, first(held))))
                        .orElseThrow(() -> new IllegalStateException("the reservation holds no machines")));
    }

    private static Machine first(List<Machine> held) {
        return held.stream()
                .filter(machine -> machine.login().host() != null)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no address of its machines is known"));
    }

    private Place place(Reservation r, Machine machine) {
        return new Place() {
            @Override
            public @Nullable String ownNode() {
                return machine.isOwn() ? machine.nodeId() : null;
            }

            @Override
            public Future<Void> run(String script, String input) {
                return noted(r, machine).compose(told -> start(machine, variables(machine) + script, input));
            }
        };
    }

    private String variables(Machine machine) {
        return variables.of(machine.model(), machine.gpus()).entrySet().stream()
                .map(each -> "export " + each.getKey() + "=" + each.getValue() + "\n")
                .collect(Collectors.joining());
    }

    private Future<Void> noted(Reservation r, Machine machine) {
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
                clock.instant()));
    }

    /** A machine that has left its pool is nobody's to end anything on. */
    @Override
    public Future<Void> runOn(String node, String script) {
        return machines.ownNodes(List.of(node))
                .compose(found -> found.isEmpty() ? Future.succeededFuture() : start(found.get(0), script, ""));
    }

    private Future<Void> start(Machine machine, String script, String input) {
        return workers.executeBlocking(
                () -> {
                    String host = String.valueOf(machine.login().host());
                    remote.run(machine, readiness.reachOf(machine).resolve(host), script, input);
                    return null;
                },
                false);
    }
}
