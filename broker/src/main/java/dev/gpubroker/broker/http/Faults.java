package dev.gpubroker.broker.http;

import io.vertx.ext.web.handler.HttpException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns whatever failed into a problem. What a caller cannot act on is logged under the request's id and not told. */
final class Faults {
    private static final Logger LOG = LoggerFactory.getLogger(Faults.class);
    private static final Duration SOON = Duration.ofSeconds(5);

    private final Predicate<Throwable> isUnavailable;

    /**
     * @param isUnavailable whether a fault means that the database is away or all its connections are taken
     */
    Faults(Predicate<Throwable> isUnavailable) {
        this.isUnavailable = isUnavailable;
    }

    Problem problem(Throwable failure, String requestId, String what) {
        Throwable fault = unwrapped(failure);
        if (fault instanceof ApiProblem expected) {
            return expected.problem();
        }
        if (fault instanceof HttpException refused && refused.getStatusCode() < 500) {
            return unreadable(refused.getStatusCode());
        }
        if (isUnavailable.test(fault)) {
            LOG.warn("{} of request {}: unavailable: {}", what, requestId, fault.toString());
            return unavailable();
        }
        if (PgFaults.isLostRace(fault)) {
            LOG.warn("{} of request {}: lost race: {}", what, requestId, fault.toString());
            return lostRace();
        }
        LOG.error("{} of request {} failed", what, requestId, fault);
        return internalError(requestId);
    }

    /** What Vert.x itself refuses: a query that cannot be decoded, for instance. */
    static Problem unreadable(int status) {
        return Problem.of(status, "invalid_request", "The request cannot be read.", "无法解析该请求。");
    }

    /** A 503 that asks the caller to come again. */
    static Problem unavailable() {
        return Problem.of(
                        503,
                        "unavailable",
                        "The broker cannot answer right now; send the same request again a little later.",
                        "服务暂时不可用；请稍后重新发送相同的请求。")
                .retryAfter(SOON);
    }

    private static Problem lostRace() {
        return Problem.of(
                        409,
                        "lost_race",
                        "Others were changing the same machines at the same moment; nothing was changed. Send it again.",
                        "其他人正在同时修改同一批机器，本次未做任何改动；请重新发送。")
                .retryAfter(SOON);
    }

    /** A 500 that tells nothing but where to look. */
    static Problem internalError(String requestId) {
        return Problem.of(
                500,
                "internal_error",
                "Something went wrong in the broker; its log has the details under request " + requestId + ".",
                "服务内部出错；详情见日志中的请求 " + requestId + "。");
    }

    static boolean isTimeout(Throwable failure) {
        return unwrapped(failure) instanceof TimeoutException;
    }

    private static Throwable unwrapped(Throwable failure) {
        Throwable fault = failure;
        while ((fault instanceof CompletionException || fault instanceof ExecutionException)
                && fault.getCause() != null) {
            fault = fault.getCause();
        }
        return fault;
    }
}
