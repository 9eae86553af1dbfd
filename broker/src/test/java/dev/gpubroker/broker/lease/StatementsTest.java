package dev.gpubroker.broker.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.allocation.PgLeaseAllocations;
import dev.gpubroker.broker.database.TestDatabase;
import io.vertx.core.Future;
import java.lang.reflect.Field;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The statements about leases against the migrated schema. */
class StatementsTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    @Test
    void everyStatementCanBePreparedAndHasANameOfItsOwn() throws IllegalAccessException {
        Map<String, String> statements = new LinkedHashMap<>();
        for (Class<?> type : List.of(PgLeaseStore.class, PgLeaseAllocations.class)) {
            for (Field field : type.getDeclaredFields()) {
                field.setAccessible(true);
                if (field.getType() == String.class && field.get(null) instanceof String sql && sql.startsWith("--")) {
                    statements.put(type.getSimpleName() + "." + field.getName(), sql);
                }
            }
        }

        assertThat(statements).hasSizeGreaterThan(20);
        statements.forEach((name, sql) -> assertThat(DATABASE.database()
                        .pool()
                        .withConnection(connection ->
                                connection.prepare(sql).compose(prepared -> Future.succeededFuture("prepared")))
                        .await())
                .as(name)
                .isEqualTo("prepared"));
        assertThat(statements.values())
                .extracting(sql -> sql.lines().findFirst().orElse(""))
                .allMatch(line -> line.matches("-- lease\\.[a-z_]+"))
                .doesNotHaveDuplicates();
    }
}
