package dev.gpubroker.verification.bench;

import dev.gpubroker.verification.bench.StatementLog.Statement;
import dev.gpubroker.verification.bench.Wire.Reply;
import dev.gpubroker.verification.lab.Api;
import dev.gpubroker.verification.lab.BrokerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a booking comes to in SQL, taken from the server's log while the broker makes one, as a script for pgbench. A kept script
 * would rot unseen with the next change of a statement; this one is always what the broker sends.
 */
final class BookingSql {
    /** What every broker does now and then, whoever books. */
    private static final Set<String> NOT_OF_A_BOOKING = Set.of(
            "time.read",
            "account.standings",
            "outbox.take",
            "outbox.delivered",
            "webhook.wanting",
            "delivery.add",
            "delivery.due",
            "delivery.take",
            "delivery.settle",
            "due.take",
            "due.renew",
            "due.finish",
            "due.remove",
            "due.stands");

    private static final int LOOKS = 5;
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$(\\d+)");
    /** pgbench takes {@code :name} for a variable of its own, also inside a literal. */
    private static final Pattern LIKE_A_VARIABLE = Pattern.compile(":(?=[A-Za-z_])");

    private BookingSql() {}

    /**
     * Books a few times while the server writes every statement down, and takes the booking with the fewest: whatever else a
     * broker does was not in between there.
     *
     * @return the script; it reads what differs between bookings from table {@code slot}
     */
    static String capture(Ground ground, BrokerProcess broker, String model, Instant start, Duration length)
            throws IOException, InterruptedException, SQLException {
        Sql superuser = ground.sql().asSuperuser();
        superuser.run("ALTER SYSTEM SET log_statement = 'all'", "SELECT pg_reload_conf()");
        TimeUnit.SECONDS.sleep(2); // Sessions read the setting when they are told, which nothing reports.
        List<List<Statement>> seen = new ArrayList<>();
        try (Wire wire = new Wire(broker.url(), BrokerProcess.TOKEN)) {
            for (int i = 0; i < LOOKS; i++) {
                long from = Files.size(ground.server().log());
                String key = "captured-" + i;
                String body = Bookings.body(model, 8, start, start.plus(length)).toString();
                Reply reply = wire.post("/v1/reservations", body, key);
                if (reply.status() != 201) {
                    throw new Wrong("an empty pool refuses a booking: " + reply.body());
                }
                String id = Api.JSON.readTree(reply.body()).get("id").textValue();
                List<Statement> booking =
                        ofBooking(StatementLog.read(ground.server().log(), from), key);
                seen.add(new Script(key, id, start, start.plus(length)).parameters(booking));
            }
        } finally {
            superuser.run("ALTER SYSTEM RESET log_statement", "SELECT pg_reload_conf()");
        }
        return Script.text(
                seen.stream().min(Comparator.comparingInt(List::size)).orElseThrow());
    }

    /** From the key's first statement to the commit of the session that locked it. */
    private static List<Statement> ofBooking(List<Statement> log, String key) {
        long session = log.stream()
                .filter(each -> each.name().equals("idempotency.lock") && each.has(key))
                .mapToLong(Statement::backend)
                .findFirst()
                .orElseThrow(() -> new Wrong("the log holds no booking with the key " + key));
        List<Statement> booking = new ArrayList<>();
        for (Statement each : log) {
            boolean first = each.name().equals("idempotency.start") && each.has(key);
            boolean ours = each.backend() == session || each.isNamed();
            if ((first || !booking.isEmpty()) && ours && !NOT_OF_A_BOOKING.contains(each.name())) {
                booking.add(each);
            }
            if (each.backend() == session && each.sql().equals("COMMIT") && !booking.isEmpty()) {
                return booking;
            }
        }
        throw new Wrong("the log holds no whole booking with the key " + key);
    }

    /** Puts pgbench's variables where the values of one booking stood. */
    private record Script(String key, String reservation, Instant start, Instant end) {
        List<Statement> parameters(List<Statement> booking) {
            String fence = booking.stream()
                    .filter(each -> each.name().equals("idempotency.lock"))
                    .map(each -> each.parameters().get(2))
                    .findFirst()
                    .orElseThrow();
            return booking.stream()
                    .map(each -> new Statement(
                            each.backend(),
                            each.sql(),
                            each.parameters().stream()
                                    .map(value -> variable(value, fence))
                                    .toList()))
                    .toList();
        }

        private String variable(String literal, String fence) {
            String value = literal.startsWith("'") ? literal.substring(1, literal.length() - 1) : literal;
            if (value.equals(key)) {
                return ":key";
            }
            if (value.equals(reservation)) {
                return ":reservation";
            }
            if (literal.equals(fence)) {
                return ":fence";
            }
            if (value.startsWith("{nod_")) {
                return ":nodes";
            }
            if (value.equals(PgText.of(start))) {
                return ":starts";
            }
            return value.equals(PgText.of(end)) ? ":ends" : literal;
        }

        static String text(List<Statement> booking) {
            StringBuilder script = new StringBuilder("""
                    \\set n :n + 1
                    \\set slot :n * :clients + :client_id
                    SELECT reservation, key, nodes, starts, ends FROM slot WHERE n = :slot \\gset
                    """);
            for (Statement each : booking) {
                String end = each.name().equals("idempotency.start") ? " \\gset\n" : ";\n";
                script.append(filled(each)).append(end);
            }
            return script.toString();
        }

        private static String filled(Statement statement) {
            Matcher placeholders = PLACEHOLDER.matcher(statement.sql());
            StringBuilder filled = new StringBuilder();
            while (placeholders.find()) {
                String value = statement.parameters().get(Integer.parseInt(placeholders.group(1)) - 1);
                String written = value.startsWith(":")
                        ? value
                        : LIKE_A_VARIABLE.matcher(value).replaceAll(": ");
                placeholders.appendReplacement(filled, Matcher.quoteReplacement(written));
            }
            return placeholders.appendTail(filled).toString();
        }
    }
}
