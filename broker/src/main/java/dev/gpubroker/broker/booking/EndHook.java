package dev.gpubroker.broker.booking;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.booking.EndScripts.Look;
import dev.gpubroker.broker.booking.EndScripts.Script;
import dev.gpubroker.broker.booking.EndScripts.State;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.BookingRequest.AtEnd;
import dev.gpubroker.broker.schedule.DueHandler;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that the hook of a reservation runs on its machines inside the booked time, and that it has ended when the time
 * has. Any broker can go on where another stopped: what has been told stands in events, what runs is asked of the machine.
 * The release knows nothing of it and waits for nothing.
 */
final class EndHook implements DueHandler {
    static final String KIND = "end_hook";

    /** What still runs so long before the end is ended, so that its event comes before the release. */
    private static final Duration LAST = Duration.ofSeconds(15);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(15);
    private static final Duration CLEAR_AGAIN = Duration.ofMinutes(5);
    private static final Duration CLEAR_FOR = Duration.ofDays(1);

    /** The events after which nothing more is to be found out about a machine. */
    private static final Set<String> SETTLED = Set.of("ended", "stopped");

    private final Database database;
    private final ReservationStore reservations;
    private final EndScripts scripts;
    private final InstantSource clock;

    EndHook(Database database, ReservationStore reservations, EndScripts scripts, InstantSource clock) {
        this.database = database;
        this.reservations = reservations;
        this.scripts = scripts;
        this.clock = clock;
    }

    /** Refuses a hook that could never run. */
    static void check(BookingRequest request, EndScripts scripts) {
        if (hook(request) != null && !scripts.areRun()) {
            throw new ApiProblem(Problem.invalidField(
                    "atEnd.hook",
                    "not_available",
                    "cannot be run: whoever runs this broker has given it no key to log in to machines with (machineLogin)",
                    "无法运行：本系统的管理员没有配置登录机器所用的密钥（machineLogin）"));
        }
    }

    private static @Nullable String hook(BookingRequest request) {
        AtEnd atEnd = request.atEnd();
        return atEnd == null ? null : atEnd.hook();
    }

    /** When it begins; empty where there is none. */
    static Optional<Instant> begins(Reservation r) {
        AtEnd atEnd = r.request().atEnd();
        if (atEnd == null || atEnd.hook() == null) {
            return Optional.empty();
        }
        Instant at = r.window().end().minus(atEnd.hookTime());
        return Optional.of(at.isBefore(r.window().start()) ? r.window().start() : at);
    }

    @Override
    public Future<Optional<Next>> handle(Hold hold) {
        return reservations.read(hold.item().subject()).compose(found -> {
            String hook = found.map(r -> hook(r.request())).orElse(null);
            if (hook == null) {
                return Future.succeededFuture(Optional.empty());
            }
            Reservation r = found.orElseThrow();
            return reservations.noted(r.id(), KIND, which(r)).compose(notes -> step(r, hook, notes, hold));
        });
    }

    private static Map<String, Object> which(Reservation r) {
        return Map.of("end", r.window().end().toString());
    }

    private Future<Optional<Next>> step(Reservation r, String hook, List<JsonNode> notes, Hold hold) {
        Instant now = clock.instant();
        Instant at = begins(r).orElseThrow();
        if (r.state() != ReservationState.ACTIVE) {
            return afterwards(r, hook, notes, hold);
        }
        if (now.isBefore(at)) {
            return Future.succeededFuture(Next.at(at));
        }
        Instant last = r.window().end().minus(LAST);
        Set<String> settled = settled(notes);
        if (!now.isBefore(last)) {
            return scripts.stop(r, script(r, hook, Duration.ofSeconds(1)), settled)
                    .compose(looks -> tell(r, looks, hold))
                    .map(Optional.empty());
        }
        Duration left = Duration.between(now, last);
        Instant later = earliest(now.plus(pause(at, now)), last);
        return scripts.look(r, script(r, hook, left), settled)
                .compose(looks -> tell(r, looks, hold).map(told -> looks))
                .map(looks -> looks.stream().allMatch(look -> look.state() == State.ENDED)
                        ? Optional.empty()
                        : Next.at(later));
    }

    /** Longer and longer, so that a hook of two hours is not asked after hundreds of times. */
    private static Duration pause(Instant at, Instant now) {
        Duration half = Duration.between(at, now).dividedBy(2);
        return half.compareTo(FIRST_PAUSE) > 0 ? half : FIRST_PAUSE;
    }

    private static Script script(Reservation r, String hook, Duration left) {
        Duration longest = Optional.ofNullable(r.request().atEnd())
                .map(AtEnd::hookTime)
                .filter(time -> time.compareTo(left) < 0)
                .orElse(left);
        return new Script(r.id() + "-" + r.window().end().getEpochSecond(), hook, longest);
    }

    private static Set<String> settled(List<JsonNode> notes) {
        return notes.stream()
                .filter(note -> SETTLED.contains(note.path("outcome").asText()))
                .map(note -> note.path("nodeId").asText())
                .collect(Collectors.toCollection(HashSet::new));
    }

    /** It has ended, or was given back before: what still runs on own machines would disturb the next one there. */
    private Future<Optional<Next>> afterwards(Reservation r, String hook, List<JsonNode> notes, Hold hold) {
        boolean begun =
                notes.stream().anyMatch(note -> !note.path("outcome").asText().equals("unreachable"));
        if (begun) {
            // Of all machines: one whose hook has ended may have something of it in the background.
            return scripts.stop(r, script(r, hook, Duration.ofSeconds(1)), Set.of())
                    .compose(looks -> tell(r, news(looks, notes), hold)
                            .compose(told -> cutOff(r, notes, looks, hold))
                            .map(told -> reached(looks).size() == looks.size() ? Optional.empty() : later(r)));
        }
        return inHand(
                        r,
                        hold,
                        connection -> note(
                                connection,
                                r,
                                Map.of("outcome", "not_run"),
                                Map.of(),
                                new Why(
                                        "the hook was not run: its machines were given back before it could be",
                                        "结束脚本没有运行：机器在其运行前已被释放")))
                .map(Optional.empty());
    }

    private static List<Look> news(List<Look> looks, List<JsonNode> notes) {
        Set<String> settled = settled(notes);
        return reached(looks).stream()
                .filter(look -> !settled.contains(look.nodeId()))
                .toList();
    }

    private static List<Look> reached(List<Look> looks) {
        return looks.stream().filter(look -> look.state() != State.UNREACHABLE).toList();
    }

    /** Own machines that do not answer are asked again for a day. */
    private Optional<Next> later(Reservation r) {
        Instant next = clock.instant().plus(CLEAR_AGAIN);
        return next.isBefore(r.window().end().plus(CLEAR_FOR)) ? Next.at(next) : Optional.empty();
    }

    /** A bought machine is gone before it could be asked. */
    private Future<Void> cutOff(Reservation r, List<JsonNode> notes, List<Look> looks, Hold hold) {
        Set<String> known = settled(notes);
        looks.forEach(look -> known.add(look.nodeId()));
        return inHand(r, hold, connection -> {
            Future<Void> all = Future.succeededFuture();
            for (JsonNode note : notes) {
                String node = note.path("node").asText();
                if (note.path("outcome").asText().equals("running")
                        && known.add(note.path("nodeId").asText())) {
                    all = all.compose(done -> note(
                            connection,
                            r,
                            Map.of("nodeId", note.path("nodeId").asText(), "outcome", "cut_off"),
                            Map.of("node", node),
                            new Why(
                                    node + " was given back while the hook ran; how far it came is not known",
                                    node + " 在结束脚本运行时被释放，运行结果未知")));
                }
            }
            return all;
        });
    }

    // ---- events -------------------------------------------------------------------------------------------

    private Future<Void> tell(Reservation r, List<Look> looks, Hold hold) {
        return inHand(r, hold, connection -> {
            Future<Void> all = Future.succeededFuture();
            for (Look look : looks) {
                if (look.state() != State.NONE) {
                    all = all.compose(done -> tell(connection, r, look));
                }
            }
            return all;
        });
    }

    private Future<Void> tell(SqlConnection connection, Reservation r, Look look) {
        Map<String, Object> which = Map.of("nodeId", look.nodeId(), "outcome", outcome(look));
        Map<String, Object> more = new TreeMap<>(Map.of("node", look.node()));
        if (look.state() == State.ENDED || look.state() == State.STOPPED) {
            more.put("exitCode", look.exitCode());
            more.put("seconds", look.seconds());
            more.put("lastLine", look.said());
        }
        return note(connection, r, which, more, why(look));
    }

    private static String outcome(Look look) {
        return look.state().name().toLowerCase(Locale.ROOT);
    }

    private static Why why(Look look) {
        String node = look.node();
        String line = look.said().isEmpty() ? "" : ": " + look.said();
        String lineZh = look.said().isEmpty() ? "" : "（" + look.said() + "）";
        return switch (look.state()) {
            case ENDED ->
                new Why(
                        "the hook ended on " + node + " with " + look.exitCode() + " after " + look.seconds() + " s"
                                + line,
                        node + " 上的结束脚本已结束，退出码 " + look.exitCode() + "，用时 " + look.seconds() + " 秒" + lineZh);
            case STOPPED ->
                new Why(
                        "the hook still ran on " + node + " when its time was over, and was ended" + line,
                        node + " 上的结束脚本到时仍在运行，已被终止" + lineZh);
            case UNREACHABLE ->
                new Why(
                        "the hook cannot be run on " + node + " as long as the broker cannot log in" + line,
                        "系统无法登录 " + node + "，结束脚本暂时不能运行" + lineZh);
            default -> new Why("the hook runs on " + node, node + " 上正在运行结束脚本");
        };
    }

    private Future<Void> note(
            SqlConnection connection, Reservation r, Map<String, Object> which, Map<String, Object> more, Why why) {
        Map<String, Object> key = new TreeMap<>(which(r));
        key.putAll(which);
        return reservations
                .noteOnce(connection, r, KIND, key, more, why, clock.instant())
                .mapEmpty();
    }

    @FunctionalInterface
    private interface Write {
        Future<Void> in(SqlConnection connection);
    }

    private Future<Void> inHand(Reservation r, Hold hold, Write write) {
        return database.inTransaction(connection -> hold.stands(connection)
                .compose(stands -> stands
                        ? reservations.lock(connection, r.id()).compose(locked -> write.in(connection))
                        : Future.succeededFuture()));
    }

    private static Instant earliest(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }
}
