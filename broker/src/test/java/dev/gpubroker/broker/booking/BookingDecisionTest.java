package dev.gpubroker.broker.booking;

import static dev.gpubroker.broker.planning.Asked.A100;
import static dev.gpubroker.broker.planning.Asked.NOW;
import static dev.gpubroker.broker.planning.Asked.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.planning.Asked;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.Planning;
import dev.gpubroker.broker.planning.Policy;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What a booking comes to, from its plans and the clock. */
final class BookingDecisionTest {
    private static final Instant DECIDED = WINDOW.start().minus(Duration.ofHours(24));

    @Test
    void whereNothingMayStandInTheStockIsWatchedAndNoFallbackDecided() {
        Asked asked = new Asked().substitution(Substitution.Mode.NEVER, false).stock("aliyun", A100, 0, "277.93");

        assertThat(next(asked)).isEqualTo(new Reservation.NextAction("watch_stock", DECIDED));
        assertThat(asked.plan().plans().get(0).actions())
                .extracting(Plan.Action::what)
                .containsExactly("watch_stock", "order", "start", "end");
    }

    @Test
    void whereAnotherModelMayStandInTheFallbackIsDecidedOnTheSameDate() {
        Asked asked = new Asked().substitution(Substitution.Mode.ASK, true).stock("aliyun", A100, 0, "277.93");

        assertThat(next(asked)).isEqualTo(new Reservation.NextAction("decide_fallback", DECIDED));
        assertThat(asked.plan().plans().get(0).actions())
                .extracting(Plan.Action::what)
                .containsExactly("decide_fallback", "order", "start", "end");
    }

    @Test
    void whatIsInStockIsOrderedAtTheStart() {
        Asked asked = new Asked().substitution(Substitution.Mode.NEVER, false).stock("aliyun", A100, 8, "277.93");

        assertThat(next(asked)).isEqualTo(new Reservation.NextAction("order", WINDOW.start()));
    }

    private static Reservation.NextAction next(Asked asked) {
        Planning planning = asked.plan();
        BookingOutcome outcome =
                new BookingDecision(asked.request(), planning, Policy.standard(), NOW, () -> "quo_1").decide();
        assertThat(outcome).isInstanceOf(BookingOutcome.Wait.class);
        return ((BookingOutcome.Wait) outcome).next();
    }
}
