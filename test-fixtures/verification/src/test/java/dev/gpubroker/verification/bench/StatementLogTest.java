package dev.gpubroker.verification.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gpubroker.verification.bench.StatementLog.Statement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatementLogTest {
    @TempDir
    Path folder;

    @Test
    void statementsAreReadWithTheirParametersAndSessions() throws IOException {
        List<Statement> statements = read("""
                2026-11-30 13:25:15.784 UTC [12457] LOG:  statement: BEGIN
                2026-11-30 13:25:15.785 UTC [12457] LOG:  execute 0000008: -- allocation.take
                \tINSERT INTO allocation
                \tVALUES ($1, $2, $3)
                2026-11-30 13:25:15.785 UTC [12457] DETAIL:  Parameters: $1 = 'it''s, $2', $2 = NULL, $3 = '{0}'
                2026-11-30 13:25:15.786 UTC [12451] LOG:  checkpoint starting: time
                2026-11-30 13:25:15.787 UTC [12451] LOG:  execute S_1: COMMIT
                """);

        assertThat(statements)
                .containsExactly(
                        new Statement(12457, "BEGIN", List.of()),
                        new Statement(
                                12457,
                                "-- allocation.take\nINSERT INTO allocation\nVALUES ($1, $2, $3)",
                                List.of("'it''s, $2'", "NULL", "'{0}'")),
                        new Statement(12451, "COMMIT", List.of()));
        assertThat(statements).extracting(Statement::name).containsExactly("BEGIN", "allocation.take", "COMMIT");
    }

    @Test
    void aLongLiteralIsReadWhole() throws IOException {
        String literal = "'" + "{\"a\":1}".repeat(10_000) + "'";

        assertThat(read("2026-11-30 13:25:15.785 UTC [1] LOG:  execute 1: SELECT $1\n"
                        + "2026-11-30 13:25:15.785 UTC [1] DETAIL:  Parameters: $1 = " + literal + "\n"))
                .containsExactly(new Statement(1, "SELECT $1", List.of(literal)));
    }

    private List<Statement> read(String text) throws IOException {
        Path log = folder.resolve("postgres.log");
        Files.writeString(log, text);
        return StatementLog.read(log, 0);
    }
}
