package dev.gpubroker.broker.identity;

import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.http.VisibleText;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the bodies and answers of this package have in common. */
final class Fields {
    private Fields() {}

    /** A name is shown in events and logs: it must be visible, on one line. */
    static void checkText(String field, String text, List<FieldError> errors) {
        if (text.isBlank()) {
            errors.add(new FieldError(field, "format", "must have visible characters", "必须包含可见字符"));
        }
        VisibleText.fault(field, text, VisibleText.Kind.LINE).ifPresent(errors::add);
    }

    static void refuse(List<FieldError> errors) {
        if (!errors.isEmpty()) {
            throw new ApiProblem(Problem.invalid(errors));
        }
    }

    static ApiProblem noSuchTeam(String field, String team) {
        return new ApiProblem(Problem.invalidField(
                field,
                "unknown",
                "there is no team " + team + ", see GET /v1/teams",
                "没有团队 " + team + "，见 GET /v1/teams"));
    }

    static ApiProblem notFound(String kind, String kindZh, String id) {
        return new ApiProblem(404, "not_found", "There is no " + kind + " " + id + ".", "没有" + kindZh + " " + id + "。");
    }

    static OffsetDateTime time(Instant instant, ZoneId zone) {
        return instant.truncatedTo(ChronoUnit.SECONDS).atZone(zone).toOffsetDateTime();
    }

    static @Nullable OffsetDateTime timeOrNull(@Nullable Instant instant, ZoneId zone) {
        return instant == null ? null : time(instant, zone);
    }
}
