package dev.gpubroker.broker.booking;

import dev.gpubroker.broker.http.Caller;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;

/** Holds a caller to what its token or trust rule may book. Callers without a cap pass. */
interface SpendingLimit {
    /** Makes the bookings under one cap wait for each other; right after the idempotency key's lock. */
    Future<Void> lock(SqlConnection connection, Caller caller);

    /** Counts what the reservation may cost now; fails with 403 {@code cap_exceeded} if that is too much. */
    Future<Void> charge(SqlConnection connection, Caller caller, Reservation booked);
}
