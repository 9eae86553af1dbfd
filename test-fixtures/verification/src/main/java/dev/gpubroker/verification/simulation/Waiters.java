package dev.gpubroker.verification.simulation;

import java.util.concurrent.TimeUnit;

/** Who waits for a lock in the database. */
final class Waiters {
    private static final int LOOKS = 60;
    private static final String WAITER =
            "SELECT 1 FROM pg_stat_activity" + " WHERE datname = current_database() AND wait_event_type = 'Lock'";

    private Waiters() {}

    /** @return false if there were not so many within three seconds */
    static boolean await(Sql sql, int waiters) throws InterruptedException {
        for (int looks = 0; looks < LOOKS; looks++) {
            if (sql.list(WAITER, row -> true).size() >= waiters) {
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        return false;
    }
}
