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
                .orElseGet(Future::succeededFuture)
                .compose(done -> EndHook.begins(r)
                        .map(at -> due.schedule(connection, EndHook.KIND, r.id(), at, false))
                        .orElseGet(Future::succeededFuture));
    }

    /** What runs on is looked at once more when it is given back; nobody waits for that. */
    static Future<Void> over(DueWork due, SqlConnection connection, Reservation r) {
        return EndHook.begins(r).isPresent() ? due.poke(connection, EndHook.KIND, r.id()) : Future.succeededFuture();
    }
}
