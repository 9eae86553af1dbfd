package dev.gpubroker.broker.lease;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.LeaseAllocations;
import dev.gpubroker.broker.booking.AlsoWaiting;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.lease.LeaseTransition.Granted;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.schedule.DueHandler;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The line of leases: (priority, time of joining, id). Who fits may go before somebody who does not, but only so often; from
 * then on everything that the one in front could use is kept. For GPUs of pools it is one line with the reservations that
 * wait, walked together with them; for GPUs inside reservations only leases wait, and it is walked alone.
 */
final class LeaseLine implements AlsoWaiting, DueHandler {
    /** The longest line that one pass walks. */
    private static final int LONGEST = 2_000;

    private final Database database;
    private final LeaseStore leases;
    private final LeaseAllocations allocations;
    private final LeaseSources sources;
    private final LeaseTransition transition;
    private final LeaseWatch watch;
    private final DueWork due;
    private final Supplier<Policy> policy;
    private final InstantSource clock;

    LeaseLine(
            Database database,
            LeaseStore leases,
            LeaseAllocations allocations,
            LeaseSources sources,
            LeaseTransition transition,
            LeaseWatch watch,
            DueWork due,
            Supplier<Policy> policy,
            InstantSource clock) {
        this.database = database;
        this.leases = leases;
        this.allocations = allocations;
        this.sources = sources;
        this.transition = transition;
        this.watch = watch;
        this.due = due;
        this.policy = policy;
        this.clock = clock;
    }

    // ---- inside reservations ----------------------------------------------------------------------------------

    @Override
    public Future<Optional<Next>> handle(Hold hold) {
        return reconcile()
                .compose(done -> leases.queue(LONGEST))
                .compose(queue -> new Walk(queue, false, hold).rest(NO_RESERVATIONS))
                .map(done -> Optional.empty());
    }

    /** Reservations began, changed or ended: what is held inside them, or waits for them, is looked at again. */
    private Future<Void> reconcile() {
        return Future.all(allocations.misfits(), leases.withoutTarget()).compose(both -> {
            List<String> concerned = new ArrayList<>(both.<List<String>>resultAt(0));
            concerned.addAll(both.<List<String>>resultAt(1));
            Future<Void> all = Future.succeededFuture();
            for (String id : concerned) {
                all = all.compose(
                        done -> database.inTransaction(connection -> due.poke(connection, LeaseStep.KIND, id)));
            }
            return all.onSuccess(done -> due.lookNow());
        });
    }

    private static final Reservations NO_RESERVATIONS = new Reservations() {
        @Override
        public boolean isEmpty() {
            return true;
        }

        @Override
        public boolean isKept(String team, String pool, Window window) {
            return false;
        }

        @Override
        public Future<Void> passed(String team, String pool, Window window) {
            return Future.succeededFuture();
        }
    };

    // ---- together with reservations -----------------------------------------------------------------------------

    @Override
    public Future<Turns> begin(Hold hold) {
        return reconcile().compose(done -> leases.queue(LONGEST)).map(queue -> new Walk(queue, true, hold));
    }

    @Override
    public Future<Front> inFront(String team, Window window, Place place) {
        return leases.queue(LONGEST).compose(queue -> {
            LeaseSources.Look look = sources.look();
            Map<String, Set<String>> pools = new HashMap<>();
            Set<String> kept = new HashSet<>();
            Future<Void> all = Future.succeededFuture();
            for (Lease lease : queue) {
                if (placeOf(lease).compareTo(place) < 0
                        && lease.wish().team().equals(team)
                        && lease.wish().target().usesPools()
                        && wouldHold(lease).overlaps(window)) {
                    all = all.compose(done -> look.of(lease.wish())).map(found -> {
                        Set<String> names = names(found);
                        pools.put(lease.id(), names);
                        if (letsNobodyBy(lease)) {
                            kept.addAll(names);
                        }
                        return null;
                    });
                }
            }
            return all.map(done -> new Front(kept, pools));
        });
    }

    @Override
    public Future<Void> passed(List<String> ids) {
        return leases.passed(ids);
    }

    private static Place placeOf(Lease lease) {
        return new Place(lease.priority(), lease.joinedAt(), lease.id());
    }

    private Window wouldHold(Lease lease) {
        Instant now = clock.instant();
        return new Window(now, now.plus(lease.wish().maxDuration()));
    }

    private boolean letsNobodyBy(Lease lease) {
        return policy.get().strictLine() || lease.passes() >= policy.get().mostPasses();
    }

    private static Set<String> names(List<LeaseSource> found) {
        Set<String> names = new HashSet<>();
        found.stream()
                .filter(LeaseSource::isPool)
                .forEach(each -> names.add(each.ownPool().name()));
        return names;
    }

    /** Rolls a grant back: the next walk, which is due at once, begins at the front. */
    private static final class OutOfTurn extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OutOfTurn() {
            super("another walk was asked for", null, false, false);
        }
    }

    // ---- the walk -----------------------------------------------------------------------------------------------

    /** Somebody who has had a turn in vain. */
    private record Waiting(Lease lease, List<LeaseSource> sources, boolean letsNobodyBy) {
        boolean wants(String source) {
            return sources.stream().anyMatch(each -> each.id().equals(source));
        }

        boolean wantsPool(String team, String name) {
            return lease.wish().team().equals(team)
                    && sources.stream()
                            .anyMatch(each ->
                                    each.isPool() && each.ownPool().name().equals(name));
        }
    }

    private final class Walk implements Turns {
        private final List<Lease> queue;
        private final boolean pools;
        private final Hold hold;
        private final LeaseSources.Look look = sources.look();
        private final List<Waiting> front = new ArrayList<>();
        /** Who failed to get so many of a source; another who wants as many for as long or longer fails too. */
        private final Map<String, Instant> failed = new HashMap<>();

        private int next;

        /** @param pools whether it gives GPUs of pools; else those inside reservations */
        Walk(List<Lease> queue, boolean pools, Hold hold) {
            this.queue = queue;
            this.pools = pools;
            this.hold = hold;
        }

        @Override
        public Future<Void> before(Place place, Reservations reservations) {
            if (next >= queue.size()) {
                return Future.succeededFuture();
            }
            Lease lease = queue.get(next);
            if (placeOf(lease).compareTo(place) > 0) {
                return Future.succeededFuture();
            }
            next++;
            return turn(lease, reservations).compose(done -> before(place, reservations));
        }

        @Override
        public Future<Void> rest(Reservations reservations) {
            return next >= queue.size()
                    ? Future.succeededFuture()
                    : turn(queue.get(next++), reservations).compose(done -> rest(reservations));
        }

        private Future<Void> turn(Lease lease, Reservations reservations) {
            return look.of(lease.wish()).compose(found -> {
                Instant now = clock.instant();
                Instant until = now.plus(lease.wish().maxDuration());
                List<LeaseSource> open = found.stream()
                        .filter(each -> pools == each.isPool())
                        .filter(each -> !isKept(each, lease, new Window(now, until), reservations))
                        .filter(each -> mayFit(each, lease, until))
                        .toList();
                boolean isFirst = front.isEmpty() && reservations.isEmpty();
                return grant(lease, open, isFirst, now).compose(granted -> {
                    if (granted.isPresent()) {
                        return given(granted.get(), reservations);
                    }
                    open.forEach(each -> failed.merge(key(each, lease), until, (a, b) -> a.isBefore(b) ? a : b));
                    front.add(new Waiting(lease, found, letsNobodyBy(lease)));
                    return Future.succeededFuture();
                });
            });
        }

        private boolean isKept(LeaseSource source, Lease lease, Window window, Reservations reservations) {
            boolean byLease = front.stream().anyMatch(each -> each.letsNobodyBy() && each.wants(source.id()));
            return byLease
                    || (source.isPool()
                            && reservations.isKept(
                                    lease.wish().team(), source.ownPool().name(), window));
        }

        private boolean mayFit(LeaseSource source, Lease lease, Instant until) {
            Instant inVain = failed.get(key(source, lease));
            return inVain == null || until.isBefore(inVain);
        }

        private String key(LeaseSource source, Lease lease) {
            return source.id() + " " + lease.wish().gpus() + " "
                    + lease.wish().target().models().stream().sorted().toList();
        }

        private Future<Optional<Granted>> grant(Lease lease, List<LeaseSource> open, boolean isFirst, Instant now) {
            if (open.isEmpty()) {
                return Future.succeededFuture(Optional.empty());
            }
            return database.inTransaction(connection -> leases.lock(connection, lease.id())
                            .compose(found -> found.isPresent()
                                            && found.get().state() == LeaseState.QUEUED
                                            && now.isBefore(found.get().waitsUntil())
                                    ? transition.grant(connection, found.get(), open, now)
                                    : Future.succeededFuture(Optional.<Granted>empty()))
                            .compose(granted -> isFirst ? Future.succeededFuture(granted) : inTurn(granted)))
                    .onSuccess(granted -> granted.ifPresent(each -> watch.changed(lease.id())))
                    .recover(fault -> fault instanceof OutOfTurn
                            ? Future.succeededFuture(Optional.empty())
                            : Future.failedFuture(fault));
        }

        /**
         * What came free while the line is walked is for those who have had their turn already. Whoever is first gets it in
         * any case, so that a busy line moves on.
         */
        private Future<Optional<Granted>> inTurn(Optional<Granted> granted) {
            return granted.isEmpty()
                    ? Future.succeededFuture(granted)
                    : hold.isAskedAgain()
                            .compose(again ->
                                    again ? Future.failedFuture(new OutOfTurn()) : Future.succeededFuture(granted));
        }

        private Future<Void> given(Granted granted, Reservations reservations) {
            LeaseSource source = granted.source();
            List<String> passed = front.stream()
                    .filter(each -> each.wants(source.id()))
                    .map(each -> each.lease().id())
                    .toList();
            Lease lease = granted.lease();
            Instant now = clock.instant();
            Future<Void> others = source.isPool()
                    ? reservations.passed(
                            lease.wish().team(),
                            source.ownPool().name(),
                            new Window(now, now.plus(lease.wish().maxDuration())))
                    : Future.succeededFuture();
            return others.compose(done -> leases.passed(passed));
        }

        @Override
        public boolean isEmpty() {
            return front.isEmpty();
        }

        @Override
        public boolean isKept(String team, String pool, Window window) {
            return front.stream()
                    .anyMatch(each -> each.letsNobodyBy()
                            && each.wantsPool(team, pool)
                            && wouldHold(each.lease()).overlaps(window));
        }

        @Override
        public Future<Void> passed(String team, String pool, Window window) {
            return leases.passed(front.stream()
                    .filter(each -> each.wantsPool(team, pool)
                            && wouldHold(each.lease()).overlaps(window))
                    .map(each -> each.lease().id())
                    .toList());
        }
    }
}
