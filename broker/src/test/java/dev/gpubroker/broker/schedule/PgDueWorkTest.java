package dev.gpubroker.broker.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.database.TestDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Holds and their fences on the real table. */
class PgDueWorkTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String KIND = "thing";

    private final PgDueWork work = new PgDueWork(DATABASE.database());

    @BeforeEach
    void forget() {
        DATABASE.execute("TRUNCATE due_work");
    }

    @Test
    void whatIsTakenOverNoLongerStandsForWhoHeldIt() throws TimeoutException {
        poke();
        DueItem slow = take();
        DATABASE.execute("UPDATE due_work SET claimed_until_wall = clock_timestamp() - interval '1 second'");
        DueItem fast = take();

        assertThat(stands(fast)).isTrue();
        assertThat(stands(slow)).isFalse();
        assertThat(await(work.renew(slow, Duration.ofSeconds(20)))).isFalse();
    }

    @Test
    void workThatWasDoneAndCameAgainDoesNotStandForWhoHeldItBefore() throws TimeoutException {
        poke();
        DueItem slow = take();
        DATABASE.execute("DELETE FROM due_work"); // Another did it meanwhile, and there was no more to do.
        poke();
        DueItem fast = take();

        assertThat(stands(fast)).isTrue();
        assertThat(stands(slow)).isFalse();
        await(work.finish(slow, Instant.EPOCH, false, 0));
        assertThat(stands(fast)).as("the late one's answer changes nothing").isTrue();
        assertThat(await(work.take("third", Duration.ofSeconds(20), Set.of(KIND), 1)))
                .isEmpty();
    }

    @Test
    void whoHasWorkInHandSeesThatAnotherLookWasAskedFor() throws TimeoutException {
        poke();
        DueItem item = take();
        assertThat(await(work.isAskedAgain(work.client(), item))).isFalse();
        poke();
        assertThat(await(work.isAskedAgain(work.client(), item))).isTrue();
    }

    @Test
    void workThatWasPokedWhileInHandIsDueAtOnce() throws TimeoutException {
        poke();
        DueItem item = take();
        poke();
        await(work.remove(item, Instant.now()));

        assertThat(take().subject()).isEqualTo(item.subject());
    }

    @Test
    void whatIsDueIsFoundWithoutLookingAtWhatIsDueLater() throws TimeoutException {
        DATABASE.execute("INSERT INTO due_work (kind, subject, due_at)"
                + " SELECT 'thing', i::text, business_now() + interval '1 day' FROM generate_series(1, 2000) i");
        DATABASE.execute("ANALYZE due_work");

        String plan = await(DATABASE.database()
                .pool()
                .preparedQuery("EXPLAIN (COSTS OFF) " + PgDueWork.TAKE)
                .execute(Tuple.of("somebody", 20_000L, new String[] {KIND}, 64))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(row -> row.getString(0))
                        .collect(Collectors.joining("\n"))));

        assertThat(plan).contains("Index Cond: (due_at <= ");
    }

    private void poke() throws TimeoutException {
        await(DATABASE.database().inTransaction(connection -> work.poke(connection, KIND, "one")));
    }

    private DueItem take() throws TimeoutException {
        List<DueItem> taken = await(work.take("somebody", Duration.ofSeconds(20), Set.of(KIND), 1));
        assertThat(taken).hasSize(1);
        return taken.get(0);
    }

    private boolean stands(DueItem item) throws TimeoutException {
        return await(work.stands(work.client(), item));
    }

    private static <T> T await(Future<T> future) throws TimeoutException {
        return future.await(20, TimeUnit.SECONDS);
    }
}
