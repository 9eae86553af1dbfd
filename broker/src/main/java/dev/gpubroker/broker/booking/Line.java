package dev.gpubroker.broker.booking;

import static java.util.stream.Collectors.toSet;

import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations;
import dev.gpubroker.broker.planning.Acquisition;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.PlanDesk;
import dev.gpubroker.broker.planning.Planning;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.planning.Rejection;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The one line of those who wait for own capacity. Best effort: who fits may go before somebody who does not, but only so
 * often; from then on everything that the one in front could use is kept. Strict: nobody goes before.
 */
final class Line {
    private final ReservationStore reservations;
    private final PlanDesk desk;
    private final Allocations allocations;
    private final AlsoWaiting others;
    private final Supplier<Policy> policy;

    Line(
            ReservationStore reservations,
            PlanDesk desk,
            Allocations allocations,
            AlsoWaiting others,
            Supplier<Policy> policy) {
        this.reservations = reservations;
        this.desk = desk;
        this.allocations = allocations;
        this.others = others;
        this.policy = policy;
    }

    /** One who waits for capacity of his own team's pools. */
    record Waiter(Reservation reservation, Set<String> pools, boolean letsNobodyBy) {
        boolean wants(Set<String> names, Reservation other) {
            return wants(names, other.team(), other.window());
        }

        boolean wants(Set<String> names, String team, Window window) {
            return pools.stream().anyMatch(names::contains)
                    && reservation.team().equals(team)
                    && reservation.window().overlaps(window);
        }
    }

    /** Who waits for capacity, as against for a date at which what is in stock is bought. */
    static boolean waitsForCapacity(Reservation r) {
        return Displaced.isDisplaced(r)
                || (r.state().isWaiting()
                        && (r.plan() == null || r.plan().stock() == Plan.StockView.SOLD_OUT || r.standIn() != null));
    }

    /** As one in the line; who could use no pool has no pools. Who was promised a place that an outage took lets nobody by. */
    Future<Waiter> waiter(Reservation r) {
        boolean displaced = Displaced.isDisplaced(r);
        Allocations.Wanted wanted = displaced && r.plan() != null
                ? PlanDesk.wanted(r.team(), r.request(), r.plan())
                : desk.wanted(r.team(), r.request());
        return Future.all(allocations.eligible(wanted), reservations.passes(r.id()))
                .map(both -> new Waiter(
                        r,
                        both.<List<Allocations.PoolView>>resultAt(0).stream()
                                .map(Allocations.PoolView::name)
                                .collect(toSet()),
                        displaced
                                || policy.get().strictLine()
                                || both.<Integer>resultAt(1) >= policy.get().mostPasses()));
    }

    /**
     * What is left of a planning for one behind.
     *
     * @param passed reservations in front that are let down by taking a place
     * @param others leases that are
     */
    record Left(Planning planning, List<String> passed, List<String> others) {}

    /** Counts that those in front were let down once more. */
    Future<Void> letDown(Left left) {
        return reservations.passed(left.passed()).compose(done -> others.passed(left.others()));
    }

    /** Takes the plans away that use what is kept for those who wait. */
    Future<Left> forNewcomer(BookingService.BookCommand command, Planning planning) {
        return left(
                command.team(),
                longest(command.request().window(), planning),
                planning,
                AlsoWaiting.Place.LAST,
                waiting -> true);
    }

    /** Takes the plans away that use what is kept for those in front of one who waits. */
    Future<Left> forWaiter(Reservation r, Planning planning) {
        AlsoWaiting.Place place = placeOf(r);
        return left(
                r.team(),
                longest(r.window(), planning),
                planning,
                place,
                each -> Displaced.isDisplaced(each) || placeOf(each).compareTo(place) < 0);
    }

    /** Also those are let down who wait for the hours that a stand-in takes beyond what was asked. */
    private static Window longest(Window asked, Planning planning) {
        return planning.plans().stream()
                .filter(plan -> plan.acquisition() == Acquisition.POOL)
                .map(plan -> plan.serving(asked))
                .max(Comparator.comparing(Window::end))
                .orElse(asked);
    }

    static AlsoWaiting.Place placeOf(Reservation r) {
        return new AlsoWaiting.Place(r.priority(), r.joinedAt() == null ? r.createdAt() : r.joinedAt(), r.id());
    }

    private Future<Left> left(
            String team, Window window, Planning planning, AlsoWaiting.Place place, Predicate<Reservation> isInFront) {
        Set<String> pools = planning.plans().stream()
                .filter(plan -> plan.acquisition() == Acquisition.POOL)
                .map(Plan::sku)
                .collect(toSet());
        if (pools.isEmpty()) {
            return Future.succeededFuture(new Left(planning, List.of(), List.of()));
        }
        return Future.all(
                        reservations
                                .waitingIn(team, window)
                                .compose(all ->
                                        waiters(all.stream().filter(isInFront).toList())),
                        others.inFront(team, window, place))
                .map(both -> {
                    List<Waiter> front = both.resultAt(0);
                    AlsoWaiting.Front leases = both.resultAt(1);
                    List<Waiter> rivals = front.stream()
                            .filter(each -> each.pools().stream().anyMatch(pools::contains))
                            .toList();
                    Set<String> kept = Stream.concat(
                                    rivals.stream().filter(Waiter::letsNobodyBy).flatMap(each -> each.pools().stream()),
                                    leases.kept().stream())
                            .collect(toSet());
                    List<String> passed =
                            rivals.stream().map(each -> each.reservation().id()).toList();
                    return new Left(without(planning, kept), passed, leases.passedBy(pools));
                });
    }

    private Future<List<Waiter>> waiters(List<Reservation> waiting) {
        List<Future<Waiter>> all = waiting.stream()
                .filter(Line::waitsForCapacity)
                .map(this::waiter)
                .toList();
        return Future.all(new ArrayList<>(all))
                .map(done -> all.stream().map(Future::result).toList());
    }

    private static Planning without(Planning planning, Set<String> kept) {
        if (kept.isEmpty()) {
            return planning;
        }
        List<Plan> left = planning.plans().stream()
                .filter(plan -> plan.acquisition() != Acquisition.POOL || !kept.contains(plan.sku()))
                .toList();
        List<Rejection> told = planning.plans().stream()
                .filter(plan -> plan.acquisition() == Acquisition.POOL && kept.contains(plan.sku()))
                .map(plan -> new Rejection(
                        "pool",
                        plan.sku(),
                        plan.flavor().model(),
                        Reason.NOT_ALLOWED_BY_POLICY,
                        "it has room, which is kept for somebody who has waited longer"))
                .toList();
        return new Planning(
                left,
                planning.watched(),
                planning.aboveLimit(),
                planning.places(),
                Stream.concat(planning.explanation().stream(), told.stream()).toList(),
                planning.possible());
    }

    /** The line as it is walked: who stands in front of the one whose turn it is. */
    static final class Walk {
        private final List<Waiter> front = new ArrayList<>();

        boolean isEmpty() {
            return front.isEmpty();
        }

        boolean isKeptFrom(Waiter waiter) {
            return front.stream()
                    .anyMatch(each -> each.letsNobodyBy() && each.wants(waiter.pools(), waiter.reservation()));
        }

        void staysWaiting(Waiter waiter) {
            if (waitsForCapacity(waiter.reservation())) {
                front.add(waiter);
            }
        }

        boolean isKept(String team, String pool, Window window) {
            return front.stream().anyMatch(each -> each.letsNobodyBy() && each.wants(Set.of(pool), team, window));
        }

        /** Those in front who wanted the pool that somebody behind was given. */
        List<String> passedBy(String team, String pool, Window window) {
            return front.stream()
                    .filter(each -> each.wants(Set.of(pool), team, window))
                    .map(each -> each.reservation().id())
                    .toList();
        }
    }
}
