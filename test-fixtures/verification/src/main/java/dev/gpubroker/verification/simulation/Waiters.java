package dev.gpubroker.verification.simulation;

import java.util.concurrent.TimeUnit;

/** Whether somebody waits for a lock in the database. */
final class Waiters {
    private static final int LOOKS = 60;
    private static final String WAITER =
            "SELECT 1 FROM pg_stat_activity" + " WHERE datname = current_database() AND wait_event_type = 'Lock'";

    private Waiters() {}

    /** @return false if nobody did within three seconds */
    static boolean await(Sql sql) throws InterruptedException {
        for (int looks = 0; looks < LOOKS; looks++) {
            if (sql.find(WAITER, row -> true).isPresent()) {
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        return false;
    }
}
