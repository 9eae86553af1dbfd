package dev.gpubroker.broker.request;

import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.FieldError;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.http.TimeBounds;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** One time in a body, apart from a booking: with an offset, or local in a known zone, or a date. */
public final class RequestTimes {
    private static final int DATE = 10;
    private static final Pattern TIME = Pattern.compile(
            "\\d{4}-\\d{2}-\\d{2}([Tt]\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?([Zz]|[+-]\\d{2}:\\d{2})?)?");

    private RequestTimes() {}

    /** @throws ApiProblem naming the field */
    public static Instant read(String field, String text, ZoneId zone) {
        Instant instant = any(field, text, zone);
        if (!instant.equals(instant.atZone(zone).truncatedTo(ChronoUnit.HOURS).toInstant())) {
            throw new ApiProblem(Problem.invalidField(field, "granularity", "must be on the hour", "必须是整点"));
        }
        return instant;
    }

    /** The same, on the hour or not. */
    public static Instant any(String field, String text, ZoneId zone) {
        if (!TIME.matcher(text).matches()) {
            throw new ApiProblem(Problem.invalidField(
                    field,
                    "format",
                    "must be a date, or a time such as 2026-12-20T00:00:00+08:00",
                    "必须是日期，或如 2026-12-20T00:00:00+08:00 的时间"));
        }
        Instant instant = existing(field, text, zone);
        if (!TimeBounds.hold(instant)) {
            throw new ApiProblem(Problem.invalidField(field, "range", TimeBounds.ENGLISH, TimeBounds.CHINESE));
        }
        return instant;
    }

    private static Instant existing(String field, String text, ZoneId zone) {
        try {
            if (text.length() <= DATE) {
                return LocalDate.parse(text).atStartOfDay(zone).toInstant();
            }
            boolean withOffset = text.endsWith("Z")
                    || text.endsWith("z")
                    || text.indexOf('+') > 0
                    || text.lastIndexOf('-') > DATE - 1;
            return withOffset ? OffsetDateTime.parse(text).toInstant() : local(field, LocalDateTime.parse(text), zone);
        } catch (DateTimeException unreadable) {
            throw noSuchDate(field, "'" + text + "' is no date and time that exists", "“" + text + "”不是存在的日期时间");
        }
    }

    private static Instant local(String field, LocalDateTime time, ZoneId zone) {
        List<ZoneOffset> offsets = zone.getRules().getValidOffsets(time);
        if (offsets.size() != 1) {
            throw noSuchDate(
                    field,
                    offsets.isEmpty()
                            ? time + " is skipped in " + zone
                            : time + " comes twice in " + zone + "; write it with its offset",
                    offsets.isEmpty() ? time + " 在 " + zone + " 不存在" : time + " 在 " + zone + " 出现两次，请写明偏移");
        }
        return time.toInstant(offsets.get(0));
    }

    private static ApiProblem noSuchDate(String field, String detail, String detailZh) {
        return new ApiProblem(new Problem(
                400,
                "no_such_date",
                detail + ".",
                detailZh + "。",
                List.of(new FieldError(field, "no_such_date", detail, detailZh)),
                Map.of(),
                Map.of()));
    }
}
