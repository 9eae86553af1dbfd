package dev.gpubroker.broker.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.stored.PgTime;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The statements of this package against the migrated schema. */
class StatementsTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    @Test
    void everyStatementCanBePrepared() {
        Map<String, String> statements = statements();

        assertThat(statements).hasSizeGreaterThan(26);
        statements.forEach((name, sql) -> assertThat(DATABASE.database()
                        .pool()
                        .withConnection(connection ->
                                connection.prepare(sql).compose(prepared -> Future.succeededFuture("prepared")))
                        .await())
                .as(name)
                .isEqualTo("prepared"));
    }

    @Test
    void everyStatementHasANameOfItsOwnForTheLogs() {
        assertThat(statements().values())
                .extracting(sql -> sql.lines().findFirst().orElse(""))
                .allMatch(line -> line.matches("-- (allocation|pool|outage)\\.[a-z_]+"))
                .doesNotHaveDuplicates();
    }

    @Test
    void lookingForRoomFindsWhatIsTakenByTimeWhateverTheNumberOfNodes() {
        Ledger ledger = new Ledger(DATABASE);

        assertThat(List.of(
                        ledger.planOf(statements().getOrDefault("PgRooms.TAKEN", ""), anHour()),
                        ledger.planOf(statements().getOrDefault("PgRooms.ALIKE", ""), anHour().addInteger(8))))
                .allSatisfy(
                        plan -> assertThat(plan).contains("allocation_by_time").contains("Index Cond: (during && "));
    }

    private static Tuple anHour() {
        return Tuple.tuple()
                .addString("default")
                .addArrayOfString(new String[] {"A100"})
                .addArrayOfString(new String[0])
                .addOffsetDateTime(PgTime.of(Rooms.hour(0)))
                .addOffsetDateTime(PgTime.of(Rooms.hour(1)));
    }

    private static Map<String, String> statements() {
        Map<String, String> statements = new LinkedHashMap<>();
        for (Class<?> type : List.of(
                PgAllocations.class,
                PgAllocationChanges.class,
                PgRooms.class,
                PgPoolStore.class,
                PgOutageStore.class)) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getType() == String.class) {
                    String sql = value(field);
                    if (sql.startsWith("--")) {
                        statements.put(type.getSimpleName() + "." + field.getName(), sql);
                    }
                }
            }
        }
        return statements;
    }

    private static String value(Field field) {
        try {
            field.setAccessible(true);
            return String.valueOf(field.get(null));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
