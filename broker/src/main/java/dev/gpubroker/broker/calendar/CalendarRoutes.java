package dev.gpubroker.broker.calendar;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.booking.Reservation;
import dev.gpubroker.broker.booking.ReservationStore;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.request.RequestJson;
import dev.gpubroker.broker.request.TimeZones;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** {@code GET /v1/calendar}: everything that overlaps the span, as bars on rows. */
public final class CalendarRoutes implements Routes {
    private static final int MOST_BARS = 10_000;
    private static final Duration USUAL_SPAN = Duration.ofDays(28);
    private static final Duration LONGEST_SPAN = Duration.ofDays(400);
    /** Row of those who have no platform yet. */
    private static final String WAITING = "waiting";

    private static final String NOTHING_HAD = "nothing_had";

    private final ReservationStore reservations;
    private final Function<String, Future<List<Row>>> rows;
    private final ZoneId zone;
    private final InstantSource clock;

    /** @param kind {@code platform}, {@code pool} or {@code node} */
    public record Row(String id, String label, String kind) {}

    /** @param rows every platform and every pool of a team, in the order in which they are shown, whether anything is booked or not */
    public CalendarRoutes(
            ReservationStore reservations, Function<String, Future<List<Row>>> rows, ZoneId zone, InstantSource clock) {
        this.reservations = reservations;
        this.rows = rows;
        this.zone = zone;
        this.clock = clock;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("readCalendar", this::readCalendar);
    }

    private Future<ApiReply> readCalendar(ApiRequest request) {
        ZoneId shown = zoneOf(request);
        Instant from = orElse(
                request.queryTime("from", shown),
                clock.instant().atZone(shown).toLocalDate().atStartOfDay(shown).toInstant());
        Instant to = orElse(request.queryTime("to", shown), from.plus(USUAL_SPAN));
        if (!from.isBefore(to) || to.isAfter(from.plus(LONGEST_SPAN))) {
            throw new ApiProblem(Problem.invalidField(
                    "to",
                    "range",
                    "must lie after from, at most " + LONGEST_SPAN.toDays() + " days",
                    "必须晚于 from，且最多相隔 " + LONGEST_SPAN.toDays() + " 天"));
        }
        String group = request.query("groupBy") == null ? "platform" : request.query("groupBy");
        ReservationStore.Filter filter =
                new ReservationStore.Filter(request.caller().team(), Set.of(), null, from, to, null, null, MOST_BARS);
        return Future.all(rows.apply(request.caller().team()), reservations.list(filter))
                .map(both -> {
                    List<Row> known = both.resultAt(0);
                    List<Reservation> found = both.resultAt(1);
                    return ApiReply.ok(json(known, found, group, from, to, shown));
                });
    }

    private static Instant orElse(@Nullable Instant given, Instant otherwise) {
        return given == null ? otherwise : given;
    }

    private ZoneId zoneOf(ApiRequest request) {
        String name = request.query("timeZone");
        return name == null
                ? zone
                : TimeZones.named(name)
                        .orElseThrow(() -> new ApiProblem(
                                400,
                                "time_zone_unknown",
                                "'" + name + "' is no IANA time zone, such as Asia/Shanghai.",
                                "“" + name + "”不是 IANA 时区，例如 Asia/Shanghai。"));
    }

    private static ObjectNode json(
            List<Row> known, List<Reservation> found, String group, Instant from, Instant to, ZoneId zone) {
        Map<String, ObjectNode> rows = new LinkedHashMap<>();
        known.stream()
                .filter(row -> group.equals("platform") || row.kind().equals(group))
                .forEach(row -> rows.put(row.id(), row(row)));
        found.forEach(r -> place(r, group, rows, zone));
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("from", RequestJson.time(from, zone));
        json.put("to", RequestJson.time(to, zone));
        ArrayNode list = json.putArray("rows");
        rows.values().forEach(list::add);
        return json;
    }

    private static ObjectNode row(Row row) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", row.id()).put("label", row.label()).put("kind", row.kind());
        json.putArray("bars");
        return json;
    }

    private static void place(Reservation r, String group, Map<String, ObjectNode> rows, ZoneId zone) {
        Plan plan = r.plan();
        if (group.equals("node")) {
            for (Reservation.AssignedNode node : r.nodes()) {
                Row row = new Row(node.id(), node.name(), "node");
                bars(rows, row).add(bar(r, node, zone));
            }
            return;
        }
        boolean own = plan != null && plan.platform().equals("pool");
        if (group.equals("pool") && !own) {
            return;
        }
        Row row = plan == null
                ? r.state().isWaiting()
                        ? new Row(WAITING, "waiting 排队中", "platform")
                        : new Row(NOTHING_HAD, "ended without capacity 未获得资源", "platform")
                : own
                        ? new Row("pool:" + plan.sku(), plan.sku(), "pool")
                        : new Row(plan.platform(), plan.platform(), "platform");
        bars(rows, row).add(bar(r, null, zone));
    }

    private static ArrayNode bars(Map<String, ObjectNode> rows, Row row) {
        return (ArrayNode) rows.computeIfAbsent(row.id(), id -> row(row)).get("bars");
    }

    private static ObjectNode bar(Reservation r, Reservation.@Nullable AssignedNode node, ZoneId zone) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("reservation", r.id());
        json.put("title", r.title());
        json.put("state", r.state().wireName());
        json.put("start", RequestJson.time(r.window().start(), zone));
        json.put("end", RequestJson.time(r.window().end(), zone));
        ObjectNode gpus = json.putObject("gpus");
        Plan plan = r.plan();
        gpus.put(
                "model",
                plan == null ? r.request().gpu().model() : plan.flavor().model());
        gpus.put("count", node == null ? r.request().gpu().count() : node.gpus());
        if (node != null) {
            ArrayNode indexes = gpus.putArray("indexes");
            IntStream.range(node.firstGpu(), node.firstGpu() + node.gpus()).forEach(indexes::add);
        }
        json.put("substituted", r.standIn() != null);
        return json;
    }
}
