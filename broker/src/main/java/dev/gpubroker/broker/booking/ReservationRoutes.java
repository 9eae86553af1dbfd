package dev.gpubroker.broker.booking;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.booking.BookingService.BookCommand;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.catalogue.Match;
import dev.gpubroker.broker.catalogue.UnknownModel;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.Caller;
import dev.gpubroker.broker.http.Cursor;
import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.IdempotencyTicket;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.http.QuerySpan;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.PersonalRequests;
import dev.gpubroker.broker.request.RequestReader;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reservations over HTTP. Holds no rules: turns JSON into calls and answers into JSON. */
final class ReservationRoutes implements Routes {
    private static final int PAGE = 50;
    /** Quoted as an entity tag is; people also type the bare number. */
    private static final Pattern VERSION = Pattern.compile("\"([0-9]{1,18})\"|([0-9]{1,18})");

    private final BookingService booking;
    private final ChangeService changes;
    private final ReservationChange changed;
    private final ReservationStore reservations;
    private final RequestReader requests;
    private final PersonalRequests personal;
    private final GpuCatalogue catalogue;
    private final ReservationJson json;
    private final Refusals refusals;
    private final SpendingLimit limit;

    ReservationRoutes(
            BookingService booking,
            ChangeService changes,
            ReservationChange changed,
            ReservationStore reservations,
            RequestReader requests,
            PersonalRequests personal,
            GpuCatalogue catalogue,
            ReservationJson json,
            Refusals refusals,
            SpendingLimit limit) {
        this.booking = booking;
        this.changes = changes;
        this.changed = changed;
        this.reservations = reservations;
        this.requests = requests;
        this.personal = personal;
        this.catalogue = catalogue;
        this.json = json;
        this.refusals = refusals;
        this.limit = limit;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("bookReservation", this::bookReservation)
                .on("listReservations", this::listReservations)
                .on("readReservation", this::readReservation)
                .on("listReservationEvents", this::listReservationEvents)
                .on("changeReservation", this::changeReservation)
                .on("acceptProposal", this::acceptProposal)
                .on("declineProposal", this::declineProposal)
                .on("quoteCancellation", this::quoteCancellation)
                .on("cancelReservation", this::cancelReservation);
    }

    // ---- booking ------------------------------------------------------------------------------------------

    private Future<ApiReply> bookReservation(ApiRequest request) {
        ObjectNode body = request.object();
        Answer answer = new Answer(
                request,
                limit,
                (booked, position) ->
                        reply(201, booked, position).withHeader("Location", "/v1/reservations/" + booked.id()));
        JsonNode quoteId = body.get("quoteId");
        String team = request.caller().team();
        String owner = request.caller().name();
        Future<Reservation> booked = quoteId == null
                ? personal.read(request.caller(), body)
                        .compose(asked -> booking.book(new BookCommand(team, owner, asked), answer))
                : booking.bookQuote(team, owner, quoteOf(body), asked -> named(asked, body), answer);
        return booked.map(done -> answer.given());
    }

    /** A quote is booked as it was given: only a title and labels may be added. */
    private static String quoteOf(ObjectNode body) {
        List<FieldError> extra = new ArrayList<>();
        body.fieldNames().forEachRemaining(field -> {
            if (!Set.of("quoteId", "title", "labels").contains(field)) {
                extra.add(new FieldError(
                        field,
                        "conflict",
                        "does not go with quoteId: the quote says what is booked",
                        "不能与 quoteId 同时使用：预订内容以报价为准"));
            }
        });
        if (!extra.isEmpty()) {
            throw new ApiProblem(Problem.invalid(extra));
        }
        return body.get("quoteId").asText();
    }

    private static BookingRequest named(BookingRequest asked, ObjectNode body) {
        return asked.named(
                body.has("title") ? body.get("title").asText() : asked.title(),
                body.has("labels") ? labels(body.get("labels")) : asked.labels());
    }

    static Map<String, String> labels(JsonNode node) {
        Map<String, String> labels = new HashMap<>();
        node.properties()
                .forEach(entry -> labels.put(entry.getKey(), entry.getValue().asText()));
        return labels;
    }

    // ---- reading ------------------------------------------------------------------------------------------

    private Future<ApiReply> readReservation(ApiRequest request) {
        return changes.read(request.caller().team(), request.path("id")).compose(this::shown);
    }

    private Future<ApiReply> shown(Reservation r) {
        return reservations.position(r).map(position -> reply(200, r, position));
    }

    private Future<ApiReply> listReservations(ApiRequest request) {
        int limit = request.queryInt("limit", PAGE);
        String states = request.query("state");
        String team = request.query("team");
        String model = request.query("model");
        QuerySpan span = QuerySpan.of(request, requests.zone());
        String filter = states + "|" + team + "|" + model + "|" + span.from() + "|" + span.to();
        Cursor cursor = request.query("cursor") == null ? null : Cursor.decoded(request.query("cursor"), filter);
        if (team != null && !team.equals(request.caller().team())) {
            return Future.succeededFuture(page(List.of(), limit, filter, Map.of()));
        }
        ReservationStore.Filter wanted = new ReservationStore.Filter(
                request.caller().team(),
                statesOf(states),
                canonical(catalogue, model),
                span.from(),
                span.to(),
                cursor == null ? null : cursor.at(),
                cursor == null ? null : cursor.id(),
                limit + 1);
        return reservations
                .list(wanted)
                .compose(found -> positions(found).map(positions -> page(found, limit, filter, positions)));
    }

    /** The catalogue's name of the model that a list is asked for. */
    static @Nullable String canonical(GpuCatalogue catalogue, @Nullable String model) {
        return model == null
                ? null
                : catalogue.find(model).map(Match::canonical).orElseThrow(() -> UnknownModel.problem(catalogue, model));
    }

    private Future<Map<String, Integer>> positions(List<Reservation> found) {
        Map<String, Integer> positions = new HashMap<>();
        List<Future<Integer>> asked = found.stream()
                .filter(r -> r.state().isWaiting())
                .map(r -> reservations.position(r).onSuccess(position -> positions.put(r.id(), position)))
                .toList();
        return Future.all(asked).map(done -> positions);
    }

    private static Set<ReservationState> statesOf(@Nullable String states) {
        if (states == null) {
            return Set.of();
        }
        try {
            return Arrays.stream(states.split(","))
                    .map(name -> ReservationState.ofWireName(name.strip()))
                    .collect(Collectors.toSet());
        } catch (IllegalArgumentException unknown) {
            String known = Arrays.stream(ReservationState.values())
                    .map(ReservationState::wireName)
                    .collect(Collectors.joining(", "));
            throw new ApiProblem(Problem.invalidField(
                    "state", "unknown", "must be one or several of " + known, "必须是以下状态之一或多个：" + known));
        }
    }

    private ApiReply page(List<Reservation> found, int limit, String filter, Map<String, Integer> positions) {
        List<Reservation> shown = found.subList(0, Math.min(limit, found.size()));
        ObjectNode body = PlanJson.JSON.objectNode();
        ArrayNode items = body.putArray("items");
        shown.forEach(r -> items.add(json.of(r, positions.getOrDefault(r.id(), 1))));
        if (found.size() > limit) {
            Reservation last = shown.get(shown.size() - 1);
            body.put("nextCursor", new Cursor(last.createdAt(), last.id()).encoded(filter));
        } else {
            body.putNull("nextCursor");
        }
        return ApiReply.ok(body);
    }

    private Future<ApiReply> listReservationEvents(ApiRequest request) {
        int limit = request.queryInt("limit", PAGE);
        String filter = "events|" + request.path("id");
        long after = request.query("cursor") == null
                ? 0
                : Long.parseLong(Cursor.decoded(request.query("cursor"), filter).id());
        return changes.read(request.caller().team(), request.path("id"))
                .compose(r ->
                        reservations.events(r.id(), after, limit + 1).map(found -> events(r, found, limit, filter)));
    }

    private static ApiReply events(Reservation r, List<ReservationStore.Event> found, int limit, String filter) {
        List<ReservationStore.Event> shown = found.subList(0, Math.min(limit, found.size()));
        ObjectNode body = PlanJson.JSON.objectNode();
        ArrayNode items = body.putArray("items");
        shown.forEach(
                event -> items.add(ReservationJson.event(event, r.request().timeZone())));
        if (found.size() > limit) {
            ReservationStore.Event last = shown.get(shown.size() - 1);
            body.put("nextCursor", new Cursor(last.at(), Long.toString(last.id())).encoded(filter));
        } else {
            body.putNull("nextCursor");
        }
        return ApiReply.ok(body);
    }

    // ---- changing -----------------------------------------------------------------------------------------

    private Future<ApiReply> changeReservation(ApiRequest request) {
        String match = request.header("if-match");
        if (match == null) {
            throw refusals.versionMissing();
        }
        Answer answer = new Answer(
                request, limit, (after, position) -> reply(after.pending() == null ? 200 : 202, after, position));
        return changed.change(
                        request.caller().team(),
                        request.caller().name(),
                        request.path("id"),
                        versionOf(match),
                        request.object(),
                        request.ticket() != null,
                        answer)
                .map(done -> answer.given());
    }

    /** {@code If-Match} compares strongly (RFC 9110, 13.1.1), so a weak tag never matches and is no version. */
    static long versionOf(String match) {
        Matcher version = VERSION.matcher(match.strip());
        if (!version.matches()) {
            throw new ApiProblem(Problem.invalidField(
                    "If-Match", "format", "must be a version as in \"3\", and no weak tag", "必须是版本号，例如 \"3\"，且不能是弱标签"));
        }
        return Long.parseLong(version.group(1) == null ? version.group(2) : version.group(1));
    }

    private Future<ApiReply> acceptProposal(ApiRequest request) {
        Answer answer = new Answer(request, limit, (r, position) -> reply(200, r, position));
        return changes.accept(request.caller().team(), request.caller().name(), request.path("id"), answer)
                .map(done -> answer.given());
    }

    private Future<ApiReply> declineProposal(ApiRequest request) {
        Answer answer = new Answer(request, UNLIMITED, (r, position) -> reply(200, r, position));
        return changes.decline(request.caller().team(), request.caller().name(), request.path("id"), answer)
                .map(done -> answer.given());
    }

    private Future<ApiReply> quoteCancellation(ApiRequest request) {
        return changes.quoteCancellation(request.caller().team(), request.path("id"))
                .map(ApiReply::ok);
    }

    private Future<ApiReply> cancelReservation(ApiRequest request) {
        JsonNode quoteId = request.body() == null ? null : request.object().get("quoteId");
        Answer answer = new Answer(
                request,
                UNLIMITED,
                (r, position) -> reply(r.state() == ReservationState.RELEASING ? 202 : 200, r, position));
        return changes.cancel(
                        request.caller().team(),
                        request.caller().name(),
                        request.path("id"),
                        quoteId == null ? null : quoteId.asText(),
                        answer)
                .map(done -> answer.given());
    }

    private ApiReply reply(int status, Reservation r, int position) {
        return ApiReply.json(status, json.of(r, position)).withHeader("ETag", "\"" + r.version() + "\"");
    }

    /** Declining and cancelling cost nothing that was not agreed before. */
    private static final SpendingLimit UNLIMITED = new SpendingLimit() {
        @Override
        public Future<Void> lock(SqlConnection connection, Caller caller) {
            return Future.succeededFuture();
        }

        @Override
        public Future<Void> charge(SqlConnection connection, Caller caller, Reservation booked) {
            return Future.succeededFuture();
        }
    };

    /** Locks the idempotency key first and stores the answer last, in the transaction that makes it true. */
    private static final class Answer implements BookingService.Frame {
        private final @Nullable IdempotencyTicket ticket;
        private final Caller caller;
        private final SpendingLimit limit;
        private final BiFunction<Reservation, Integer, ApiReply> form;
        private @Nullable ApiReply reply;

        Answer(ApiRequest request, SpendingLimit limit, BiFunction<Reservation, Integer, ApiReply> form) {
            this.ticket = request.ticket();
            this.caller = request.caller();
            this.limit = limit;
            this.form = form;
        }

        @Override
        public Future<Void> before(SqlConnection connection) {
            Future<Void> ours = ticket == null ? Future.succeededFuture() : ticket.lockIn(connection);
            return ours.compose(locked -> limit.lock(connection, caller));
        }

        @Override
        public Future<Void> after(SqlConnection connection, Reservation booked, int position) {
            ApiReply made = form.apply(booked, position);
            reply = made;
            return limit.charge(connection, caller, booked)
                    .compose(within -> ticket == null ? Future.succeededFuture() : ticket.answerIn(connection, made));
        }

        ApiReply given() {
            return java.util.Objects.requireNonNull(reply, "the transaction has made its answer");
        }
    }
}
