package dev.gpubroker.broker.schedule;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.Optional;

/**
 * Does one kind of due work. Safe to repeat: a worker may die at any instant, and the work is then done again by another.
 */
@FunctionalInterface
public interface DueHandler {
    /** @return when to look again; empty when there is nothing more to do */
    Future<Optional<Next>> handle(Hold hold);

    /** @param periodic a look that repeats; a walk of the demo clock does it once */
    record Next(Instant at, boolean periodic) {
        public static Optional<Next> at(Instant at) {
            return Optional.of(new Next(at, false));
        }

        public static Optional<Next> periodic(Instant at) {
            return Optional.of(new Next(at, true));
        }
    }

    /** The worker's hold on the item. */
    interface Hold {
        DueItem item();

        /**
         * Whether a call may be sent now: the hold has enough time left by the monotonic clock, and the database still
         * shows its fence. To be asked right before sending.
         */
        Future<Boolean> mayStillSend();

        /**
         * Whether somebody has asked for another look since the work was taken. What makes a look necessary commits together
         * with the asking, so who has seen the one sees the other here.
         */
        default Future<Boolean> isAskedAgain() {
            return Future.succeededFuture(false);
        }

        /** Inside the transaction that records an answer: whether nobody has taken the work over. */
        Future<Boolean> stands(SqlConnection connection);
    }
}
