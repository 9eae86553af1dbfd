package dev.gpubroker.broker.http;

import static dev.gpubroker.broker.http.TestServer.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.broker.database.TestDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Locks and fences against a real database; time is moved by moving what the rows say. */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // All is made before the first test.
class PgIdempotencyStoreTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private Pool pool;
    private PgIdempotencyStore store;

    @BeforeAll
    void start() {
        DATABASE.execute("CREATE TABLE booked (title text NOT NULL)");
        pool = DATABASE.database().pool();
        store = new PgIdempotencyStore(pool);
    }

    @BeforeEach
    void forget() {
        DATABASE.execute("TRUNCATE idempotency_key, booked");
    }

    @Test
    void whoLostTheKeyCannotBookAnyMore() {
        IdempotencyTicket slow = started("k");
        passLock();
        IdempotencyTicket fast = started("k");

        assertThat(fast.fence()).isGreaterThan(slow.fence());
        assertThatThrownBy(() -> await(pool.withTransaction(
                        connection -> insert(connection, "slow").compose(done -> slow.lockIn(connection)))))
                .rootCause()
                .isInstanceOfSatisfying(
                        ApiProblem.class,
                        refusal -> assertThat(refusal.problem().code()).isEqualTo("idempotency_in_progress"));
        await(pool.withTransaction(connection -> fast.lockIn(connection)
                .compose(done -> insert(connection, "fast"))
                .compose(done -> fast.answerIn(connection, ApiReply.ok(Map.of("by", "fast"))))));
        assertThatThrownBy(() -> await(pool.withTransaction(slow::lockIn)))
                .rootCause()
                .isInstanceOf(ApiProblem.class);
        await(store.finish(slow, ApiReply.ok(Map.of("by", "slow"))));
        await(store.release(slow));

        assertThat(booked()).containsExactly("fast");
        assertThat(await(begin("k")))
                .isInstanceOfSatisfying(
                        IdempotencyStart.Replay.class,
                        replay -> assertThat(String.valueOf(replay.answer().body()))
                                .isEqualTo("{\"by\":\"fast\"}"));
    }

    @Test
    void aKeyThatIsReleasedAndStartedAgainHasAnotherFence() {
        IdempotencyTicket first = started("k");
        await(store.release(first));
        IdempotencyTicket second = started("k");

        assertThat(second.fence()).isGreaterThan(first.fence());
        await(store.release(first));
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void aLockIsNotTakenOverBeforeItsTime() {
        started("k");

        assertThat(await(begin("k"))).isInstanceOf(IdempotencyStart.InProgress.class);
    }

    @Test
    void anotherRequestDoesNotTakeAnExpiredKeyOver() {
        started("k");
        passLock();

        assertThat(await(store.begin("platform", "k", new byte[] {9}))).isInstanceOf(IdempotencyStart.Reused.class);
    }

    @Test
    void expiringDeletesWhatIsOldAndNotBeingWorkedOn() {
        started("running");
        started("abandoned");
        answered("old");
        await(pool.query("UPDATE idempotency_key SET created_at = created_at - interval '25 hours'")
                .execute());
        await(pool.query("UPDATE idempotency_key SET locked_until = locked_until - interval '25 hours'"
                        + " WHERE key = 'abandoned'")
                .execute());
        answered("young");

        assertThat(await(store.expire(IdempotencyStore.KEPT))).isEqualTo(2);
        List<String> left = new ArrayList<>();
        await(pool.query("SELECT key FROM idempotency_key ORDER BY key").execute())
                .forEach(row -> left.add(row.getString("key")));
        assertThat(left).containsExactly("running", "young");
    }

    private Future<IdempotencyStart> begin(String key) {
        return store.begin("platform", key, new byte[] {1, 2, 3});
    }

    private IdempotencyTicket started(String key) {
        return ((IdempotencyStart.Started) await(begin(key))).ticket();
    }

    /** Makes every lock run out. */
    private void passLock() {
        await(pool.query("UPDATE idempotency_key SET locked_until = clock_timestamp() - interval '1 second'")
                .execute());
    }

    private void answered(String key) {
        await(store.finish(started(key), ApiReply.noContent()));
    }

    private static Future<Void> insert(SqlConnection connection, String title) {
        return connection
                .preparedQuery("INSERT INTO booked (title) VALUES ($1)")
                .execute(Tuple.of(title))
                .mapEmpty();
    }

    private List<String> booked() {
        List<String> titles = new ArrayList<>();
        await(pool.query("SELECT title FROM booked").execute()).forEach(row -> titles.add(row.getString("title")));
        return titles;
    }

    private long rows() {
        return await(pool.query("SELECT count(*) AS rows FROM idempotency_key").execute())
                .iterator()
                .next()
                .getLong("rows");
    }
}
