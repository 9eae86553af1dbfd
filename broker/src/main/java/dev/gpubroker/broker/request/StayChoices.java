package dev.gpubroker.broker.request;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.request.DateChoices.NoSuchDate;
import dev.gpubroker.broker.request.PhraseDraft.Stay;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which windows the dates and lengths of a phrase may mean. */
final class StayChoices {
    private final ZoneId zone;
    private final Instant now;
    private final MomentChoices moments;
    private final List<Choice> pastAlternatives = new ArrayList<>();

    record Choice(Window window, @Nullable Words why) {}

    StayChoices(ZoneId zone, Instant now) {
        this.zone = zone;
        this.now = now;
        this.moments = new MomentChoices(zone, now);
    }

    /** The last hour at which a booking may start. */
    static ZonedDateTime lastStart(Instant now, ZoneId zone) {
        return now.plus(Limits.HORIZON).atZone(zone).truncatedTo(ChronoUnit.HOURS);
    }

    /** After a start in the past: what the nearest future one would give. */
    List<Choice> pastAlternatives() {
        return pastAlternatives;
    }

    /** Likeliest first; empty with an error, or where the length is not known. */
    List<Choice> windows(Said<Stay> stay, @Nullable Said<Length> length, FieldErrors errors) {
        try {
            List<Candidate> all = moments.starts(stay.value().start());
            List<Candidate> starts = bookable(all);
            if (starts.isEmpty()) {
                notBookable(stay, all.get(0).at(), length, errors);
                return List.of();
            }
            return choices(stay, starts, length, errors);
        } catch (NoSuchDate e) {
            errors.add(
                    "start",
                    "no_such_date",
                    "“" + stay.words() + "”: " + e.words().english(),
                    "“" + stay.words() + "”：" + e.words().chinese());
            return List.of();
        }
    }

    private List<Candidate> bookable(List<Candidate> candidates) {
        return candidates.stream()
                .filter(candidate -> !isPast(candidate.at()) && !isBeyond(candidate.at()))
                .toList();
    }

    private boolean isPast(ZonedDateTime at) {
        return at.toInstant().isBefore(now.minus(Limits.CLOCK_SKEW));
    }

    private boolean isBeyond(ZonedDateTime at) {
        return at.toInstant().isAfter(now.plus(Limits.HORIZON));
    }

    private void notBookable(Said<Stay> stay, ZonedDateTime read, @Nullable Said<Length> length, FieldErrors errors) {
        if (isBeyond(read)) {
            beyondHorizon("start", read, now, zone, errors);
            return;
        }
        Optional<Candidate> nearest =
                moments.nearest(stay.value().start(), read).filter(candidate -> !isBeyond(candidate.at()));
        inThePast("start", read, nearest.map(Candidate::at).orElse(null), errors);
        nearest.ifPresent(at -> pastAlternatives.addAll(choices(stay, List.of(at), length, new FieldErrors())));
    }

    static void inThePast(String field, ZonedDateTime read, @Nullable ZonedDateTime nearest, FieldErrors errors) {
        errors.add(
                field,
                "in_the_past",
                Echo.english(read) + " is in the past."
                        + (nearest == null ? "" : " The nearest future reading is " + Echo.english(nearest) + "."),
                Echo.chinese(read) + " 已经过去。" + (nearest == null ? "" : "最近的将来时间是 " + Echo.chinese(nearest) + "。"));
    }

    static void beyondHorizon(String field, ZonedDateTime read, Instant now, ZoneId zone, FieldErrors errors) {
        ZonedDateTime last = lastStart(now, zone);
        long weeks = Limits.HORIZON.toDays() / 7;
        errors.add(
                field,
                "beyond_horizon",
                Echo.english(read) + " is more than " + weeks + " weeks ahead; the last start that can be booked is "
                        + Echo.english(last) + ".",
                Echo.chinese(read) + " 超出 " + weeks + " 周的预订范围，最晚可预订的开始时间是 " + Echo.chinese(last) + "。");
        errors.extra("lastBookable", RequestJson.time(last.toInstant(), zone));
    }

    private List<Choice> choices(
            Said<Stay> stay, List<Candidate> starts, @Nullable Said<Length> length, FieldErrors errors) {
        List<Choice> choices = new ArrayList<>();
        boolean tooLong = false;
        for (Candidate start : starts) {
            for (Candidate end : ends(stay.value(), start.at(), length)) {
                if (isTooLong(start.at(), end.at())) {
                    tooLong = true;
                } else {
                    choices.add(new Choice(
                            new Window(start.at().toInstant(), end.at().toInstant()),
                            Words.join(start.why(), end.why())));
                }
            }
        }
        if (choices.isEmpty() && tooLong) {
            tooLong("duration", errors);
        } else if (choices.isEmpty() && stay.value().end() != null) {
            noEnd(stay, length, errors);
        }
        return choices;
    }

    private static void noEnd(Said<Stay> stay, @Nullable Said<Length> length, FieldErrors errors) {
        if (length != null) {
            errors.add(
                    "duration",
                    "said_twice",
                    "“" + length.words() + "” is not how long “" + stay.words() + "” lasts; say one of them.",
                    "“" + length.words() + "”与“" + stay.words() + "”的时长不符，请只说一个。");
        } else {
            errors.add(
                    "end",
                    "end_before_start",
                    "“" + stay.words() + "” ends before it starts.",
                    "“" + stay.words() + "”的结束早于开始。");
        }
    }

    /** Empty where the end is not known, or does not agree with the length that was said too. */
    private List<Candidate> ends(Stay stay, ZonedDateTime start, @Nullable Said<Length> length) {
        if (stay.end() == null) {
            return length == null ? List.of() : List.of(ofLength(start, length.value()));
        }
        return moments.ends(stay.end(), stay.untilEnd(), start).stream()
                .filter(end ->
                        length == null || ofLength(start, length.value()).at().isEqual(end.at()))
                .toList();
    }

    private static Candidate ofLength(ZonedDateTime start, Length length) {
        if (length.isAbsurd()) {
            return new Candidate(start.plusYears(1), null);
        }
        boolean cut = length.isCutShortAfter(start);
        Words why = cut ? new Words("that month has no such day, so it ends on its last", "该月没有这一天，按最后一天结束") : null;
        return new Candidate(length.after(start), why);
    }

    /** Measured in the zone: 182 days over a clock change are still 182 days. */
    static boolean isTooLong(ZonedDateTime start, ZonedDateTime end) {
        return end.isAfter(start.plusDays(Limits.MAX_LENGTH.toDays()));
    }

    static void tooLong(String field, FieldErrors errors) {
        errors.add(
                field,
                "too_long",
                "A booking lasts at most " + Limits.MAX_LENGTH.toDays() + " days.",
                "一次预订最长 " + Limits.MAX_LENGTH.toDays() + " 天。");
    }
}
