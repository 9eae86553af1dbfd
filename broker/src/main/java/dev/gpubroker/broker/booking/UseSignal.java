package dev.gpubroker.broker.booking;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;

/** Whether a reservation has been used, where that can be seen at all. */
@FunctionalInterface
public interface UseSignal {
    /** Whether anything ever used it. Runs inside the caller's transaction, which holds the reservation's row. */
    Future<Boolean> isSeen(SqlConnection connection, String reservationId);
}
