package dev.gpubroker.broker.booking;

import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.Planning;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.stored.Ids;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The first version of a reservation, from what its booking came to. Pure but for the new id. */
final class Drafts {
    private Drafts() {}

    static Reservation of(
            BookingService.BookCommand command,
            Planning planning,
            BookingOutcome outcome,
            String quoteId,
            @Nullable Plan agreed,
            Terms terms,
            Instant now) {
        BookingRequest request = command.request();
        First first = first(outcome, request, now);
        BookingRequest served = first.plan == null || first.state.isWaiting() ? request : first.plan.serving(request);
        return new Reservation(
                Ids.next("rsv", now),
                command.team(),
                command.owner(),
                request.title(),
                request.labels(),
                first.state,
                null,
                Set.of(),
                served,
                served.window(),
                first.plan,
                nodes(outcome, planning),
                first.standIn,
                first.proposal,
                agreed == null ? null : new Reservation.AgreedQuote(quoteId, agreed, now),
                terms,
                planning.explanation(),
                List.of(),
                first.next,
                null,
                0,
                first.state.isWaiting() ? now : null,
                first.state == ReservationState.ORDERING ? 1 : 0,
                outcome instanceof BookingOutcome.Take,
                1,
                now,
                now,
                null);
    }

    /** Where it will be if nobody is faster. */
    private static List<Reservation.AssignedNode> nodes(BookingOutcome outcome, Planning planning) {
        return outcome.placed()
                .flatMap(planning::placeOf)
                .map(place -> ReservationStep.assigned(List.of(place)))
                .orElse(List.of());
    }

    private record First(
            ReservationState state,
            @Nullable Plan plan,
            Reservation.@Nullable Substituted standIn,
            Reservation.@Nullable Proposal proposal,
            Reservation.NextAction next) {}

    private static First first(BookingOutcome outcome, BookingRequest request, Instant now) {
        if (outcome instanceof BookingOutcome.Take take) {
            return new First(
                    ReservationState.CONFIRMED,
                    take.plan(),
                    Waiting.standIn(take.plan(), true),
                    null,
                    new Reservation.NextAction("start", request.window().start()));
        }
        if (outcome instanceof BookingOutcome.Order order) {
            return new First(
                    ReservationState.ORDERING,
                    order.plan(),
                    Waiting.standIn(order.plan(), false),
                    null,
                    new Reservation.NextAction("order", now));
        }
        if (outcome instanceof BookingOutcome.Ask ask) {
            Reservation.Proposal proposal = ask.proposal();
            return new First(
                    ReservationState.OFFERED,
                    null,
                    null,
                    proposal,
                    new Reservation.NextAction("accept_or_decline", proposal.expiresAt()));
        }
        BookingOutcome.Wait wait = (BookingOutcome.Wait) outcome;
        Plan standsIn = wait.planned() == null ? wait.plan() : wait.planned();
        return new First(
                ReservationState.QUEUED,
                wait.plan(),
                standsIn == null ? null : Waiting.standIn(standsIn, false),
                null,
                wait.next());
    }
}
