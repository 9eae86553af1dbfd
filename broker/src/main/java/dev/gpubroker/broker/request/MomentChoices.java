package dev.gpubroker.broker.request;

import dev.gpubroker.broker.request.DateChoices.Choice;
import dev.gpubroker.broker.request.DateChoices.NoSuchDate;
import dev.gpubroker.broker.request.Moment.Clock;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which instants a {@link Moment} may be, in one zone and seen from one instant. Every one of them is on a full hour. */
final class MomentChoices {
    private final ZoneId zone;
    private final Instant now;
    private final LocalDate today;
    private final DateChoices dates;

    MomentChoices(ZoneId zone, Instant now) {
        this.zone = zone;
        this.now = now;
        this.today = now.atZone(zone).toLocalDate();
        this.dates = new DateChoices(today);
    }

    /** The next full hour of the zone; a full hour sharp is already over. */
    static ZonedDateTime nextHour(Instant now, ZoneId zone) {
        return now.atZone(zone).truncatedTo(ChronoUnit.HOURS).plusHours(1);
    }

    /** Likeliest first; may lie in the past or beyond the horizon. Throws {@link NoSuchDate}. */
    List<Candidate> starts(Moment moment) {
        if (moment instanceof Moment.Now) {
            return List.of(new Candidate(nextHour(now, zone), null));
        }
        if (moment instanceof Moment.After after) {
            return List.of(new Candidate(after(after.length()), null));
        }
        Moment.On on = (Moment.On) moment;
        List<Candidate> candidates = new ArrayList<>();
        for (Choice choice : on.day() == null ? anyDay(on.clock()) : dates.of(on.day())) {
            for (Candidate at : on.clock() == null ? bare(choice.date()) : at(choice.date(), on.clock(), on.offset())) {
                candidates.add(new Candidate(at.at(), Words.join(choice.why(), at.why())));
            }
        }
        return candidates;
    }

    /** A future reading that comes closest to a moment which is past. */
    Optional<Candidate> nearest(Moment moment, ZonedDateTime past) {
        if (!(moment instanceof Moment.On on)) {
            return Optional.empty();
        }
        LocalDate date = on.day() == null ? today.plusDays(1) : dates.nearest(on.day(), past.toLocalDate());
        Words why = new Words("the nearest one that is not past", "最近的、尚未过去的时间");
        List<Candidate> at = on.clock() == null ? bare(date) : at(date, on.clock(), null);
        return at.stream()
                .filter(candidate -> candidate.at().toInstant().isAfter(now))
                .findFirst()
                .map(candidate -> new Candidate(candidate.at(), why));
    }

    /** Ends that fit a start: a bare day is counted whole. Those not after the start are left out, so it may be empty. */
    List<Candidate> ends(Moment end, boolean until, ZonedDateTime start) {
        List<Candidate> candidates = new ArrayList<>();
        if (end instanceof Moment.On on) {
            for (Choice choice :
                    on.day() == null ? only(start.toLocalDate()) : endDays(on.day(), start.toLocalDate())) {
                for (Candidate at : endsOn(choice.date(), on, until, start)) {
                    candidates.add(new Candidate(at.at(), Words.join(choice.why(), at.why())));
                }
            }
        } else {
            candidates.addAll(starts(end));
        }
        candidates.removeIf(candidate -> !candidate.at().toInstant().isAfter(start.toInstant()));
        return candidates;
    }

    private List<Candidate> endsOn(LocalDate date, Moment.On on, boolean until, ZonedDateTime start) {
        if (on.clock() != null) {
            List<Candidate> at = at(date, on.clock(), on.offset());
            boolean over = on.day() == null
                    && at.stream().noneMatch(c -> c.at().toInstant().isAfter(start.toInstant()));
            return over ? at(date.plusDays(1), on.clock(), null) : at;
        }
        ZonedDateTime counted = date.plusDays(1).atStartOfDay(zone);
        if (!until) {
            return List.of(new Candidate(counted, null));
        }
        return List.of(
                new Candidate(counted, new Words("the last day counts", "包含最后一天")),
                new Candidate(date.atStartOfDay(zone), new Words("it ends when the last day begins", "最后一天开始时结束")));
    }

    private List<Choice> endDays(Day day, LocalDate start) {
        if (day instanceof Day.InMonth d) {
            LocalDate date = DateChoices.onOrAfter(d.day(), start);
            boolean wraps = date.getMonth() != start.getMonth();
            return List.of(new Choice(date, wraps ? new Words("it ends in the month after", "在下个月结束") : null));
        }
        if (day instanceof Day.InYear d) {
            LocalDate date = DateChoices.date(start.getYear(), d.month(), d.day());
            return only(date.isBefore(start) ? DateChoices.date(start.getYear() + 1, d.month(), d.day()) : date);
        }
        if (day instanceof Day.OfWeek d && d.weeks() == null) {
            DayOfWeek weekday = d.day();
            return start.getDayOfWeek() == weekday
                    ? List.of(
                            new Choice(start, new Words("that one day", "只这一天")),
                            new Choice(start.plusWeeks(1), new Words("until a week later", "到一周之后")))
                    : only(start.with(TemporalAdjusters.next(weekday)));
        }
        if (day instanceof Day.OnWeekday d) {
            return DateChoices.on(d.weekday(), endDays(d.date(), start));
        }
        return dates.of(day);
    }

    private ZonedDateTime after(Length length) {
        ZonedDateTime from = now.atZone(zone);
        if (length.hours() == 0) {
            return length.after(from).toLocalDate().atStartOfDay(zone);
        }
        return nextHour(length.after(from).toInstant(), zone);
    }

    /** A time without a day is today's if that is still to come, else tomorrow's. */
    private List<Choice> anyDay(@Nullable Clock clock) {
        boolean todayWillDo = clock != null
                && at(today, clock, null).stream()
                        .anyMatch(candidate -> candidate.at().toInstant().isAfter(now));
        return only(todayWillDo ? today : today.plusDays(1));
    }

    /** A bare day begins at 00:00; today has begun already, unless only a moment ago. */
    private List<Candidate> bare(LocalDate date) {
        ZonedDateTime start = date.atStartOfDay(zone);
        boolean begun = date.equals(today) && start.toInstant().isBefore(now.minus(Limits.CLOCK_SKEW));
        return List.of(
                begun
                        ? new Candidate(nextHour(now, zone), new Words("today, from the next full hour", "今天，从下一个整点起"))
                        : new Candidate(start, null));
    }

    private List<Candidate> at(LocalDate date, Clock clock, @Nullable ZoneOffset offset) {
        if (!clock.exists()) {
            throw new NoSuchDate("There is no such time of day.", "没有这样的时刻。");
        }
        if (!clock.open()) {
            return at(date, clock.hour(), clock.minute(), offset, null);
        }
        int morning = clock.hour() % 12;
        List<Candidate> candidates = new ArrayList<>();
        if (clock.hour() == 12) {
            candidates.addAll(at(date, 12, clock.minute(), offset, new Words("at noon", "中午")));
            candidates.addAll(at(date, 24, clock.minute(), offset, new Words("at midnight", "半夜")));
        } else {
            candidates.addAll(at(date, morning, clock.minute(), offset, new Words("in the morning", "上午")));
            candidates.addAll(
                    at(date, morning + 12, clock.minute(), offset, new Words("in the afternoon or evening", "下午或晚上")));
        }
        return candidates;
    }

    private List<Candidate> at(LocalDate date, int hour, int minute, @Nullable ZoneOffset offset, @Nullable Words why) {
        LocalDateTime local = date.atTime(hour % 24, minute).plusDays(hour / 24);
        List<ZonedDateTime> instants = new ArrayList<>();
        if (offset != null) {
            instants.add(OffsetDateTime.of(local, offset).atZoneSameInstant(zone));
        } else {
            zone.getRules()
                    .getValidOffsets(local)
                    .forEach(valid -> instants.add(ZonedDateTime.ofLocal(local, zone, valid)));
        }
        if (instants.isEmpty()) {
            throw new NoSuchDate(
                    "The clocks of " + zone.getId() + " skip " + local.toLocalTime() + " on " + date + ".",
                    zone.getId() + " 的时钟在 " + date + " 跳过 " + local.toLocalTime() + "，没有这个时刻。");
        }
        List<Candidate> candidates = new ArrayList<>();
        for (ZonedDateTime instant : instants) {
            Words twice = instants.size() == 1
                    ? null
                    : new Words(
                            "that hour comes twice, this is the one at " + instant.getOffset(),
                            "这个钟点当天出现两次，此为 " + instant.getOffset() + " 的那一次");
            candidates.addAll(onTheHour(instant, Words.join(why, twice)));
        }
        return candidates;
    }

    /** Windows begin and end on the hour; a time between two asks which. */
    private static List<Candidate> onTheHour(ZonedDateTime instant, @Nullable Words why) {
        ZonedDateTime before = instant.truncatedTo(ChronoUnit.HOURS);
        if (before.isEqual(instant)) {
            return List.of(new Candidate(instant, why));
        }
        return List.of(
                new Candidate(before, Words.join(why, new Words("the full hour before", "之前的整点"))),
                new Candidate(before.plusHours(1), Words.join(why, new Words("the full hour after", "之后的整点"))));
    }

    private static List<Choice> only(LocalDate date) {
        return List.of(new Choice(date, null));
    }
}
