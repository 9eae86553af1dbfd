package dev.gpubroker.broker.booking;

import dev.gpubroker.broker.schedule.DueWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;

/** Puts what is to be done before the end of a reservation on the list, in the transaction in which its end is known. */
final class EndWork {
    private EndWork() {}

    /** @param r that runs, with its end as it is from now on */
    static Future<Void> schedule(DueWork due, SqlConnection connection, Reservation r) {
        return EndWarnings.first(r.window(), r.updatedAt())
                .map(at -> due.schedule(connection, EndWarnings.KIND, r.id(), at, false))
                .orElseGet(Future::succeededFuture);
    }
}
