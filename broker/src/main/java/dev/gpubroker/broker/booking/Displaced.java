package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.AllocationChanges;
import dev.gpubroker.broker.allocation.OutageEffects;
import dev.gpubroker.broker.allocation.OutageStore;
import dev.gpubroker.broker.allocation.OutageStore.Hit;
import dev.gpubroker.broker.allocation.Place;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.PlanDesk;
import dev.gpubroker.broker.quote.Quoter;
import dev.gpubroker.broker.request.RequestJson;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reservations whose own machines are out of order. What has not begun gets other GPUs if there are any, else its owner is
 * told; what runs stays where it is, and its owner is told.
 */
final class Displaced implements OutageEffects {
    /** Of the blocker that says so. */
    static final String OUTAGE = "outage";

    private static final String DEGRADED = "degraded";

    private final Database database;
    private final ReservationStore reservations;
    private final OutageStore outages;
    private final AllocationChanges rectangles;
    private final Transition transition;
    private final Quoter quoter;
    private final DueWork due;
    private final InstantSource clock;

    Displaced(
            Database database,
            ReservationStore reservations,
            OutageStore outages,
            AllocationChanges rectangles,
            Transition transition,
            Quoter quoter,
            DueWork due,
            InstantSource clock) {
        this.database = database;
        this.reservations = reservations;
        this.outages = outages;
        this.rectangles = rectangles;
        this.transition = transition;
        this.quoter = quoter;
        this.due = due;
        this.clock = clock;
    }

    @Override
    public Future<List<Effect>> review(SqlConnection connection, List<String> reservationIds, String who, Instant now) {
        List<Effect> effects = new ArrayList<>();
        Future<Void> all = Future.succeededFuture();
        for (String id : reservationIds) {
            all = all.compose(done -> review(connection, id, who, now))
                    .onSuccess(effect -> effect.ifPresent(effects::add))
                    .mapEmpty();
        }
        return all.map(done -> List.copyOf(effects));
    }

    private Future<Optional<Effect>> review(SqlConnection connection, String id, String who, Instant now) {
        return reservations.lock(connection, id).compose(found -> {
            if (found.isEmpty() || !holdsOwnMachines(found.get())) {
                return Future.succeededFuture(Optional.empty());
            }
            Reservation r = found.get();
            return outages.hits(connection, id, now).compose(hits -> {
                if (hits.isEmpty()) {
                    return isFlagged(r) ? restored(connection, r, who, now) : none();
                }
                return r.state() == ReservationState.ACTIVE
                        ? degraded(connection, r, hits, who, now)
                        : placedElsewhere(connection, r, hits, who, now);
            });
        });
    }

    private static boolean holdsOwnMachines(Reservation r) {
        return r.plan() != null
                && !ReservationStep.isFromPlatform(r)
                && (r.state() == ReservationState.CONFIRMED
                        || r.state() == ReservationState.PROVISIONING
                        || r.state() == ReservationState.ACTIVE);
    }

    private static Future<Optional<Effect>> none() {
        return Future.succeededFuture(Optional.empty());
    }

    private static boolean isFlagged(Reservation r) {
        return r.health().contains(DEGRADED) || r.blockers().stream().anyMatch(Displaced::isOutage);
    }

    /** Whether an outage took its place before it began. */
    static boolean isDisplaced(Reservation r) {
        return r.state() != ReservationState.ACTIVE && r.blockers().stream().anyMatch(Displaced::isOutage);
    }

    /** Whether it may not start: what it would start on is out of order now. */
    static boolean holdsBack(Reservation r, Instant now) {
        return r.blockers().stream()
                .anyMatch(blocker -> isOutage(blocker)
                        && (blocker.fixBy() == null || !blocker.fixBy().isAfter(now)));
    }

    static boolean isOutage(Reservation.Blocker blocker) {
        return blocker.what().equals(OUTAGE);
    }

    private Future<Optional<Effect>> restored(SqlConnection connection, Reservation r, String who, Instant now) {
        return written(
                connection,
                r,
                flagged(r.edit(), r, List.of()).at(now),
                who,
                new Why("its machines are in order again", "机器已恢复"),
                Kind.RESTORED);
    }

    private Future<Optional<Effect>> degraded(
            SqlConnection connection, Reservation r, List<Hit> hits, String who, Instant now) {
        Reservation next = flagged(r.edit(), r, hits).at(now);
        return isFlaggedAlike(r, next)
                ? none()
                : written(
                        connection,
                        r,
                        next,
                        who,
                        told(r, hits).and("it runs there, and running work is not moved", "预订正在其上运行，运行中的任务不会被移动"),
                        Kind.DEGRADED);
    }

    private Future<Optional<Effect>> placedElsewhere(
            SqlConnection connection, Reservation r, List<Hit> hits, String who, Instant now) {
        Plan plan = Objects.requireNonNull(r.plan(), "it holds own machines");
        return rectangles
                .move(connection, PlanDesk.wanted(r.team(), r.request(), plan), r.window(), r.id(), now)
                .compose(places -> {
                    if (!places.isEmpty()) {
                        return written(
                                connection,
                                r,
                                flagged(at(r, plan, places), r, List.of()).at(now),
                                who,
                                told(r, hits)
                                        .and(
                                                "it has other GPUs of pool "
                                                        + places.get(0).poolName(),
                                                "已改用资源池 " + places.get(0).poolName() + " 的其他 GPU"),
                                Kind.MOVED);
                    }
                    Reservation next = flagged(r.edit(), r, hits).at(now);
                    return isFlaggedAlike(r, next)
                            ? none()
                            : written(
                                    connection,
                                    r,
                                    next,
                                    who,
                                    told(r, hits).and("there is no other room for it now", "目前没有其他空闲容量"),
                                    Kind.BLOCKED);
                });
    }

    private Edit at(Reservation r, Plan plan, List<Place> places) {
        Window window = r.window();
        return r.edit()
                .plan(AlteredPlan.placed(
                        plan,
                        places,
                        window,
                        quoter.ownCapacity(r.request().gpu().count(), window.length())))
                .nodes(ReservationStep.assigned(places));
    }

    private static boolean isFlaggedAlike(Reservation one, Reservation other) {
        return one.health().equals(other.health()) && one.blockers().equals(other.blockers());
    }

    private static Why told(Reservation r, List<Hit> hits) {
        Hit first = hits.get(0);
        String from = RequestJson.time(first.start(), r.request().timeZone());
        return new Why(
                first.node() + " is out of order from " + from + ": " + first.reason(),
                first.node() + " 自 " + from + " 起停用：" + first.reason());
    }

    private Future<Optional<Effect>> written(
            SqlConnection connection, Reservation before, Reservation after, String who, Why why, Kind kind) {
        return transition
                .save(connection, before, after, who, why)
                .compose(saved -> due.poke(connection, ReservationStep.KIND, before.id()))
                .map(Optional.of(new Effect(before.id(), before.title(), kind)));
    }

    // ---- flags --------------------------------------------------------------------------------------------

    /** The flags as they are after the owner changed what is held, inside the transaction of that change. */
    Future<Edit> flags(SqlConnection connection, Reservation r, Edit edit, Instant now) {
        return isFlagged(r)
                ? outages.hits(connection, r.id(), now).map(hits -> flagged(edit, r, hits))
                : Future.succeededFuture(edit);
    }

    /** What runs is degraded; what has not begun is blocked, by the instant at which it would hurt. */
    private static Edit flagged(Edit edit, Reservation r, List<Hit> hits) {
        boolean runs = r.state() == ReservationState.ACTIVE;
        Stream<Reservation.Blocker> others = r.blockers().stream().filter(blocker -> !isOutage(blocker));
        Stream<Reservation.Blocker> ours = hits.isEmpty() || runs ? Stream.of() : Stream.of(blocker(r, hits.get(0)));
        return edit.blockers(Stream.concat(others, ours).toList()).health(DEGRADED, runs && !hits.isEmpty());
    }

    private static Reservation.Blocker blocker(Reservation r, Hit hit) {
        ZoneId zone = r.request().timeZone();
        Instant by = hit.start().isAfter(r.window().start())
                ? hit.start()
                : r.window().start();
        Instant back = hit.end();
        String until = back == null ? "" : " until " + RequestJson.time(back, zone);
        String untilZh = back == null ? "" : "至 " + RequestJson.time(back, zone);
        return new Reservation.Blocker(
                OUTAGE,
                by,
                hit.node() + " is out of order" + until + " (" + hit.reason()
                        + ") and nothing else is free: repair it, free other machines, or change start, end or count.",
                hit.node() + " 停用" + untilZh + "（" + hit.reason() + "），且没有其他空闲容量：请修复机器、腾出其他机器，或修改开始、结束时间或卡数。");
    }

    // ---- freed capacity -----------------------------------------------------------------------------------

    /** Those who lost their GPUs get freed ones before those who wait in line: they have been promised theirs. */
    Future<Void> placeAgain() {
        return reservations.displaced().compose(blocked -> {
            Future<Void> all = Future.succeededFuture();
            for (Reservation r : blocked) {
                all = all.compose(done -> database.inTransaction(
                                connection -> review(connection, r.id(), Transition.WHO, clock.instant())))
                        .mapEmpty();
            }
            return all;
        });
    }
}
