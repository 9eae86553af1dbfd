package dev.gpubroker.broker.allocation;

import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.request.RequestTimes;
import dev.gpubroker.broker.stored.Ids;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** An outage as it is declared; {@link #toOutage} says what is wrong with it, or makes it. Pure. */
record OutageBody(
        String node,
        @Nullable List<Integer> gpus,
        @Nullable String start,
        @Nullable String end,
        String reason) {

    /**
     * The outage, with a new id.
     *
     * @param zone of times without offset
     * @throws ApiProblem 400 naming what is wrong
     */
    Outage toOutage(OwnPool pool, String who, ZoneId zone, Instant now) {
        OwnPool.Node machine = pool.nodes().stream()
                .filter(each -> each.id().equals(node) || each.name().equals(node))
                .findFirst()
                .orElseThrow(() -> unknownNode(pool));
        Instant from = start == null ? now : RequestTimes.any("start", start, zone);
        Instant to = end == null ? null : RequestTimes.any("end", end, zone);
        if (to != null && (!to.isAfter(from) || !to.isAfter(now))) {
            throw new ApiProblem(Problem.of(
                    400, "end_before_start", "The end must lie after the start and after now.", "结束时间必须晚于开始时间和现在。"));
        }
        return new Outage(
                Ids.next("out", now),
                pool.id(),
                machine.id(),
                machine.name(),
                indexes(machine),
                from,
                to,
                said(),
                who,
                now,
                null);
    }

    private List<Integer> indexes(OwnPool.Node machine) {
        if (gpus == null) {
            return IntStream.range(0, machine.gpus()).boxed().toList();
        }
        List<FieldError> errors = new ArrayList<>();
        for (int i = 0; i < gpus.size(); i++) {
            if (gpus.get(i) < 0 || gpus.get(i) >= machine.gpus()) {
                String last = Integer.toString(machine.gpus() - 1);
                errors.add(new FieldError(
                        "gpus[" + i + "]",
                        "range",
                        "must be an index of " + machine.name() + ", 0 to " + last,
                        "必须是 " + machine.name() + " 的 GPU 序号，0 到 " + last));
            }
        }
        if (!errors.isEmpty()) {
            throw new ApiProblem(Problem.invalid(errors));
        }
        return gpus;
    }

    private String said() {
        if (reason.isBlank()) {
            throw new ApiProblem(Problem.invalidField("reason", "format", "must have visible characters", "必须包含可见字符"));
        }
        return reason.strip();
    }

    private ApiProblem unknownNode(OwnPool pool) {
        String names = pool.nodes().stream().limit(20).map(OwnPool.Node::name).collect(Collectors.joining(", "));
        return new ApiProblem(Problem.invalidField(
                "node",
                "unknown",
                "is no machine of pool " + pool.name() + "; it has " + names,
                "不是资源池 " + pool.name() + " 的机器；可选：" + names));
    }
}
