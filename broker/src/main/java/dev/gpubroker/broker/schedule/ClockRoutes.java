package dev.gpubroker.broker.schedule;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import dev.gpubroker.broker.request.RequestJson;
import dev.gpubroker.broker.request.RequestTimes;
import dev.gpubroker.broker.time.BusinessClock;
import io.vertx.core.Future;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.function.Supplier;

/** The demo clock over HTTP. */
public final class ClockRoutes implements Routes {
    /** A walk over more is a slip of the finger. */
    private static final Duration LONGEST = Duration.ofDays(400);

    private final DemoClock demo;
    private final BusinessClock clock;
    private final boolean enabled;
    private final ZoneId zone;
    private final Supplier<Future<Boolean>> isUsed;
    private final Supplier<Future<Void>> onSetBack;

    /**
     * @param isUsed whether a reservation exists: then time only goes forward
     * @param onSetBack forgets what was seen at times that have not been yet
     */
    public ClockRoutes(
            DemoClock demo,
            BusinessClock clock,
            boolean enabled,
            ZoneId zone,
            Supplier<Future<Boolean>> isUsed,
            Supplier<Future<Void>> onSetBack) {
        this.demo = demo;
        this.clock = clock;
        this.enabled = enabled;
        this.zone = zone;
        this.isUsed = isUsed;
        this.onSetBack = onSetBack;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("readDemoClock", request -> clock.refresh().map(now -> ApiReply.ok(json(now))))
                .on("moveDemoClock", this::moveDemoClock);
    }

    private Future<ApiReply> moveDemoClock(ApiRequest request) {
        if (!enabled) {
            throw new ApiProblem(
                    409,
                    "clock_not_enabled",
                    "Business time is real here; start with GPU_BROKER_DEMO_CLOCK=true to move it.",
                    "未启用演示时钟；启动时设置 GPU_BROKER_DEMO_CLOCK=true。");
        }
        ObjectNode body = request.object();
        return clock.refresh()
                .compose(now -> {
                    Instant target = target(body, now);
                    if (body.has("advance")) {
                        return demo.advance(advance(body.get("advance").asText()));
                    }
                    return target.isBefore(now) ? setBack(target) : demo.walkTo(target);
                })
                .map(now -> ApiReply.ok(json(now)));
    }

    private Instant target(ObjectNode body, Instant now) {
        if (body.has("advance") == body.has("set")) {
            throw new ApiProblem(Problem.invalidField(
                    "advance", "conflict", "give either advance or set", "advance 与 set 必须且只能给一个"));
        }
        Instant target =
                body.has("advance") ? now.plus(advance(body.get("advance").asText())) : set(body);
        if (target.isAfter(now.plus(LONGEST))) {
            throw new ApiProblem(Problem.invalidField(
                    body.has("advance") ? "advance" : "set",
                    "maximum",
                    "at most " + LONGEST.toDays() + " days ahead",
                    "最多向前 " + LONGEST.toDays() + " 天"));
        }
        return target;
    }

    private static Duration advance(String text) {
        try {
            Duration duration = Duration.parse(text);
            if (duration.isNegative()) {
                throw new DateTimeException("negative");
            }
            return duration;
        } catch (DateTimeException unreadable) {
            throw new ApiProblem(Problem.invalidField(
                    "advance",
                    "format",
                    "must be an ISO 8601 duration of days, hours, minutes, seconds, as P10D or PT36H",
                    "必须是 ISO 8601 时长，例如 P10D 或 PT36H"));
        }
    }

    private Instant set(ObjectNode body) {
        return RequestTimes.any("set", body.get("set").asText(), zone);
    }

    private Future<Instant> setBack(Instant target) {
        return isUsed.get().compose(used -> {
            if (used) {
                throw new ApiProblem(
                        409, "clock_backwards", "Time cannot go back once a reservation exists.", "已有预订后时间不能倒退。");
            }
            return demo.setBack(target).compose(set -> onSetBack.get().map(set));
        });
    }

    private ObjectNode json(Instant now) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("now", RequestJson.time(now, zone))
                .put("offset", clock.offset().toString())
                .put("enabled", enabled);
    }
}
