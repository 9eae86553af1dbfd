package dev.gpubroker.verification.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import dev.gpubroker.verification.lab.BrokerProcess;
import dev.gpubroker.verification.lab.Cluster;
import dev.gpubroker.verification.lab.Launcher;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A newer broker has brought the shared database to its own schema, by adding to it; the older one is not replaced yet. */
final class OlderBrokerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    @Test
    void anOlderBrokerWorksOnBesideANewerOneAndStartsAgain() throws Exception {
        try (Cluster cluster = Cluster.start(1, Launcher.ofThisClassPath(), folder)) {
            BrokerProcess older = cluster.broker(0);
            assertThat(pool(older, "one").status()).isEqualTo(201);
            assertThat(book(cluster, older, "before").status()).isEqualTo(201);

            migrateFurther(cluster);
            assertThat(book(cluster, older, "beside").status()).isEqualTo(201);

            older.kill();
            older.launch();
            older.awaitReady();
            assertThat(book(cluster, older, "again").status()).isEqualTo(201);
            assertThat(older.api(PATIENCE).get("/v1/reservations").body().get("items"))
                    .hasSize(3)
                    .allSatisfy(each -> assertThat(each.get("state").asText()).isEqualTo("confirmed"));
        }
    }

    /** What a release may do: add tables and columns. */
    private static void migrateFurther(Cluster cluster) throws SQLException {
        try (Connection connection = cluster.database().dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            for (String table : new String[] {"reservation", "claim", "allocation", "due_work", "outbox"}) {
                statement.execute("ALTER TABLE " + table + " ADD COLUMN later text NOT NULL DEFAULT 'unknown'");
            }
            statement.execute("CREATE TABLE later (later_id text PRIMARY KEY)");
            statement.execute("""
                    INSERT INTO flyway_schema_history (installed_rank, version, description, type, script, checksum,
                           installed_by, execution_time, success)
                    SELECT max(installed_rank) + 1, '900', 'later', 'SQL', 'V900__later.sql', 1, 'newer', 1, true
                      FROM flyway_schema_history""");
        }
    }

    private static Api.Answer pool(BrokerProcess broker, String name) throws IOException, InterruptedException {
        ObjectNode body = Api.JSON.createObjectNode().put("name", name).put("model", "A100-SXM4-80GB");
        return broker.api(PATIENCE).post("/v1/pools", body.put("gpusPerNode", 8).put("nodes", 1), name);
    }

    private static Api.Answer book(Cluster cluster, BrokerProcess broker, String key)
            throws IOException, InterruptedException {
        ObjectNode body = Api.JSON.createObjectNode();
        body.putObject("gpu").put("model", "A100-SXM4-80GB").put("count", 2);
        body.put(
                "start",
                cluster.now()
                        .truncatedTo(ChronoUnit.HOURS)
                        .plusHours(5)
                        .toOffsetDateTime()
                        .toString());
        body.put("duration", "PT2H");
        body.putObject("constraints").putArray("platforms").add("pool");
        return broker.api(PATIENCE).post("/v1/reservations", body, key);
    }
}
