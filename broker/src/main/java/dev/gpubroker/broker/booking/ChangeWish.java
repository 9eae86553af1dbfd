package dev.gpubroker.broker.booking;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.Limits;
import dev.gpubroker.broker.request.RequestJson;
import dev.gpubroker.broker.request.RequestTimes;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/**
 * What an owner wants of a reservation from now on, checked as far as that needs nobody else. Pure.
 *
 * @param from as it is
 * @param window with the wanted start and end; a start alone moves it at its length
 * @param count GPUs wanted in all
 * @param body for title and labels
 */
record ChangeWish(Reservation from, Window window, int count, ObjectNode body) {

    /** @throws ApiProblem 400 naming the field */
    static ChangeWish of(Reservation r, ObjectNode body, Instant now) {
        ZoneId zone = r.request().timeZone();
        Window before = r.window();
        Instant start =
                body.has("start") ? RequestTimes.read("start", body.get("start").asText(), zone) : before.start();
        Instant end = body.has("end")
                ? RequestTimes.read("end", body.get("end").asText(), zone)
                : start.plus(before.length());
        boolean sameWindow = start.equals(before.start()) && end.equals(before.end());
        if (!sameWindow) {
            check(before, start, end, now, zone);
        }
        int count = body.has("count")
                ? body.get("count").asInt()
                : r.request().gpu().count();
        return new ChangeWish(r, sameWindow ? before : new Window(start, end), count, body);
    }

    private static void check(Window before, Instant start, Instant end, Instant now, ZoneId zone) {
        boolean movesStart = !start.equals(before.start());
        if (movesStart && start.isBefore(now.minus(Limits.CLOCK_SKEW))) {
            throw new ApiProblem(Problem.of(400, "in_the_past", "The new start lies in the past.", "新的开始时间已经过去。"));
        }
        if (!end.isAfter(start) || !end.isAfter(now)) {
            throw new ApiProblem(Problem.of(
                    400,
                    "end_before_start",
                    "The new end must lie after the start and after now.",
                    "新的结束时间必须晚于开始时间和现在。"));
        }
        if (end.isAfter(start.plus(Limits.MAX_LENGTH))) {
            throw new ApiProblem(Problem.invalid(List.of(new FieldError(
                    "end",
                    "too_long",
                    "must be at most " + Limits.MAX_LENGTH.toDays() + " days after the start",
                    "最晚为开始后 " + Limits.MAX_LENGTH.toDays() + " 天"))));
        }
        Instant last = now.plus(Limits.HORIZON).truncatedTo(ChronoUnit.HOURS);
        if (movesStart && start.isAfter(last)) {
            throw new ApiProblem(Problem.of(
                            400,
                            "beyond_horizon",
                            "A start can lie at most " + Limits.HORIZON.toDays() + " days ahead.",
                            "开始时间最多可提前 " + Limits.HORIZON.toDays() + " 天预订。")
                    .with("lastBookable", RequestJson.time(last, zone)));
        }
    }

    boolean movesStart() {
        return !window.start().equals(from.window().start());
    }

    boolean movesEnd() {
        return !window.end().equals(from.window().end());
    }

    boolean endsLater() {
        return window.end().isAfter(from.window().end());
    }

    boolean changesCount() {
        return count != from.request().gpu().count();
    }

    boolean grows() {
        return count > from.request().gpu().count();
    }

    /** Only what it is called: nothing that it holds. */
    boolean isOnlyText() {
        return !movesStart() && !movesEnd() && !changesCount();
    }

    /** Everything is as it was asked to be. */
    boolean changesNothing() {
        JsonNode title = body.get("title");
        boolean sameTitle = title == null || Objects.equals(title.isNull() ? null : title.asText(), from.title());
        boolean sameLabels = !body.has("labels")
                || ReservationRoutes.labels(body.get("labels")).equals(from.labels());
        return isOnlyText() && sameTitle && sameLabels;
    }

    /** Whether it may cost more, so that a repeat must not do it twice. */
    boolean spends() {
        return grows() || window.length().compareTo(from.window().length()) > 0;
    }

    /**
     * The request as it is from now on. GPUs that were asked for on so many machines stay that many on each.
     *
     * @throws ApiProblem 409 if the number cannot be spread like that
     */
    BookingRequest request(Refusals refusals) {
        BookingRequest asked = from.request();
        BookingRequest.Gpu gpu = asked.gpu();
        Integer nodes = gpu.nodes();
        if (nodes != null && changesCount()) {
            int each = gpu.count() / nodes;
            if (count % each != 0) {
                throw refusals.changeRefused(
                        "It has " + each + " GPUs on each machine, so the number must be a multiple of " + each + ".",
                        "每台机器 " + each + " 张卡，卡数必须是 " + each + " 的倍数。");
            }
            nodes = count / each;
        }
        return asked.with(new BookingRequest.Gpu(gpu.model(), count, nodes, gpu.memoryGb(), gpu.formFactor()), window);
    }

    /** Begins the next version with title and labels, where they are given. */
    Edit edit() {
        Edit edit = from.edit();
        JsonNode title = body.get("title");
        if (title != null) {
            edit.title(title.isNull() ? null : title.asText());
        }
        if (body.has("labels")) {
            edit.labels(ReservationRoutes.labels(body.get("labels")));
        }
        return edit;
    }
}
