package dev.gpubroker.broker.booking;

import dev.gpubroker.broker.planning.Plan;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a booking comes to. */
sealed interface BookingOutcome {
    /** A place in an own pool: certain at once. */
    record Take(Plan plan) implements BookingOutcome {}

    /** Bought now, for later or to be held. */
    record Order(Plan plan) implements BookingOutcome {}

    /**
     * Bought later, or waited for.
     *
     * @param plan null while nothing can be named
     * @param planned the stand-in that will be taken if the asked model does not appear; null for none
     */
    record Wait(@Nullable Plan plan, @Nullable Plan planned, Reservation.NextAction next) implements BookingOutcome {}

    /** The owner is asked first. */
    record Ask(Reservation.Proposal proposal) implements BookingOutcome {
        /** Nobody else gets the place in an own pool until the owner has answered. */
        boolean holdsAPlace() {
            return proposal.kind().equals(BookingDecision.HELD_PLACE);
        }
    }

    /** The plan whose place in an own pool is taken at once, for good or until the owner has answered. */
    default Optional<Plan> placed() {
        if (this instanceof Take take) {
            return Optional.of(take.plan());
        }
        return this instanceof Ask ask && ask.holdsAPlace()
                ? Optional.of(ask.proposal().plan())
                : Optional.empty();
    }

    /** Nothing fits, and the caller does not want to wait. */
    record NoCapacity() implements BookingOutcome {}

    /** Nothing could ever fit. */
    record NotEligible() implements BookingOutcome {}
}
