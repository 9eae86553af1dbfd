package dev.gpubroker.broker.http;

import java.time.Instant;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/** The half-open span that a list is asked about; a side that was not given is open. */
public record QuerySpan(@Nullable Instant from, @Nullable Instant to) {

    /**
     * The parameters {@code from} and {@code to}.
     *
     * @throws ApiProblem 400 on {@code to} where nothing lies between them: PostgreSQL knows no such range
     */
    public static QuerySpan of(ApiRequest request, ZoneId zone) {
        Instant from = request.queryTime("from", zone);
        Instant to = request.queryTime("to", zone);
        if (from != null && to != null && !from.isBefore(to)) {
            throw new ApiProblem(Problem.invalidField("to", "range", "must lie after from", "必须晚于 from"));
        }
        return new QuerySpan(from, to);
    }
}
