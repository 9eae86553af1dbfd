package dev.gpubroker.broker.cli;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Times and lengths between the wire and a person. */
final class Times {
    private static final DateTimeFormatter SHOWN = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm xxx", Locale.ROOT);
    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss xxx", Locale.ROOT);
    private static final DateTimeFormatter DAY_EN = DateTimeFormatter.ofPattern("EEE d MMM uuuu HH:mm", Locale.ENGLISH);
    private static final DateTimeFormatter DAY_ZH =
            DateTimeFormatter.ofPattern("uuuu年M月d日（E）HH:mm", Locale.SIMPLIFIED_CHINESE);
    private static final DateTimeFormatter WIRE = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ssxxx", Locale.ROOT);
    private static final Pattern SHORT = Pattern.compile("(\\d{1,6})\\s*([dh])", Pattern.CASE_INSENSITIVE);
    private static final Pattern OFFSET = Pattern.compile(".*[Tt].*(?:[Zz]|[+-]\\d{2}:?\\d{2})");

    private Times() {}

    /** {@code 2026-12-20 00:00 +08:00}; text that is no time is given back as it is. */
    static String shown(@Nullable String wire) {
        if (wire == null) {
            return "";
        }
        try {
            OffsetDateTime time = OffsetDateTime.parse(wire);
            return (time.getSecond() == 0 ? SHOWN : SECONDS).format(time);
        } catch (DateTimeException unreadable) {
            return wire;
        }
    }

    /** The same in a zone; text that is no time, or a zone that is none, changes nothing. */
    static String shown(String wire, @Nullable String zone) {
        try {
            return zone == null ? shown(wire) : shown(wire(in(wire, zone)));
        } catch (DateTimeException unreadable) {
            return wire;
        }
    }

    /** With the day of the week, without the offset. */
    static String withDay(ZonedDateTime time, Lang lang) {
        return (lang == Lang.ZH ? DAY_ZH : DAY_EN).format(time);
    }

    static String wire(ZonedDateTime time) {
        return WIRE.format(time);
    }

    /** Reads a time of an answer. */
    static OffsetDateTime read(String wire) {
        return OffsetDateTime.parse(wire);
    }

    /** Whether a time as typed depends on a zone that must be named: a date, or a time without offset. */
    static boolean isLocal(@Nullable String typed) {
        return typed != null && !OFFSET.matcher(typed).matches();
    }

    /** A length as typed: ISO 8601, or {@code 5d}, {@code 36h}. */
    static String duration(String typed) {
        Matcher parts = SHORT.matcher(typed.strip());
        if (!parts.matches()) {
            return typed.strip();
        }
        return parts.group(2).equalsIgnoreCase("d") ? "P" + parts.group(1) + "D" : "PT" + parts.group(1) + "H";
    }

    /** The length of a window as the wire has it: calendar days where it begins and ends at the same time of day. */
    static String length(String start, String end, String zone) {
        long days = wholeDays(start, end, zone);
        return days > 0 ? "P" + days + "D" : "PT" + ChronoUnit.HOURS.between(read(start), read(end)) + "H";
    }

    /** Calendar days between two times at the same time of day in the zone; 0 for any other. */
    static long wholeDays(String start, String end, String zone) {
        ZonedDateTime from = in(start, zone);
        ZonedDateTime to = in(end, zone);
        LocalTime time = from.toLocalTime();
        return time.equals(to.toLocalTime()) ? ChronoUnit.DAYS.between(from.toLocalDate(), to.toLocalDate()) : 0;
    }

    /** A time as typed: a date, a time of the zone, or one with its offset. */
    static ZonedDateTime typed(String typed, String zone) {
        if (!isLocal(typed)) {
            return in(typed, zone);
        }
        ZoneId place = ZoneId.of(zone);
        return typed.contains("T") || typed.contains("t")
                ? LocalDateTime.parse(typed).atZone(place)
                : LocalDate.parse(typed).atStartOfDay(place);
    }

    static ZonedDateTime in(String wire, String zone) {
        OffsetDateTime time = read(wire);
        try {
            return time.atZoneSameInstant(ZoneId.of(zone));
        } catch (DateTimeException unknown) {
            return time.toZonedDateTime();
        }
    }

    /** Midnight that begins a day, as the wire has it. */
    static String midnight(LocalDate day, ZoneId zone) {
        return wire(day.atStartOfDay(zone));
    }
}
