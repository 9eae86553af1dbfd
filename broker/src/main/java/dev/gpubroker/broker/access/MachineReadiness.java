package dev.gpubroker.broker.access;

import dev.gpubroker.broker.access.Machine.State;
import dev.gpubroker.broker.booking.Readiness;
import dev.gpubroker.broker.booking.Reservation;
import dev.gpubroker.broker.booking.Why;
import dev.gpubroker.broker.claim.Claim;
import dev.gpubroker.broker.config.MachineSettings;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.inventory.Snapshot.AccountView;
import dev.gpubroker.broker.platform.Platforms;
import dev.gpubroker.broker.request.MachineWish;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Begins to ask machines that are new, and says how many have not answered. */
final class MachineReadiness implements Readiness {
    private final Database database;
    private final PgMachines machines;
    private final Platforms platforms;
    private final DueWork due;
    private final InstantSource clock;

    MachineReadiness(Database database, PgMachines machines, Platforms platforms, DueWork due, InstantSource clock) {
        this.database = database;
        this.machines = machines;
        this.platforms = platforms;
        this.due = due;
        this.clock = clock;
    }

    @Override
    public Future<Answer> ofMachines(Reservation r, List<Claim> running) {
        return machines.ofClaims(r.id(), running.stream().map(Claim::key).toList())
                .compose(found -> begun(r, found));
    }

    @Override
    public Future<Answer> ofOwnNodes(Reservation r) {
        return machines.ownToAsk(r.id()).compose(found -> begun(r, found));
    }

    private Future<Answer> begun(Reservation r, List<Machine> found) {
        List<Machine> fresh =
                found.stream().filter(machine -> machine.readiness() == null).toList();
        if (fresh.isEmpty()) {
            return Future.succeededFuture(answer(found));
        }
        Instant now = clock.instant();
        return database.inTransaction(connection -> {
                    Future<Void> all = Future.succeededFuture();
                    for (Machine machine : fresh) {
                        all = all.compose(done -> begin(connection, r, machine, now));
                    }
                    return all;
                })
                .onSuccess(done -> due.lookNow())
                .map(done -> answer(found));
    }

    private Future<Void> begin(SqlConnection connection, Reservation r, Machine machine, Instant now) {
        Set<Ways> ways = waysOf(machine);
        State state = ways.isEmpty() ? State.UNVERIFIED : State.PENDING;
        String detail = ways.isEmpty() ? "there is no way to ask it" : "not asked yet";
        return machines.begin(connection, r.id(), machine, state, detail, now)
                .compose(mine -> mine && state == State.PENDING
                        ? due.poke(connection, MachineCheck.KIND, MachineCheck.subject(r.id(), machine.nodeId()))
                        : Future.succeededFuture());
    }

    private Answer answer(List<Machine> found) {
        int waiting = (int) found.stream().filter(this::isWaitedFor).count();
        if (waiting > 0) {
            return new Answer(waiting, new Why("not all of its machines have answered", "并非所有机器都已应答"));
        }
        boolean ready = found.stream().anyMatch(machine -> machine.readiness() == State.READY);
        boolean unverified = found.stream().anyMatch(machine -> machine.readiness() != State.READY);
        if (ready && !unverified) {
            return new Answer(0, new Why("its machines answer", "机器已应答"));
        }
        return new Answer(
                0,
                ready
                        ? new Why("some of its machines answer, others are not verified", "部分机器已应答，其余未经检查")
                        : new Why("readiness is not verified", "未检查是否就绪"));
    }

    private boolean isWaitedFor(Machine machine) {
        return machine.readiness() == null ? !waysOf(machine).isEmpty() : machine.readiness() == State.PENDING;
    }

    Set<Ways> waysOf(Machine machine) {
        return Ways.of(machine, settings(machine));
    }

    /** Null for own machines. An account that was left says nothing more, so its machines are not asked. */
    @Nullable
    MachineSettings settings(Machine machine) {
        return machine.account() == null
                ? null
                : platforms
                        .account(machine.account())
                        .map(AccountView::machines)
                        .orElseGet(() -> new MachineSettings(MachineWish.none(), MachineSettings.Readiness.NONE, null));
    }

    Reach reachOf(Machine machine) {
        if (machine.account() == null) {
            return Reach.OWN;
        }
        boolean simulated =
                platforms.account(machine.account()).map(AccountView::simulated).orElse(false);
        return simulated ? Reach.SIMULATED : Reach.PLATFORM;
    }
}
