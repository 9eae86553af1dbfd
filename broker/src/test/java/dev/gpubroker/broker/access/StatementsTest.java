package dev.gpubroker.broker.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.broker.database.TestDatabase;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Every statement of the package is one that the migrated schema understands. */
class StatementsTest {
    @Test
    void everyStatementCanBePrepared() throws Exception {
        List<String> prepared = new ArrayList<>();
        try (TestDatabase database = TestDatabase.create()) {
            for (Class<?> type : List.of(PgMachines.class, CallHome.class)) {
                for (Field field : type.getDeclaredFields()) {
                    if (field.getType() == String.class && Modifier.isStatic(field.getModifiers())) {
                        field.setAccessible(true);
                        String sql = (String) field.get(null);
                        if (sql.startsWith("--")) {
                            database.database()
                                    .pool()
                                    .withConnection(connection -> connection.prepare(sql))
                                    .await(20, TimeUnit.SECONDS);
                            prepared.add(field.getName());
                        }
                    }
                }
            }
        }

        assertThat(prepared)
                .contains("OF_CLAIMS", "BOUGHT", "OWN", "OWN_TO_ASK", "ASKED_BOUGHT", "ASKED_OWN", "CALLED");
    }
}
