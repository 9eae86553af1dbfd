package dev.gpubroker.broker.request;

import dev.gpubroker.broker.request.DateChoices.NoSuchDate;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@code start}, {@code end} and {@code duration} of a body. Nothing is moved silently, and no date is guessed. */
final class BodyTimes {
    private static final Pattern TIME = Pattern.compile(
            "(\\d{4})-(\\d{2})-(\\d{2})(?:[Tt](\\d{2}):(\\d{2})(?::(\\d{2})(?:\\.(\\d{1,9}))?)?(Z|z|[+-]\\d{2}:\\d{2})?)?");

    private final BodyFields body;
    private final ZoneId zone;
    private final boolean zoneSaid;
    private final Instant now;

    BodyTimes(BodyFields body, ZoneId zone, boolean zoneSaid, Instant now) {
        this.body = body;
        this.zone = zone;
        this.zoneSaid = zoneSaid;
        this.now = now;
    }

    /** Starts that can be booked: two where the clocks say that hour twice, none with an error. */
    List<ZonedDateTime> starts() {
        return times("start").stream().map(this::skewed).filter(this::bookable).toList();
    }

    /** Ends, each on the hour; two where the clocks say that hour twice, none with an error. */
    List<ZonedDateTime> ends() {
        return times("end").stream().filter(time -> onTheHour("end", time)).toList();
    }

    /** The length that {@code duration} says, empty with an error. */
    List<Length> lengths() {
        String said = body.text("duration", 40);
        List<Length> length = said == null
                ? List.of()
                : Length.ofIso(said).filter(found -> !found.isZero()).stream().toList();
        if (said != null && length.isEmpty()) {
            body.error(
                    "duration",
                    "bad_value",
                    "duration must be a positive ISO 8601 duration in whole hours, such as P5D or PT120H.",
                    "duration 必须是以整小时计的正 ISO 8601 时长，例如 P5D 或 PT120H。");
        }
        return length;
    }

    /** A start that is past only by the caller's clock counts as now, on the next full hour after it. */
    private ZonedDateTime skewed(ZonedDateTime start) {
        boolean skewed = start.toInstant().isBefore(now) && !start.toInstant().isBefore(now.minus(Limits.CLOCK_SKEW));
        ZonedDateTime hour = start.truncatedTo(ChronoUnit.HOURS);
        return skewed && !hour.isEqual(start) ? hour.plusHours(1) : start;
    }

    private boolean bookable(ZonedDateTime start) {
        if (start.toInstant().isBefore(now.minus(Limits.CLOCK_SKEW))) {
            StayChoices.inThePast("start", start, MomentChoices.nextHour(now, zone), body.errors());
            return false;
        }
        if (start.toInstant().isAfter(now.plus(Limits.HORIZON))) {
            StayChoices.beyondHorizon("start", start, now, zone, body.errors());
            return false;
        }
        return onTheHour("start", start);
    }

    private boolean onTheHour(String name, ZonedDateTime time) {
        ZonedDateTime hour = time.truncatedTo(ChronoUnit.HOURS);
        if (hour.isEqual(time)) {
            return true;
        }
        body.error(
                name,
                "not_on_the_hour",
                name + " must be on the hour in " + zone.getId() + ", such as "
                        + RequestJson.time(hour.toInstant(), zone) + " or "
                        + RequestJson.time(hour.plusHours(1).toInstant(), zone) + ".",
                name + " 必须是 " + zone.getId() + " 的整点，例如 " + RequestJson.time(hour.toInstant(), zone) + " 或 "
                        + RequestJson.time(hour.plusHours(1).toInstant(), zone) + "。");
        return false;
    }

    private List<ZonedDateTime> times(String name) {
        String said = body.text(name, 40);
        if (said == null) {
            return List.of();
        }
        Matcher parts = TIME.matcher(said);
        if (!parts.matches()) {
            body.error(
                    name,
                    "bad_value",
                    name + " must be a time with its offset, such as 2026-12-20T00:00:00+08:00.",
                    name + " 必须是带时区偏移的时间，例如 2026-12-20T00:00:00+08:00。");
            return List.of();
        }
        try {
            return times(name, parts);
        } catch (NoSuchDate e) {
            body.error(
                    name,
                    "no_such_date",
                    "“" + said + "”: " + e.words().english(),
                    "“" + said + "”：" + e.words().chinese());
            return List.of();
        }
    }

    private List<ZonedDateTime> times(String name, Matcher parts) {
        LocalDate date = DateChoices.date(number(parts, 1), number(parts, 2), number(parts, 3));
        if (parts.group(8) == null && !zoneSaid) {
            body.error(
                    name,
                    "offset_missing",
                    name + " needs an offset such as +08:00, or the request a timeZone.",
                    name + " 需要时区偏移（例如 +08:00），或在请求中给出 timeZone。");
            return List.of();
        }
        if (parts.group(4) == null) {
            return List.of(date.atStartOfDay(zone));
        }
        LocalDateTime local = local(date, parts);
        if (parts.group(8) != null) {
            return List.of(OffsetDateTime.of(local, offset(parts.group(8))).atZoneSameInstant(zone));
        }
        List<ZoneOffset> offsets = zone.getRules().getValidOffsets(local);
        if (offsets.isEmpty()) {
            throw new NoSuchDate("the clocks of " + zone.getId() + " skip that hour.", zone.getId() + " 的时钟跳过这个时刻。");
        }
        return offsets.stream()
                .map(offset -> ZonedDateTime.ofLocal(local, zone, offset))
                .toList();
    }

    private static LocalDateTime local(LocalDate date, Matcher parts) {
        int second = parts.group(6) == null ? 0 : number(parts, 6);
        int fraction = parts.group(7) == null || parts.group(7).matches("0+") ? 0 : 1;
        try {
            return date.atTime(number(parts, 4), number(parts, 5), second, fraction);
        } catch (DateTimeException e) {
            throw new NoSuchDate("there is no such time of day.", "没有这样的时刻。");
        }
    }

    private static ZoneOffset offset(String said) {
        try {
            return ZoneOffset.of(said.equals("z") ? "Z" : said);
        } catch (DateTimeException e) {
            throw new NoSuchDate("there is no such offset.", "没有这样的时区偏移。");
        }
    }

    private static int number(Matcher parts, int group) {
        return Integer.parseInt(parts.group(group));
    }
}
