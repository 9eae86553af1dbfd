package dev.gpubroker.broker.http;

import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.ClosedConnectionException;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells a database that is away or full from one that was asked something wrong. */
public final class PgFaults {
    /** SQLSTATE: too many connections, shutting down, crashed, starting up, statement timeout and lock timeout. */
    private static final Set<String> AWAY = Set.of("53300", "57P01", "57P02", "57P03", "57014", "55P03");

    /** SQLSTATE: deadlock, serialization failure, overlapping rectangle. */
    private static final Set<String> LOST_RACES = Set.of("40P01", "40001", "23P01");

    private PgFaults() {}

    /** Whether asking again later may help. */
    public static boolean isUnavailable(Throwable fault) {
        @Nullable Throwable cause = fault;
        for (int depth = 0; cause != null && depth < 10; depth++) {
            if (isAway(cause)) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /** Whether others changed the same rows at the same moment, again and again: nothing is written, and a repeat may do. */
    static boolean isLostRace(Throwable fault) {
        return fault instanceof PgException refused && LOST_RACES.contains(String.valueOf(refused.getSqlState()));
    }

    private static boolean isAway(Throwable fault) {
        if (fault instanceof PgException refused) {
            String state = String.valueOf(refused.getSqlState());
            return AWAY.contains(state) || state.startsWith("08");
        }
        // The pool says only by its text that nobody gave a connection back, or that the server gave none, in time.
        String text = String.valueOf(fault.getMessage());
        return fault instanceof ClosedConnectionException
                || fault instanceof IOException
                || text.equals("Timeout")
                || text.equals("Timeout waiting for connection")
                || text.startsWith("Connection pool reached max wait queue size");
    }
}
