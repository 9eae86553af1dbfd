package dev.gpubroker.broker.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.broker.config.DatabaseUrl;
import dev.gpubroker.broker.config.Settings;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.SqlConnection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DatabaseTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    @BeforeAll
    static void table() {
        DATABASE.execute("CREATE TABLE note (id int PRIMARY KEY, text text)");
    }

    @Test
    void aTransactionIsCommittedWhenItsWorkSucceeds() {
        database().inTransaction(connection -> insert(connection, 1, "kept")).await();

        assertThat(count(1)).isEqualTo(1);
    }

    @Test
    void aTransactionIsRolledBackWhenItsWorkFails() {
        Future<Object> failed = database()
                .inTransaction(connection -> insert(connection, 2, "lost")
                        .compose(done -> Future.failedFuture(new IllegalStateException("no"))));

        assertThatThrownBy(failed::await).hasMessage("no");
        assertThat(count(2)).isZero();
    }

    @Test
    void aLostRaceIsTriedAgainThreeTimesAndThenFails() {
        AtomicInteger tries = new AtomicInteger();

        Future<Object> failed = database().inTransaction(connection -> {
            tries.incrementAndGet();
            return raise(connection, "deadlock_detected");
        });

        assertThatThrownBy(failed::await)
                .isInstanceOfSatisfying(
                        PgException.class, e -> assertThat(e.getSqlState()).isEqualTo("40P01"));
        assertThat(tries).hasValue(4);
    }

    @Test
    void aLostRaceThatIsWonNextTimeLeavesOneEffect() {
        AtomicInteger tries = new AtomicInteger();

        database()
                .inTransaction(connection -> insert(connection, 3, "once")
                        .compose(done -> tries.incrementAndGet() < 3
                                ? raise(connection, "exclusion_violation")
                                : Future.succeededFuture()))
                .await();

        assertThat(tries).hasValue(3);
        assertThat(count(3)).isEqualTo(1);
    }

    @Test
    void anyOtherFaultIsNotTriedAgain() {
        AtomicInteger tries = new AtomicInteger();

        Future<Object> failed = database().inTransaction(connection -> {
            tries.incrementAndGet();
            return raise(connection, "unique_violation");
        });

        assertThatThrownBy(failed::await).isInstanceOf(PgException.class);
        assertThat(tries).hasValue(1);
    }

    @Test
    void everyClassHasADatabaseOfItsOwnOnTheSameSchema() {
        try (TestDatabase other = TestDatabase.create()) {
            assertThat(other.url().database()).isNotEqualTo(DATABASE.url().database());
            other.execute("CREATE TABLE note (id int)"); // Not there yet: nothing leaks over.
        }
    }

    @Test
    void theBrokerIsNoSuperuser() {
        boolean superuser = database()
                .pool()
                .query("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
                .execute()
                .await()
                .iterator()
                .next()
                .getBoolean(0);

        assertThat(superuser).isFalse();
    }

    @Test
    void sessionsOfBothPoolsLiveInUtcWhateverTheMachineDoes() throws Exception {
        try (Connection connection = database().jdbc().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW timezone")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getString(1)).isEqualTo("UTC");
        }
        assertThat(database()
                        .pool()
                        .query("SHOW timezone")
                        .execute()
                        .await()
                        .iterator()
                        .next()
                        .getString(0))
                .isEqualTo("UTC");
    }

    @Test
    void anExternalServerIsReachedByItsUrl() {
        DatabaseUrl url = DATABASE.url();
        String text = "postgresql://" + url.user() + ":" + url.password().value() + "@" + url.host() + ":" + url.port()
                + "/" + url.database();
        Settings settings = Settings.load(null, Map.of("HOME", "/nowhere", "GPU_BROKER_DATABASE_URL", text));

        try (Database external = Database.open(DATABASE.vertx(), settings)) {
            String name = external.pool()
                    .query("SELECT current_database()")
                    .execute()
                    .await()
                    .iterator()
                    .next()
                    .getString(0);
            assertThat(name).isEqualTo(url.database());
        }
    }

    private static Database database() {
        return DATABASE.database();
    }

    private static Future<Object> insert(SqlConnection connection, int id, String text) {
        return connection
                .query("INSERT INTO note VALUES (" + id + ", '" + text + "')")
                .execute()
                .map(rows -> (Object) rows.rowCount());
    }

    private static Future<Object> raise(SqlConnection connection, String condition) {
        return connection
                .query("DO $$ BEGIN RAISE " + condition + "; END $$")
                .execute()
                .map(rows -> (Object) rows.rowCount());
    }

    private static int count(int id) {
        return database()
                .pool()
                .query("SELECT count(*)::int FROM note WHERE id = " + id)
                .execute()
                .await()
                .iterator()
                .next()
                .getInteger(0);
    }
}
