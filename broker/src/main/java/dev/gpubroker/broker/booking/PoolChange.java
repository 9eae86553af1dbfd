package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.AllocationChanges;
import dev.gpubroker.broker.allocation.AllocationChanges.Ahead;
import dev.gpubroker.broker.allocation.Allocations;
import dev.gpubroker.broker.allocation.Allocations.Wanted;
import dev.gpubroker.broker.allocation.Place;
import dev.gpubroker.broker.booking.BookingService.Frame;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.PlanDesk;
import dev.gpubroker.broker.quote.Quoter;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.Limits;
import dev.gpubroker.broker.request.RequestJson;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Changes of what is held in own pools. What runs keeps its GPUs; what has not begun may get others when the same ones do not
 * do.
 */
final class PoolChange {
    private static final int WINDOWS_SHOWN = 3;

    private final Allocations allocations;
    private final AllocationChanges rectangles;
    private final Displaced displaced;
    private final Quoter quoter;
    private final OwnerWrite writes;
    private final DueWork due;
    private final Refusals refusals;
    private final InstantSource clock;

    PoolChange(
            Allocations allocations,
            AllocationChanges rectangles,
            Displaced displaced,
            Quoter quoter,
            OwnerWrite writes,
            DueWork due,
            Refusals refusals,
            InstantSource clock) {
        this.allocations = allocations;
        this.rectangles = rectangles;
        this.displaced = displaced;
        this.quoter = quoter;
        this.writes = writes;
        this.due = due;
        this.refusals = refusals;
        this.clock = clock;
    }

    /** @param begun then the GPUs it has stay where they are */
    Future<Reservation> change(Reservation r, ChangeWish wish, String who, Frame frame, boolean begun, Instant now) {
        Plan plan = Objects.requireNonNull(r.plan(), "what is held in a pool has a plan");
        BookingRequest request = wish.request(refusals);
        Wanted wanted = PlanDesk.wanted(r.team(), request, plan);
        return writes.write(
                        r,
                        who,
                        frame,
                        connection -> (wish.movesStart()
                                        ? moved(connection, r, wish, wanted, now)
                                        : inPlace(connection, r, wish, wanted, begun, now))
                                .compose(done -> rectangles.of(connection, r.id()))
                                .compose(places ->
                                        displaced.flags(connection, r, edit(r, wish, request, plan, places, now), now))
                                .compose(edit -> due.poke(connection, Waitlist.KIND, "all")
                                        .map(new OwnerWrite.Next(edit, ReservationChange.BY_OWNER))))
                .recover(fault ->
                        fault instanceof NoRoom none ? refused(none, r, wish, wanted) : Future.failedFuture(fault));
    }

    private Edit edit(
            Reservation r, ChangeWish wish, BookingRequest request, Plan plan, List<Place> places, Instant now) {
        Window window = wish.window();
        Plan altered = AlteredPlan.placed(plan, places, window, quoter.ownCapacity(wish.count(), window.length()));
        Reservation.AgreedQuote quote = r.quote();
        Edit edit = wish.edit()
                .window(window, request)
                .plan(altered)
                .nodes(ReservationStep.assigned(places))
                .quote(quote == null ? null : new Reservation.AgreedQuote(quote.quoteId(), altered, now));
        return r.state() == ReservationState.ACTIVE
                ? edit.next("end", window.end())
                : edit.next("start", window.start());
    }

    // ---- rectangles ---------------------------------------------------------------------------------------

    private enum Cause {
        START,
        END,
        COUNT,
        CLEANING
    }

    /** Leaves the transaction, which writes nothing, to say what is in the way. */
    private static final class NoRoom extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final Cause cause;

        NoRoom(Cause cause) {
            super("no room: " + cause, null, false, false);
            this.cause = cause;
        }
    }

    private Future<Void> moved(SqlConnection connection, Reservation r, ChangeWish wish, Wanted wanted, Instant now) {
        return rectangles
                .move(connection, wanted, wish.window(), r.id(), now)
                .compose(places ->
                        places.isEmpty() ? Future.failedFuture(new NoRoom(Cause.START)) : Future.succeededFuture());
    }

    private Future<Void> inPlace(
            SqlConnection connection, Reservation r, ChangeWish wish, Wanted wanted, boolean begun, Instant now) {
        return end(connection, r, wish, now)
                .compose(ended -> ended
                        ? count(connection, r, wish, wanted, now).map(counted -> counted ? null : Cause.COUNT)
                        : Future.succeededFuture(Cause.END))
                .compose(missing -> {
                    if (missing == null) {
                        return begun && wish.grows() ? mustBeClean(connection, r) : Future.succeededFuture();
                    }
                    if (begun) {
                        return Future.failedFuture(new NoRoom(missing));
                    }
                    return rectangles
                            .move(connection, wanted, wish.window(), r.id(), now)
                            .compose(places -> places.isEmpty()
                                    ? Future.failedFuture(new NoRoom(missing))
                                    : Future.succeededFuture());
                });
    }

    private Future<Boolean> end(SqlConnection connection, Reservation r, ChangeWish wish, Instant now) {
        Instant end = wish.window().end();
        if (!wish.movesEnd()) {
            return Future.succeededFuture(true);
        }
        return wish.endsLater()
                ? allocations.extend(connection, r.id(), r.window().end(), end, now)
                : allocations.truncate(connection, r.id(), end).map(true);
    }

    private Future<Boolean> count(
            SqlConnection connection, Reservation r, ChangeWish wish, Wanted wanted, Instant now) {
        if (!wish.changesCount()) {
            return Future.succeededFuture(true);
        }
        Instant start = wish.window().start();
        Window rest = new Window(now.isAfter(start) ? now : start, wish.window().end());
        return rectangles.resize(connection, wanted, rest, r.id(), now);
    }

    /** The number counts only on delivery, and GPUs that are still being cleared away are not delivered. */
    private Future<Void> mustBeClean(SqlConnection connection, Reservation r) {
        return rectangles
                .waitsForAnEarlierOne(connection, r.id())
                .compose(waits -> waits ? Future.failedFuture(new NoRoom(Cause.CLEANING)) : Future.succeededFuture());
    }

    // ---- refusals -----------------------------------------------------------------------------------------

    private <T> Future<T> refused(NoRoom none, Reservation r, ChangeWish wish, Wanted wanted) {
        switch (none.cause) {
            case END:
                return endRefused(r, wish);
            case START:
                return told(
                        wanted,
                        wish.window(),
                        r,
                        "There is no room for it in that window; freeWindows says when there is.",
                        "该时段没有空间；可用时段见 freeWindows。");
            case COUNT:
                return told(
                        wanted,
                        wish.window(),
                        r,
                        "It cannot have " + wish.count()
                                + " GPUs and keep those it has: up to 8 are on one machine, more are"
                                + " whole machines of one pool. conflicts says what is in the way.",
                        "保留现有 GPU 的前提下无法变为 " + wish.count() + " 张：8 张以内在同一台机器上，更多时为同一资源池的整机；占用情况见 conflicts。");
            default:
                throw refusals.changeRefused(
                        "The GPUs beside it are just being cleared of an earlier booking; try again in a minute.",
                        "相邻 GPU 正在清理上一个预订，请稍后重试。");
        }
    }

    private <T> Future<T> told(Wanted wanted, Window window, Reservation r, String detail, String detailZh) {
        Window ahead = window.start().isBefore(clock.instant()) ? new Window(clock.instant(), window.end()) : window;
        return Future.all(
                        allocations.freeWindows(wanted, ahead, horizon(), WINDOWS_SHOWN),
                        allocations.conflicts(wanted, ahead))
                .compose(both -> {
                    List<Allocations.Conflict> all = both.resultAt(1);
                    List<Allocations.Conflict> others = all.stream()
                            .filter(each -> !r.id().equals(each.reservationId()))
                            .toList();
                    return Future.failedFuture(refusals.changeRefused(
                            detail,
                            detailZh,
                            null,
                            both.resultAt(0),
                            others,
                            r.request().timeZone()));
                });
    }

    /** Names how long the very same GPUs are free, what takes them then, and when the missing hours fit as a new booking. */
    private <T> Future<T> endRefused(Reservation r, ChangeWish wish) {
        Plan plan = Objects.requireNonNull(r.plan(), "what is held in a pool has a plan");
        Window added = new Window(r.window().end(), wish.window().end());
        Wanted same = PlanDesk.wanted(r.team(), r.request(), plan);
        return Future.all(
                        rectangles.ahead(r.id(), added), allocations.freeWindows(same, added, horizon(), WINDOWS_SHOWN))
                .compose(both -> {
                    Ahead ahead = both.resultAt(0);
                    return Future.failedFuture(
                            endRefused(r, longestEnd(r, ahead.freeUntil()), ahead, both.resultAt(1)));
                });
    }

    /** The last full hour before something else begins; null where there is none after the present end. */
    static @Nullable Instant longestEnd(Reservation r, @Nullable Instant freeUntil) {
        if (freeUntil == null) {
            return null;
        }
        ZoneId zone = r.request().timeZone();
        Instant most = r.window().start().plus(Limits.MAX_LENGTH);
        Instant end = (freeUntil.isBefore(most) ? freeUntil : most)
                .atZone(zone)
                .truncatedTo(ChronoUnit.HOURS)
                .toInstant();
        return end.isAfter(r.window().end()) ? end : null;
    }

    private ApiProblem endRefused(
            Reservation r, @Nullable Instant longest, Ahead ahead, List<Allocations.FreeWindow> free) {
        ZoneId zone = r.request().timeZone();
        String present = RequestJson.time(r.window().end(), zone);
        String until = longest == null ? present : RequestJson.time(longest, zone);
        boolean elsewhere = !free.isEmpty();
        return refusals.changeRefused(
                (longest == null
                                ? "Its GPUs are taken from its present end, " + present + ", on: it cannot be extended."
                                : "Its GPUs are free until " + until + ": that is the longest possible extension.")
                        + (elsewhere ? " freeWindows says when the missing hours fit as a new booking." : ""),
                (longest == null ? "其 GPU 自现结束时间 " + present + " 起已被占用，无法延长。" : "其 GPU 空闲至 " + until + "，最长只能延长到该时间。")
                        + (elsewhere ? "其余时长可另行预订，见 freeWindows。" : ""),
                longest,
                free,
                ahead.conflicts(),
                zone);
    }

    private Instant horizon() {
        return clock.instant().plus(Limits.HORIZON);
    }
}
