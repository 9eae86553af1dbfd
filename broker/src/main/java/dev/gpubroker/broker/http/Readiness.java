package dev.gpubroker.broker.http;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The probes: alive as long as it answers, ready while every check passes. */
public final class Readiness implements Routes {
    /** Shorter than the patience of whoever probes. */
    private static final long MOST_SECONDS = 2;

    private static final Logger LOG = LoggerFactory.getLogger(Readiness.class);

    private final List<Check> checks;

    public Readiness(List<Check> checks) {
        this.checks = List.copyOf(checks);
    }

    /**
     * One thing that must work.
     *
     * @param name as shown, {@code database} for instance
     * @param probe succeeds if it works; given two seconds
     */
    public record Check(String name, Supplier<Future<?>> probe) {}

    /** What one check found. */
    record Result(String name, boolean ok, String detail) {}

    /** The answer of {@code /healthz}. */
    record Health(String status) {}

    /** The answer of {@code /readyz}. */
    record Ready(boolean ready, List<Result> checks) {}

    @Override
    public void addTo(RouteTable table) {
        table.on("health", request -> Future.succeededFuture(ApiReply.ok(new Health("up"))));
        table.on("ready", request -> ready());
    }

    private Future<ApiReply> ready() {
        Future<List<Result>> results = Future.succeededFuture(new ArrayList<>());
        List<Future<Result>> running = checks.stream().map(Readiness::run).toList(); // All at once, then in order.
        for (Future<Result> each : running) {
            results = results.compose(before -> each.map(result -> {
                before.add(result);
                return before;
            }));
        }
        return results.map(all -> {
            boolean ready = all.stream().allMatch(Result::ok);
            return ApiReply.json(ready ? 200 : 503, new Ready(ready, all));
        });
    }

    private static Future<Result> run(Check check) {
        Future<?> probe;
        try {
            probe = check.probe().get();
        } catch (RuntimeException e) {
            probe = Future.failedFuture(e);
        }
        return probe.timeout(MOST_SECONDS, TimeUnit.SECONDS)
                .map(done -> new Result(check.name(), true, "ok"))
                .recover(failure -> {
                    LOG.warn("not ready: {}: {}", check.name(), failure.toString());
                    String detail = Faults.isTimeout(failure) ? "no answer in time" : "failed; see the log";
                    return Future.succeededFuture(new Result(check.name(), false, detail));
                });
    }
}
