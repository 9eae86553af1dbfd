package dev.gpubroker.broker.schedule;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.StreamSupport;

/** The list of due work in PostgreSQL. Due instants are business time, holds are wall time. */
public final class PgDueWork implements DueWork {
    private final Database database;
    private volatile Runnable look = () -> {};

    public PgDueWork(Database database) {
        this.database = database;
    }

    /** Who is told to look; set once the worker is there. */
    public void onLook(Runnable worker) {
        look = worker;
    }

    private static final String SCHEDULE = """
            -- due.schedule
            INSERT INTO due_work (kind, subject, due_at, periodic) VALUES ($1, $2, $3, $4)
            ON CONFLICT (kind, subject) DO UPDATE
               SET due_at = excluded.due_at, periodic = excluded.periodic, pokes = due_work.pokes + 1""";

    @Override
    public Future<Void> schedule(SqlConnection connection, String kind, String subject, Instant at, boolean periodic) {
        return connection
                .preparedQuery(SCHEDULE)
                .execute(Tuple.of(kind, subject, PgTime.of(at), periodic))
                .mapEmpty();
    }

    private static final String POKE = """
            -- due.poke
            INSERT INTO due_work (kind, subject, due_at) VALUES ($1, $2, business_now())
            ON CONFLICT (kind, subject) DO UPDATE
               SET due_at = least(due_work.due_at, business_now()), periodic = false, pokes = due_work.pokes + 1""";

    @Override
    public Future<Void> poke(SqlConnection connection, String kind, String subject) {
        return connection.preparedQuery(POKE).execute(Tuple.of(kind, subject)).mapEmpty();
    }

    @Override
    public void lookNow() {
        look.run();
    }

    // ---- for workers ------------------------------------------------------------------------------------

    // By the clock as well as by one: a row that is removed and comes again must never show a fence that was seen
    // before.
    // The time is selected: a bare call would be made again for every row, due or not, instead of using the index.
    static final String TAKE = """
            -- due.take
            UPDATE due_work SET claimed_by = $1,
                   fence = greatest(fence + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint),
                   claimed_until_wall = clock_timestamp() + $2 * interval '1 millisecond'
             WHERE (kind, subject) IN (
                   SELECT kind, subject FROM due_work
                    WHERE due_at <= (SELECT business_now()) AND kind = ANY ($3)
                      AND (claimed_until_wall IS NULL OR claimed_until_wall < clock_timestamp())
                    ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED)
            RETURNING kind, subject, due_at, fence, pokes, tries""";

    /** Takes up to {@code limit} items that are due and that nobody holds. */
    Future<List<DueItem>> take(String worker, Duration hold, Set<String> kinds, int limit) {
        return database.pool()
                .preparedQuery(TAKE)
                .execute(Tuple.of(worker, hold.toMillis(), kinds.toArray(String[]::new), limit))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row -> new DueItem(
                                row.getString("kind"),
                                row.getString("subject"),
                                PgTime.read(row, "due_at"),
                                row.getLong("fence"),
                                row.getLong("pokes"),
                                row.getInteger("tries")))
                        .toList());
    }

    private static final String RENEW = """
            -- due.renew
            UPDATE due_work SET claimed_until_wall = clock_timestamp() + $4 * interval '1 millisecond'
             WHERE kind = $1 AND subject = $2 AND fence = $3 AND claimed_by IS NOT NULL""";

    /** @return false if somebody has taken it over, or it has been put back */
    Future<Boolean> renew(DueItem item, Duration hold) {
        return database.pool()
                .preparedQuery(RENEW)
                .execute(Tuple.of(item.kind(), item.subject(), item.fence(), hold.toMillis()))
                .map(rows -> rows.rowCount() == 1);
    }

    private static final String FINISH = """
            -- due.finish
            UPDATE due_work
               SET due_at = CASE WHEN pokes = $4 THEN $5 ELSE least($5, business_now()) END,
                   periodic = CASE WHEN pokes = $4 THEN $6 ELSE false END,
                   tries = $7, claimed_by = NULL, claimed_until_wall = NULL
             WHERE kind = $1 AND subject = $2 AND fence = $3""";

    Future<Void> finish(DueItem item, Instant next, boolean periodic, int tries) {
        return database.pool()
                .preparedQuery(FINISH)
                .execute(Tuple.of(
                        item.kind(), item.subject(), item.fence(), item.pokes(), PgTime.of(next), periodic, tries))
                .mapEmpty();
    }

    private static final String REMOVE = """
            -- due.remove
            DELETE FROM due_work WHERE kind = $1 AND subject = $2 AND fence = $3 AND pokes = $4""";

    /** Removes it, unless somebody asked for another look meanwhile: then it is due at once. */
    Future<Void> remove(DueItem item, Instant now) {
        return database.pool()
                .preparedQuery(REMOVE)
                .execute(Tuple.of(item.kind(), item.subject(), item.fence(), item.pokes()))
                .compose(rows -> rows.rowCount() == 1 ? Future.succeededFuture() : finish(item, now, false, 0));
    }

    private static final String STANDS =
            "-- due.stands\nSELECT 1 FROM due_work WHERE kind = $1 AND subject = $2 AND fence = $3";

    /** Takes no lock: two workers that poke each other's rows would wait for one another. The changed row's own version guards. */
    Future<Boolean> stands(SqlClient client, DueItem item) {
        return client.preparedQuery(STANDS)
                .execute(Tuple.of(item.kind(), item.subject(), item.fence()))
                .map(rows -> rows.size() == 1);
    }

    private static final String ASKED_AGAIN =
            "-- due.asked_again\nSELECT 1 FROM due_work WHERE kind = $1 AND subject = $2 AND (fence <> $3 OR pokes <> $4)";

    Future<Boolean> isAskedAgain(SqlClient client, DueItem item) {
        return client.preparedQuery(ASKED_AGAIN)
                .execute(Tuple.of(item.kind(), item.subject(), item.fence(), item.pokes()))
                .map(rows -> rows.size() == 1);
    }

    SqlClient client() {
        return database.pool();
    }

    /** Lets go of everything: for a start that knows every other worker is dead. */
    public Future<Void> letGoOfAll() {
        return database.pool()
                .query(
                        "-- due.let_go\nUPDATE due_work SET claimed_by = NULL, claimed_until_wall = NULL, fence = fence + 1"
                                + " WHERE claimed_by IS NOT NULL")
                .execute()
                .mapEmpty();
    }

    /** The next instant up to {@code until} at which something that is not periodic is due; empty if there is none. */
    Future<Optional<Instant>> nextBetween(Instant after, Instant until) {
        return database.pool()
                .preparedQuery("""
                        -- due.next
                        SELECT min(due_at) AS next FROM due_work WHERE NOT periodic AND due_at > $1 AND due_at <= $2""")
                .execute(Tuple.of(PgTime.of(after), PgTime.of(until)))
                .map(rows ->
                        Optional.ofNullable(PgTime.readNullable(rows.iterator().next(), "next")));
    }

    /** What is still due, for a log. */
    Future<List<String>> unsettled() {
        return database.pool()
                .query("-- due.unsettled\nSELECT kind, subject, due_at, claimed_by, tries FROM due_work"
                        + " WHERE due_at <= (SELECT business_now()) AND NOT periodic ORDER BY due_at LIMIT 5")
                .execute()
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row -> row.getString("kind") + " " + row.getString("subject") + " held by "
                                + row.getString("claimed_by") + ", tries " + row.getInteger("tries"))
                        .toList());
    }

    /**
     * What is due now, or in somebody's hands.
     *
     * @param hands changes whenever a piece of it was taken, done or asked for again
     */
    record Unsettled(long count, String hands) {}

    /** Periodic looks count only with {@code periodic}. */
    Future<Unsettled> waiting(boolean periodic) {
        return database.pool()
                .preparedQuery("""
                        -- due.waiting
                        SELECT count(*) AS n, concat(count(*), ' ', sum(fence), ' ', sum(pokes)) AS hands FROM due_work
                         WHERE due_at <= (SELECT business_now()) AND ($1 OR NOT periodic)""")
                .execute(Tuple.of(periodic))
                .map(rows -> rows.iterator().next())
                .map(row -> new Unsettled(row.getLong("n"), row.getString("hands")));
    }
}
