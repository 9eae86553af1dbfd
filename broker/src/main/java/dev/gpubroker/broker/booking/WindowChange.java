package dev.gpubroker.broker.booking;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.SupportsTimedEnd;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.Allocations;
import dev.gpubroker.broker.booking.BookingService.Frame;
import dev.gpubroker.broker.claim.Claim;
import dev.gpubroker.broker.claim.ClaimStore;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.platform.Operation;
import dev.gpubroker.broker.platform.Platforms;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.Limits;
import dev.gpubroker.broker.request.RequestTimes;
import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Changes of a reservation by its owner: title, labels, and its end. A refused change changes nothing; an extension never
 * moves running work.
 */
final class WindowChange {
    private final Database database;
    private final ReservationStore reservations;
    private final ClaimStore claims;
    private final Allocations allocations;
    private final Platforms platforms;
    private final Transition transition;
    private final DueWork due;
    private final Refusals refusals;
    private final Supplier<Policy> policy;
    private final InstantSource clock;

    WindowChange(
            Database database,
            ReservationStore reservations,
            ClaimStore claims,
            Allocations allocations,
            Platforms platforms,
            Transition transition,
            DueWork due,
            Refusals refusals,
            Supplier<Policy> policy,
            InstantSource clock) {
        this.database = database;
        this.reservations = reservations;
        this.claims = claims;
        this.allocations = allocations;
        this.platforms = platforms;
        this.transition = transition;
        this.due = due;
        this.refusals = refusals;
        this.policy = policy;
        this.clock = clock;
    }

    /** @param hasKey whether the call carries an idempotency key, which an extension needs */
    Future<Reservation> change(
            String team, String who, String id, long version, ObjectNode body, boolean hasKey, Frame frame) {
        return reservations.read(id).compose(found -> {
            Reservation r = found.filter(each -> each.team().equals(team)).orElseThrow(() -> refusals.notFound(id));
            if (r.version() != version) {
                throw refusals.stale(r);
            }
            if (body.has("count")
                    && body.get("count").asInt() != r.request().gpu().count()) {
                throw refusals.changeRefused(
                        "The number of GPUs cannot be changed; book more, or cancel and book fewer.",
                        "不支持修改卡数；请另行预订，或取消后重新预订。",
                        List.of(),
                        r.request().timeZone());
            }
            Instant end =
                    body.has("end") ? endOf(r, body.get("end")) : r.window().end();
            boolean longer = end.isAfter(r.window().end());
            if (longer && !hasKey) {
                throw keyMissing();
            }
            boolean sameEnd = end.equals(r.window().end());
            if (!sameEnd && (r.state().isEnded() || r.state() == ReservationState.RELEASING)) {
                throw refusals.wrongState(r, "It has ended, or is ending.", "预订已结束或正在释放。");
            }
            Future<Void> moved = sameEnd ? Future.succeededFuture() : moveOnPlatform(r, end, longer);
            return moved.compose(done -> write(r, end, who, body, frame)).onSuccess(done -> due.lookNow());
        });
    }

    private Instant endOf(Reservation r, JsonNode text) {
        ZoneId zone = r.request().timeZone();
        Instant end = RequestTimes.read("end", text.asText(), zone);
        Instant now = clock.instant();
        if (!end.isAfter(r.window().start()) || !end.isAfter(now)) {
            throw new ApiProblem(Problem.of(
                    400,
                    "end_before_start",
                    "The new end must lie after the start and after now.",
                    "新的结束时间必须晚于开始时间和现在。"));
        }
        if (end.isAfter(r.window().start().plus(Limits.MAX_LENGTH))) {
            throw new ApiProblem(Problem.of(
                    400,
                    "beyond_horizon",
                    "A window is at most " + Limits.MAX_LENGTH.toDays() + " days long.",
                    "预订最长 " + Limits.MAX_LENGTH.toDays() + " 天。"));
        }
        return end;
    }

    private static ApiProblem keyMissing() {
        return new ApiProblem(
                400,
                "idempotency_key_missing",
                "An extension spends money: send an Idempotency-Key.",
                "延长会产生费用，请带上 Idempotency-Key 请求头。");
    }

    /** The platform's own end first: a machine must not die between our promise and its. */
    private Future<Void> moveOnPlatform(Reservation r, Instant end, boolean longer) {
        if (!ReservationStep.isFromPlatform(r) || r.state().isWaiting()) {
            return Future.succeededFuture();
        }
        return claims.ofReservation(r.id()).compose(all -> {
            List<Claim> open = all.stream()
                    .filter(claim -> claim.state().isOpen() && !claim.unwanted())
                    .toList();
            Future<Void> moves = Future.succeededFuture();
            for (Claim claim : open) {
                moves = moves.compose(done -> move(r, claim, end, longer));
            }
            return moves;
        });
    }

    private Future<Void> move(Reservation r, Claim claim, Instant end, boolean longer) {
        Instant timedEnd = end.plus(policy.get().endGrace());
        return platforms
                .call(claim.account(), claim.region(), Operation.MOVE_END, adapter -> {
                    if (adapter instanceof SupportsTimedEnd timed) {
                        timed.moveEnd(Objects.requireNonNull(claim.ref(), "an open claim has a reference"), timedEnd);
                        return true;
                    }
                    return false;
                })
                .transform(moved -> {
                    if (moved.succeeded() && moved.result()) {
                        return Future.succeededFuture();
                    }
                    if (!longer) {
                        return Future.succeededFuture(); // Given back at the new end; the platform's own end is later.
                    }
                    return Future.failedFuture(refusals.changeRefused(
                            moved.succeeded()
                                    ? claim.platform() + " cannot extend a booking; make a new one for the time after."
                                    : claim.platform() + " did not move the end; nothing was changed, try again.",
                            moved.succeeded()
                                    ? claim.platform() + " 不支持延长，请为之后的时间另行预订。"
                                    : claim.platform() + " 未能修改结束时间，预订保持不变，请重试。",
                            List.of(),
                            r.request().timeZone()));
                });
    }

    private Future<Reservation> write(Reservation r, Instant end, String who, ObjectNode body, Frame frame) {
        Instant now = clock.instant();
        Reservation next = edited(r, end, body).at(now);
        return database.inTransaction(connection -> frame.before(connection)
                .compose(locked -> rectangles(connection, r, end, now))
                .compose(done -> transition.save(connection, r, next, who, "changed by its owner"))
                .compose(saved -> saved
                        ? due.poke(connection, ReservationStep.KIND, r.id())
                        : Future.failedFuture(refusals.stale(r)))
                .compose(done -> frame.after(connection, next, 1))
                .map(next));
    }

    private static Edit edited(Reservation r, Instant end, ObjectNode body) {
        Edit edit = r.edit();
        if (body.has("title")) {
            edit.title(body.get("title").isNull() ? null : body.get("title").asText());
        }
        if (body.has("labels")) {
            edit.labels(ReservationRoutes.labels(body.get("labels")));
        }
        if (!end.equals(r.window().end())) {
            Window window = new Window(r.window().start(), end);
            edit.window(window, withWindow(r.request(), window));
            if (r.state() == ReservationState.ACTIVE) {
                edit.next("end", end);
            }
        }
        return edit;
    }

    private static BookingRequest withWindow(BookingRequest asked, Window window) {
        return new BookingRequest(
                asked.phrase(),
                asked.gpu(),
                window,
                asked.timeZone(),
                asked.constraints(),
                asked.substitution(),
                asked.onUnavailable(),
                asked.machine(),
                asked.atEnd(),
                asked.maxTotal(),
                asked.title(),
                asked.labels());
    }

    private Future<Void> rectangles(SqlConnection connection, Reservation r, Instant end, Instant now) {
        boolean own = r.plan() != null
                && !ReservationStep.isFromPlatform(r)
                && !r.state().isWaiting();
        if (!own || end.equals(r.window().end())) {
            return Future.succeededFuture();
        }
        if (end.isBefore(r.window().end())) {
            return allocations
                    .truncate(connection, r.id(), end)
                    .compose(done -> due.poke(connection, Waitlist.KIND, "all"));
        }
        return allocations
                .extend(connection, r.id(), r.window().end(), end, now)
                .compose(extended -> extended
                        ? Future.succeededFuture()
                        : Future.failedFuture(refusals.changeRefused(
                                "Its GPUs are booked by somebody else after the present end.",
                                "现结束时间之后这些 GPU 已被他人预订。",
                                List.of(),
                                r.request().timeZone())));
    }
}
