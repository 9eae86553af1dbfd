package dev.gpubroker.broker.http;

import dev.gpubroker.broker.http.Contract.KeyRule;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets a request with an idempotency key be carried out once, and its answer be given again. */
final class Idempotency {
    static final String HEADER = "Idempotency-Key";
    static final String REPLAYED = "Idempotency-Replayed";

    /**
     * Refusals that depend on nothing but the body. Those that depend on the clock ({@code in_the_past},
     * {@code needs_confirmation}), the catalogue, accounts or stock would be wrong tomorrow and are not kept.
     */
    private static final Set<String> KEPT_REFUSALS = Set.of(
            "invalid_request",
            "unknown_field",
            "no_such_date",
            "not_understood",
            "end_before_start",
            "time_zone_unknown",
            "unknown_compliance",
            "shape_impossible");

    private static final int LONGEST_KEY = 255;
    private static final Logger LOG = LoggerFactory.getLogger(Idempotency.class);

    private final IdempotencyStore store;

    Idempotency(IdempotencyStore store) {
        this.store = store;
    }

    /**
     * What was answered.
     *
     * @param refusal the problem if it was one
     * @param worksOn whether the work may still go on, as after a time-out; then only the lock's end frees the key
     */
    record Answer(ApiReply reply, @Nullable Problem refusal, boolean worksOn) {
        boolean isKept() {
            return refusal == null
                    ? reply.isSuccess()
                    : (refusal.status() == 400 || refusal.status() == 422) && KEPT_REFUSALS.contains(refusal.code());
        }
    }

    /**
     * The key of a request; null if it has none and needs none.
     *
     * @throws ApiProblem 400 if it is missing where it is required, or unusable
     */
    static @Nullable String key(@Nullable String header, KeyRule rule) {
        if (rule == KeyRule.NONE) {
            return null;
        }
        if (header == null && rule == KeyRule.OPTIONAL) {
            return null;
        }
        if (header == null || header.isEmpty()) {
            throw new ApiProblem(
                    400,
                    "idempotency_key_missing",
                    "This call books or spends: send an Idempotency-Key header, new for each intent, so that a repeat cannot book twice.",
                    "此操作会预订或产生费用：请发送 Idempotency-Key 请求头（每个意图使用新的值），以免重复预订。");
        }
        boolean printable = header.chars().allMatch(c -> c >= 0x20 && c <= 0x7e);
        if (!printable || header.length() > LONGEST_KEY) {
            throw new ApiProblem(Problem.invalidField(
                    HEADER, "format", "must be 1 to 255 printable ASCII characters", "必须为 1 至 255 个可打印的 ASCII 字符"));
        }
        return header;
    }

    /** Hash of what makes two requests the same: method, path with query, body however it is spelt. */
    static byte[] requestHash(String method, String pathAndQuery, String canonicalBody) {
        try {
            String whole = method + "\n" + pathAndQuery + "\n" + canonicalBody;
            return MessageDigest.getInstance("SHA-256").digest(whole.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /**
     * Runs the work unless its key has been used; then the stored answer or a refusal comes back. The work must not
     * fail: a refusal is an answer.
     */
    Future<Answer> once(String team, String key, byte[] requestHash, Function<IdempotencyTicket, Future<Answer>> work) {
        return store.begin(team, key, requestHash)
                .compose(start -> start.fold(new IdempotencyStart.Cases<>() {
                    @Override
                    public Future<Answer> started(IdempotencyStart.Started started) {
                        return work.apply(started.ticket()).compose(answer -> settled(started.ticket(), answer));
                    }

                    @Override
                    public Future<Answer> replay(IdempotencyStart.Replay replay) {
                        return Future.succeededFuture(
                                new Answer(replay.answer().withHeader(REPLAYED, "true"), null, false));
                    }

                    @Override
                    public Future<Answer> inProgress(IdempotencyStart.InProgress running) {
                        return Future.failedFuture(new ApiProblem(Idempotency.inProgress(running.retryAfter())));
                    }

                    @Override
                    public Future<Answer> reused() {
                        return Future.failedFuture(new ApiProblem(
                                422,
                                "idempotency_key_reused",
                                "This Idempotency-Key was used for another request; use a new key for a new intent.",
                                "此 Idempotency-Key 已用于另一个请求；新的意图请使用新的值。"));
                    }
                }));
    }

    /** A 409 for a request that is being carried out. */
    static Problem inProgress(Duration retryAfter) {
        return Problem.of(
                        409,
                        "idempotency_in_progress",
                        "The first request with this Idempotency-Key is still running; send the same again a little later.",
                        "使用此 Idempotency-Key 的第一个请求仍在处理中；请稍后重新发送相同的请求。")
                .retryAfter(retryAfter);
    }

    /** Stores or forgets; where that fails, the lock runs out by itself and the answer is still the caller's. */
    private Future<Answer> settled(IdempotencyTicket ticket, Answer answer) {
        Future<Void> settled;
        if (answer.isKept()) {
            settled = store.finish(ticket, answer.reply());
        } else {
            settled = answer.worksOn() ? Future.succeededFuture() : store.release(ticket);
        }
        return settled.map(answer).recover(fault -> {
            LOG.warn("an idempotency key could not be settled; its lock runs out by itself", fault);
            return Future.succeededFuture(answer);
        });
    }
}
