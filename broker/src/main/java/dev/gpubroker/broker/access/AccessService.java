package dev.gpubroker.broker.access;

import dev.gpubroker.adapter.spi.MachineOption;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.SupportsLogin;
import dev.gpubroker.broker.access.Machine.State;
import dev.gpubroker.broker.booking.Reservation;
import dev.gpubroker.broker.booking.ReservationState;
import dev.gpubroker.broker.booking.ReservationStore;
import dev.gpubroker.broker.booking.Why;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.Caller;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.http.Scope;
import dev.gpubroker.broker.platform.Operation;
import dev.gpubroker.broker.platform.Platforms;
import dev.gpubroker.broker.request.RequestJson;
import io.vertx.core.Future;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How to log in to what a reservation holds. Every reading is an event of the reservation. */
final class AccessService {
    private final Database database;
    private final ReservationStore reservations;
    private final PgMachines machines;
    private final Platforms platforms;
    private final InstantSource clock;

    AccessService(
            Database database,
            ReservationStore reservations,
            PgMachines machines,
            Platforms platforms,
            InstantSource clock) {
        this.database = database;
        this.reservations = reservations;
        this.machines = machines;
        this.platforms = platforms;
        this.clock = clock;
    }

    /**
     * One machine.
     *
     * @param password as the platform told it a moment ago; null where keys let in
     * @param detail why it is not known to be ready, or why there is no password; null where all is well
     */
    record Node(
            Machine machine,
            State readiness,
            @Nullable String user,
            @Nullable String password,
            @Nullable String detail) {
        /** Leaves the password out. */
        @Override
        public String toString() {
            return machine.name() + ", " + readiness;
        }
    }

    /** Fails with a problem where the team has no such reservation, or it holds no machines. */
    Future<List<Node>> read(Caller caller, String id) {
        String team = caller.team();
        String who = caller.name();
        boolean passwords = caller.grants().allows(Scope.BOOK);
        return reservations.read(id).compose(found -> {
            Reservation r = found.filter(each -> each.team().equals(team)).orElseThrow(() -> notFound(id));
            if (r.state() != ReservationState.ACTIVE && r.state() != ReservationState.PROVISIONING) {
                throw holdsNone(r);
            }
            return machines.held(r).compose(all -> audited(r, who, all)).compose(all -> nodes(r, all, passwords));
        });
    }

    /** Written before anything is told. */
    private Future<List<Machine>> audited(Reservation r, String who, List<Machine> all) {
        Instant now = clock.instant();
        List<String> names = all.stream().map(Machine::name).distinct().toList();
        return database.inTransaction(connection -> machines.event(
                        connection,
                        r.id(),
                        r.team(),
                        who,
                        "access_read",
                        Map.of("nodes", names),
                        new Why("the logins were shown to " + who, "登录信息已显示给 " + who),
                        now))
                .map(all);
    }

    private Future<List<Node>> nodes(Reservation r, List<Machine> all, boolean passwords) {
        List<Future<Node>> nodes = new ArrayList<>();
        all.forEach(machine -> nodes.add(node(r, machine, passwords)));
        return Future.all(nodes).map(done -> nodes.stream().map(Future::result).toList());
    }

    private Future<Node> node(Reservation r, Machine machine, boolean passwords) {
        State readiness = machine.readiness() != null
                ? machine.readiness()
                : r.state() == ReservationState.ACTIVE ? State.UNVERIFIED : State.PENDING;
        String detail = readiness == State.READY || machine.detail().isEmpty() ? null : machine.detail();
        Node plain = new Node(machine, readiness, machine.login().user(), null, detail);
        PlatformRef ref = machine.ref();
        if (machine.account() == null || machine.region() == null || ref == null || takesKeys(machine.account())) {
            return Future.succeededFuture(plain);
        }
        if (!passwords) {
            return Future.succeededFuture(new Node(
                    machine,
                    readiness,
                    machine.login().user(),
                    null,
                    "it is logged in to with a password, which is shown to the scope book only"));
        }
        return platforms
                .call(
                        machine.account(),
                        machine.region(),
                        Operation.STATUS,
                        adapter -> adapter instanceof SupportsLogin logins
                                ? logins.login(ref, machine.name())
                                : Optional.<SupportsLogin.Login>empty())
                .map(login -> login.map(told -> new Node(machine, readiness, told.user(), told.password(), detail))
                        .orElse(plain))
                .otherwise(fault -> new Node(
                        machine,
                        readiness,
                        machine.login().user(),
                        null,
                        "the platform did not tell the password: " + fault.getMessage()));
    }

    /** Who lets keys in makes no passwords. */
    private boolean takesKeys(String account) {
        return platforms
                .account(account)
                .map(view -> view.capabilities().machineOptions().contains(MachineOption.SSH_KEYS))
                .orElse(true);
    }

    private static ApiProblem notFound(String id) {
        return new ApiProblem(404, "not_found", "There is no reservation " + id + ".", "没有预订 " + id + "。");
    }

    private static ApiProblem holdsNone(Reservation r) {
        Reservation.NextAction next = r.next();
        boolean over = r.state().isEnded() || r.state() == ReservationState.RELEASING;
        String when = next == null || over
                ? ""
                : "; next: " + next.what() + " at "
                        + RequestJson.time(next.at(), r.request().timeZone());
        String state = r.state().wireName();
        Problem problem = Problem.of(
                409,
                "wrong_state",
                over
                        ? "It holds no machines any more: it is " + state + "."
                        : "It holds no machines yet: it is " + state + when + ".",
                over ? "该预订已不再持有机器（" + state + "）。" : "该预订尚未持有机器（" + state + "）。");
        Problem with = problem.with("state", state);
        return new ApiProblem(with);
    }
}
