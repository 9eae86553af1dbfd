package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.Rejection;
import dev.gpubroker.broker.quote.Costing;
import dev.gpubroker.broker.request.BookingRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One reservation as the ledger holds it.
 *
 * @param ending where a releasing reservation will end
 * @param plan what is to be bought or was; null while nothing can be named
 * @param assignedNodes machines, once there are any
 * @param standIn the model that stands in, planned or final; null for the asked one
 * @param quoteId of the plan as it was agreed
 * @param pending a change that has been asked of the platform and is not delivered yet
 * @param joinedAt when it joined the line of those who wait; null once it has capacity
 * @param attempts purchases tried so far
 * @param wasClaimed whether capacity was ever ours
 */
public record Reservation(
        String id,
        String team,
        String owner,
        @Nullable String title,
        Map<String, String> labels,
        ReservationState state,
        @Nullable ReservationState ending,
        Set<String> health,
        BookingRequest request,
        Window window,
        @Nullable Plan plan,
        List<AssignedNode> nodes,
        @Nullable Substituted standIn,
        @Nullable Proposal proposal,
        @Nullable AgreedQuote quote,
        Terms terms,
        List<Rejection> explanation,
        List<Blocker> blockers,
        @Nullable NextAction next,
        @Nullable PendingChange pending,
        int priority,
        @Nullable Instant joinedAt,
        int attempts,
        boolean wasClaimed,
        long version,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Instant endedAt) {
    public Reservation {
        labels = Map.copyOf(labels);
        health = Set.copyOf(health);
        nodes = List.copyOf(nodes);
        explanation = List.copyOf(explanation);
        blockers = List.copyOf(blockers);
    }

    /** A machine and which of its GPUs; {@code platformRef} is the platform's id of it. */
    public record AssignedNode(
            String id,
            String name,
            int firstGpu,
            int gpus,
            @Nullable String platformRef) {}

    /** @param last whether it has been bought; until then the asked model is still watched */
    public record Substituted(Plan.StandIn standIn, boolean last) {}

    /** @param kind {@code substitute}, {@code held_place}, {@code higher_price} */
    public record Proposal(String kind, String detail, String detailZh, String quoteId, Plan plan, Instant expiresAt) {}

    public record AgreedQuote(String quoteId, Plan plan, Instant agreedAt) {}

    public record Blocker(String what, @Nullable Instant fixBy, String how, String howZh) {}

    public record NextAction(String what, Instant at) {}

    /**
     * A number of GPUs that counts once the platform has delivered what is missing.
     *
     * @param attempt under which its claims stand until then
     * @param added what the further machines cost
     */
    public record PendingChange(int count, int attempt, Instant requestedAt, Costing added) {}

    /** The instant from which a wait has run out. */
    Instant runsOutAt(java.time.Duration grace) {
        Instant graced = window.start().plus(grace);
        return graced.isBefore(window.end()) ? graced : window.end();
    }

    Edit edit() {
        return new Edit(this);
    }
}
