package dev.gpubroker.broker.booking;

import dev.gpubroker.broker.claim.Claim;
import dev.gpubroker.broker.claim.ClaimChanges;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.schedule.DueHandler.Hold;
import dev.gpubroker.broker.schedule.DueHandler.Next;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A group of which some machines were delivered and others were not. By default it is had whole or not at all; the policy may
 * say that a part is worth keeping.
 */
final class PartDelivered {
    private static final int WHOLE = 100;

    private final ClaimChanges claimChanges;
    private final Transition transition;
    private final Caps caps;
    private final Supplier<Policy> policy;

    PartDelivered(ClaimChanges claimChanges, Transition transition, Caps caps, Supplier<Policy> policy) {
        this.claimChanges = claimChanges;
        this.transition = transition;
        this.caps = caps;
        this.policy = policy;
    }

    /** Whether what is ours of an attempt, or may become ours, would be enough of it. */
    boolean mayDo(Plan plan, List<Claim> attempt) {
        int most = machines(attempt, claim -> ReservationStep.isOurs(claim) || ReservationStep.mayBecomeOurs(claim));
        return most > 0 && most * WHOLE >= plan.nodes() * policy.get().leastPart();
    }

    private static int machines(List<Claim> attempt, Predicate<Claim> counted) {
        return attempt.stream()
                .filter(counted)
                .mapToInt(claim -> claim.request().nodes())
                .sum();
    }

    /** Keeps the part once every other claim of the attempt has ended; their steps say when. */
    Future<Optional<Next>> step(Reservation r, Plan plan, List<Claim> attempt, Hold hold, Instant now) {
        boolean settled = attempt.stream()
                .allMatch(
                        claim -> ReservationStep.isOurs(claim) || !claim.state().isOpen());
        return settled
                ? keep(r, plan, attempt, hold, now)
                : Future.succeededFuture(Next.at(r.window().end()));
    }

    private Future<Optional<Next>> keep(Reservation r, Plan plan, List<Claim> attempt, Hold hold, Instant now) {
        int nodes = machines(attempt, ReservationStep::isOurs);
        Plan part = AlteredPlan.part(plan, nodes);
        List<Claim> lost =
                attempt.stream().filter(claim -> !ReservationStep.isOurs(claim)).toList();
        Why why = Why.lost(lost, new Why("the others never appeared", "其余机器一直没有出现"));
        return transition.write(
                r,
                hold,
                new Why(
                        "the platform delivered " + nodes + " of " + plan.nodes() + " machines (" + why.english()
                                + "); the policy keeps them",
                        "平台交付了 " + plan.nodes() + " 台中的 " + nodes + " 台（" + why.chinese() + "），按策略予以保留"),
                edit -> ReservationStep.confirm(edit.plan(part), r)
                        .window(r.window(), Growth.withCount(r.request(), part.gpus()))
                        .terms(caps.lessened(r.terms(), part))
                        .quote(quote(r, nodes))
                        .health("partly_filled", true),
                connection -> setAside(connection, lost, Purchase.nextAttempt(r, attempt)));
    }

    private static Reservation.@org.jspecify.annotations.Nullable AgreedQuote quote(Reservation r, int nodes) {
        Reservation.AgreedQuote quote = r.quote();
        return quote == null
                ? null
                : new Reservation.AgreedQuote(quote.quoteId(), AlteredPlan.part(quote.plan(), nodes), quote.agreedAt());
    }

    /** Out of the attempt that goes on, whose claims must all run. */
    private Future<Void> setAside(SqlConnection connection, List<Claim> lost, int number) {
        Future<Void> all = Future.succeededFuture();
        for (Claim claim : lost) {
            all = all.compose(done -> claimChanges.setAside(connection, claim, number));
        }
        return all;
    }
}
