package dev.gpubroker.broker.booking;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.RefundTerms;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.booking.BookingService.Frame;
import dev.gpubroker.broker.claim.Claim;
import dev.gpubroker.broker.claim.ClaimState;
import dev.gpubroker.broker.claim.ClaimStore;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.planning.Acquisition;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.quote.Cancellation;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.RequestJson;
import dev.gpubroker.broker.schedule.DueWork;
import dev.gpubroker.broker.stored.Ids;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Currency;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Answers to proposals, cancelling and what it costs. Each is one transaction; a refusal changes nothing. */
public final class ChangeService {
    private static final Why ACCEPTED = new Why("the proposal was accepted", "提议已被接受");

    private static final Duration QUOTE_LIFE = Duration.ofMinutes(30);

    private final Database database;
    private final ReservationStore reservations;
    private final ClaimStore claims;
    private final CancellationStore quotes;
    private final Waiting waiting;
    private final Transition transition;
    private final DueWork due;
    private final Caps caps;
    private final Refusals refusals;
    private final InstantSource clock;

    ChangeService(
            Database database,
            ReservationStore reservations,
            ClaimStore claims,
            CancellationStore quotes,
            Waiting waiting,
            Transition transition,
            DueWork due,
            Caps caps,
            Refusals refusals,
            InstantSource clock) {
        this.database = database;
        this.reservations = reservations;
        this.claims = claims;
        this.quotes = quotes;
        this.waiting = waiting;
        this.transition = transition;
        this.due = due;
        this.caps = caps;
        this.refusals = refusals;
        this.clock = clock;
    }

    /** Only the caller's own team's reservations exist for it. */
    public Future<Reservation> read(String team, String id) {
        return reservations
                .read(id)
                .map(found -> found.filter(r -> r.team().equals(team)).orElseThrow(() -> refusals.notFound(id)));
    }

    private Future<Reservation> lock(SqlConnection connection, String team, String id) {
        return reservations
                .lock(connection, id)
                .map(found -> found.filter(r -> r.team().equals(team)).orElseThrow(() -> refusals.notFound(id)));
    }

    // ---- proposals ----------------------------------------------------------------------------------------

    public Future<Reservation> accept(String team, String who, String id, Frame frame) {
        return position(team, id)
                .compose(position -> database.inTransaction(connection -> frame.before(connection)
                        .compose(locked -> lock(connection, team, id))
                        .compose(r -> accepted(connection, r, who))
                        .compose(r -> frame.after(connection, r, position).map(r))))
                .onSuccess(done -> due.lookNow());
    }

    /** In the line of those who wait: an answer, yes or no, leaves everybody where they are. */
    private Future<Integer> position(String team, String id) {
        return read(team, id).compose(reservations::position);
    }

    /** Leads to a purchase at its moment: at once where that has come, else at the start. */
    private Future<Reservation> accepted(SqlConnection connection, Reservation r, String who) {
        Reservation.Proposal proposal = openProposal(r);
        Instant now = clock.instant();
        Plan plan = proposal.plan();
        Terms terms = caps.accepted(r.terms(), plan);
        Plan.StandIn standIn = plan.substitution();
        if (standIn != null) {
            terms = terms.agree(standIn.to());
        }
        if (Transition.holdsAPlace(r)) {
            return saved(connection, r, takeHeld(r, proposal, terms, now), who, ACCEPTED);
        }
        boolean atOnce = BookingDecision.isBoughtNow(plan) || plan.acquisition() == Acquisition.POOL;
        Instant order = atOnce ? now : waiting.orderNoEarlierThan(r, now);
        Reservation next = r.edit()
                .state(ReservationState.QUEUED)
                .plan(plan)
                .standIn(Waiting.standIn(plan, false))
                .proposal(null)
                .quote(new Reservation.AgreedQuote(proposal.quoteId(), plan, now))
                .terms(terms.decided(now))
                .window(r.window(), agreedTo(proposal, r.request()))
                .joined(r.joinedAt() == null ? r.createdAt() : r.joinedAt())
                .next("order", order)
                .at(now);
        return saved(connection, r, next, who, ACCEPTED);
    }

    /** A price above the request's own limit, once accepted, is its limit. */
    private static BookingRequest agreedTo(Reservation.Proposal proposal, BookingRequest request) {
        Money total = proposal.plan().costing().total();
        boolean raises = proposal.kind().equals(BookingDecision.HIGHER_PRICE) && request.maxTotal() != null;
        return raises && total != null ? request.withMaxTotal(total) : request;
    }

    /** The place is ours since the proposal was made. */
    private static Reservation takeHeld(Reservation r, Reservation.Proposal proposal, Terms terms, Instant now) {
        Plan plan = proposal.plan();
        return r.edit()
                .state(ReservationState.CONFIRMED)
                .claimed()
                .plan(plan)
                .standIn(Waiting.standIn(plan, true))
                .proposal(null)
                .quote(new Reservation.AgreedQuote(proposal.quoteId(), plan, now))
                .terms(terms.decided(now))
                .next("start", r.window().start())
                .at(now);
    }

    public Future<Reservation> decline(String team, String who, String id, Frame frame) {
        return position(team, id)
                .compose(position -> database.inTransaction(connection -> frame.before(connection)
                        .compose(locked -> lock(connection, team, id))
                        .compose(r -> {
                            openProposal(r);
                            Instant now = clock.instant();
                            Reservation next = waiting.backToQueue(r.edit(), r, r.terms()::decline, now)
                                    .at(now);
                            return saved(connection, r, next, who, new Why("the proposal was declined", "提议已被拒绝"));
                        })
                        .compose(r -> frame.after(connection, r, position).map(r))))
                .onSuccess(done -> due.lookNow());
    }

    private Reservation.Proposal openProposal(Reservation r) {
        Reservation.Proposal proposal = r.proposal();
        if (r.state() != ReservationState.OFFERED || proposal == null) {
            throw refusals.noProposal(r);
        }
        if (!clock.instant().isBefore(proposal.expiresAt())) {
            throw refusals.proposalLapsed();
        }
        return proposal;
    }

    private Future<Reservation> saved(
            SqlConnection connection, Reservation before, Reservation after, String who, Why why) {
        return transition
                .save(connection, before, after, who, why)
                .compose(saved -> saved
                        ? due.poke(connection, ReservationStep.KIND, before.id())
                                .map(after)
                        : Future.failedFuture(refusals.stale(before)));
    }

    // ---- cancelling ---------------------------------------------------------------------------------------

    public Future<ObjectNode> quoteCancellation(String team, String id) {
        return read(team, id).compose(r -> {
            if (r.state().isEnded() || r.state() == ReservationState.RELEASING) {
                return Future.failedFuture(refusals.wrongState(
                        r, "It has ended, or is ending: there is nothing to cancel.", "预订已结束或正在释放，无需取消。"));
            }
            return claims.ofReservation(id).compose(all -> newQuote(r, all));
        });
    }

    private Future<ObjectNode> newQuote(Reservation r, List<Claim> all) {
        Instant now = clock.instant();
        Cancellation cost = cost(r, all, now);
        CancellationStore.Quote quote = new CancellationStore.Quote(
                Ids.next("cqu", now), r.id(), r.attempts(), cost.fee(), cost.refund(), now.plus(QUOTE_LIFE), now);
        return quotes.insert(quote).map(json(r, quote.id(), cost, quote.expiresAt()));
    }

    private static ObjectNode json(Reservation r, String quoteId, Cancellation cost, Instant expiresAt) {
        ObjectNode json = PlanJson.JSON.objectNode();
        json.put("id", quoteId);
        json.put("free", cost.isFree());
        json.set("fee", PlanJson.money(cost.fee()));
        json.set("refund", PlanJson.money(cost.refund()));
        json.set("total", PlanJson.money(cost.total()));
        json.set("refundTerms", PlanJson.refundTerms(cost.terms()));
        json.put("expiresAt", RequestJson.time(expiresAt, r.request().timeZone()));
        return json;
    }

    private static Cancellation cost(Reservation r, List<Claim> all, Instant now) {
        Optional<Claim> bought = all.stream()
                .filter(claim -> !claim.wasNeverSent()
                        && claim.attempt() == r.attempts()
                        && (claim.state() == ClaimState.CLAIMED
                                || claim.state() == ClaimState.ACCEPTED
                                || claim.state() == ClaimState.UNKNOWN))
                .findFirst();
        Plan plan = r.plan();
        if (bought.isEmpty() || plan == null) {
            Plan shown = plan != null || r.quote() == null ? plan : r.quote().plan();
            return shown == null ? nothingBought() : Cancellation.of(shown.costing(), null, now);
        }
        Window taken = bought.get().request().window();
        return Cancellation.of(plan.costing(), taken, now);
    }

    private static Cancellation nothingBought() {
        RefundTerms free = new RefundTerms(RefundTerms.Rule.PAY_PER_USE, BigDecimal.ZERO, "nothing has been bought");
        Money none = Money.zero(Currency.getInstance("CNY"));
        return new Cancellation(none, none, none, free);
    }

    /** Ends at once where nothing was taken; else it is releasing, and ends when everything is given back. */
    public Future<Reservation> cancel(String team, String who, String id, @Nullable String quoteId, Frame frame) {
        Future<Optional<CancellationStore.Quote>> agreed =
                quoteId == null ? Future.succeededFuture(Optional.empty()) : quotes.read(id, quoteId);
        return agreed.compose(quote -> {
            if (quoteId != null && quote.isEmpty()) {
                return Future.failedFuture(refusals.noSuchQuote());
            }
            return claims.ofReservation(id)
                    .compose(all -> database.inTransaction(connection -> frame.before(connection)
                                    .compose(locked -> lock(connection, team, id))
                                    .compose(r -> cancelled(connection, r, all, quote, who))
                                    .compose(r -> frame.after(connection, r, 1).map(r)))
                            .recover(fault -> fault instanceof CostsMoney costs
                                    ? newQuote(costs.reservation, all)
                                            .compose(json ->
                                                    Future.failedFuture(refusals.cancellationQuoteRequired(json)))
                                    : Future.failedFuture(fault))
                            .onSuccess(done -> due.lookNow()));
        });
    }

    private Future<Reservation> cancelled(
            SqlConnection connection,
            Reservation r,
            List<Claim> all,
            Optional<CancellationStore.Quote> agreed,
            String who) {
        if (r.state().isEnded() || r.state() == ReservationState.RELEASING) {
            return Future.succeededFuture(r);
        }
        Instant now = clock.instant();
        Cancellation cost = cost(r, all, now);
        boolean covered = agreed.isPresent()
                && now.isBefore(agreed.get().expiresAt())
                && agreed.get().attempt() == r.attempts()
                && !cost.fee().isMoreThan(agreed.get().fee());
        if (!cost.isFree() && !covered) {
            return Future.failedFuture(new CostsMoney(r));
        }
        return transition
                .giveUp(connection, r, ReservationState.CANCELLED, who, new Why("cancelled", "已取消"), now)
                .compose(next -> next.isEmpty()
                        ? Future.failedFuture(refusals.stale(r))
                        : due.poke(connection, ReservationStep.KIND, r.id()).map(next.get()));
    }

    /** Leaves the transaction to ask for consent. */
    private static final class CostsMoney extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Reservation reservation;

        CostsMoney(Reservation reservation) {
            super("cancelling costs money", null, false, false);
            this.reservation = Objects.requireNonNull(reservation);
        }
    }
}
