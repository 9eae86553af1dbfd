package dev.gpubroker.broker.allocation;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What becomes of reservations when GPUs that they hold fall out, or come back. */
@FunctionalInterface
public interface OutageEffects {
    /**
     * Looks at each of them again, in the order given, inside the transaction in which the outage was written. The nodes of
     * the outage are locked.
     *
     * @param who declared or ended it
     * @return what became of those that changed
     */
    Future<List<Effect>> review(SqlConnection connection, List<String> reservationIds, String who, Instant now);

    record Effect(String reservationId, @Nullable String title, Kind kind) {}

    enum Kind {
        /** It has other GPUs now; nothing had begun. */
        MOVED,
        /** Nothing had begun, and there is no other room: its owner is told. */
        BLOCKED,
        /** It runs, and running work is not moved. */
        DEGRADED,
        /** Its GPUs are in order again. */
        RESTORED;

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
