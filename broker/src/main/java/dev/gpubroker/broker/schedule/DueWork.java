package dev.gpubroker.broker.schedule;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;

/** Puts work on the list. Called inside the transaction that makes it necessary, so that neither exists without the other. */
public interface DueWork {
    /** Sets when the subject is due, whatever was set before. */
    Future<Void> schedule(SqlConnection connection, String kind, String subject, Instant at, boolean periodic);

    /** Makes the subject due now, or at once again if a worker has it in hand. */
    Future<Void> poke(SqlConnection connection, String kind, String subject);

    /** After the commit: lets a worker look without waiting for a wake-up. */
    void lookNow();
}
