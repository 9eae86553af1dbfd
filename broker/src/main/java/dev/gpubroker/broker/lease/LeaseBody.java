package dev.gpubroker.broker.lease;

import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.Problem;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A lease as it is asked for; says what is wrong with it. Pure. */
record LeaseBody(
        @Nullable String reservation,
        @Nullable String pool,
        @Nullable String model,
        int gpus,
        @Nullable String ttl,
        @Nullable String maxDuration,
        @Nullable String maxWait,
        @Nullable String title) {
    private static final Duration USUAL_TTL = Duration.ofMinutes(2);
    private static final Duration A_DAY = Duration.ofDays(1);
    private static final Duration LONGEST = Duration.ofDays(31);
    /** Shorter ones would be lost to a pause of the garbage collector. */
    private static final Duration SHORTEST_TTL = Duration.ofSeconds(10);
    /** A machine whose job died costs for twice this. */
    private static final Duration LONGEST_TTL = Duration.ofHours(1);

    /** Its durations, with what is usual where nothing is said. */
    record Times(Duration ttl, Duration maxDuration, Duration maxWait) {}

    /** @throws ApiProblem 400 with every field at fault */
    Times checked() {
        List<FieldError> errors = new ArrayList<>();
        long targets =
                Stream.of(reservation, pool, model).filter(each -> each != null).count();
        if (targets != 1) {
            errors.add(new FieldError(
                    "reservation",
                    "exclusive",
                    "give one of reservation, pool and model, and only one",
                    "reservation、pool、model 必须且只能给出一个"));
        }
        Times times = new Times(
                duration("ttl", ttl, USUAL_TTL, SHORTEST_TTL, LONGEST_TTL, errors),
                duration("maxDuration", maxDuration, A_DAY, Duration.ofSeconds(1), LONGEST, errors),
                duration("maxWait", maxWait, A_DAY, Duration.ZERO, LONGEST, errors));
        if (!errors.isEmpty()) {
            throw new ApiProblem(Problem.invalid(errors));
        }
        return times;
    }

    private static Duration duration(
            String field,
            @Nullable String text,
            Duration absent,
            Duration least,
            Duration most,
            List<FieldError> errors) {
        if (text == null) {
            return absent;
        }
        try {
            Duration read = Duration.parse(text);
            if (read.getNano() == 0 && read.compareTo(least) >= 0 && read.compareTo(most) <= 0) {
                return read;
            }
        } catch (DateTimeException | ArithmeticException notOne) {
            // Told below, as one that is out of its bounds.
        }
        errors.add(new FieldError(
                field,
                "duration",
                "must be an ISO 8601 duration of whole seconds from " + least + " to " + most + ", as PT2H",
                "必须是 " + least + " 到 " + most + " 之间、精确到秒的 ISO 8601 时长，例如 PT2H"));
        return absent;
    }
}
