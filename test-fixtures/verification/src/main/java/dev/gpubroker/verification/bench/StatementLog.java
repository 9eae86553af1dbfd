package dev.gpubroker.verification.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the log of a PostgreSQL that writes every statement ({@code log_statement = all}) with its standard line prefix. */
final class StatementLog {
    private static final Pattern ENTRY = Pattern.compile("\\S+ \\S+ \\S+ \\[(\\d+)\\] (\\w+):  (.*)", Pattern.DOTALL);
    private static final Pattern SQL = Pattern.compile("(?:statement|execute [^:]*): (.*)", Pattern.DOTALL);
    private static final Pattern PARAMETER = Pattern.compile("\\$(\\d+) = (NULL|'(?:[^']++|'')*+')");
    private static final Pattern COMMENT = Pattern.compile("-- (\\S+)");

    private StatementLog() {}

    /**
     * One statement as the server ran it.
     *
     * @param backend the session's process
     * @param sql with {@code $1…$n}
     * @param parameters as SQL literals, in the order of their numbers; {@code NULL} for null
     */
    record Statement(long backend, String sql, List<String> parameters) {
        Statement {
            parameters = List.copyOf(parameters);
        }

        /** What its first line calls it, such as {@code allocation.take}; the statement itself where it has no name. */
        String name() {
            Matcher comment = COMMENT.matcher(sql);
            return comment.lookingAt() ? comment.group(1) : sql;
        }

        /** Whether it is one of the broker's own: all of those begin with their name. */
        boolean isNamed() {
            return COMMENT.matcher(sql).lookingAt();
        }

        boolean has(String parameter) {
            return parameters.contains("'" + parameter + "'");
        }
    }

    /** Every statement from this byte of the file on, in the order in which they were begun. */
    static List<Statement> read(Path log, long from) throws IOException {
        byte[] all = Files.readAllBytes(log);
        String text = new String(all, (int) from, (int) (all.length - from), StandardCharsets.UTF_8);
        List<Statement> statements = new ArrayList<>();
        for (String entry : text.split("\n(?!\t)", -1)) {
            Matcher parts = ENTRY.matcher(entry.replace("\n\t", "\n"));
            if (!parts.matches()) {
                continue; // Such as the line that was being written when the reading began.
            }
            long backend = Long.parseLong(parts.group(1));
            if (parts.group(2).equals("LOG")) {
                @Nullable String sql = sql(parts.group(3));
                if (sql != null) {
                    statements.add(new Statement(backend, sql, List.of()));
                }
            } else if (parts.group(2).equals("DETAIL") && !statements.isEmpty()) {
                addParameters(statements, backend, parts.group(3));
            }
        }
        return statements;
    }

    private static @Nullable String sql(String message) {
        Matcher sql = SQL.matcher(message);
        return sql.matches() && !sql.group(1).isBlank() ? sql.group(1).strip() : null;
    }

    /** They stand in an entry of their own, behind the statement's. */
    private static void addParameters(List<Statement> statements, long backend, String detail) {
        Statement last = statements.get(statements.size() - 1);
        if (last.backend() != backend || !detail.regionMatches(true, 0, "parameters:", 0, 11)) {
            return;
        }
        List<String> values = new ArrayList<>();
        Matcher parameters = PARAMETER.matcher(detail);
        while (parameters.find()) {
            values.add(parameters.group(2));
        }
        statements.set(statements.size() - 1, new Statement(backend, last.sql(), values));
    }
}
