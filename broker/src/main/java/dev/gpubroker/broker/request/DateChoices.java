package dev.gpubroker.broker.request;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.Month;
import java.time.Year;
import java.time.YearMonth;
import java.time.format.DateTimeFormatter;
import java.time.format.TextStyle;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which dates a {@link Day} may be, seen from today. The future one wins; a bare day number or weekday that is today's own
 * comes with the next one it could be; a date that is on no calendar is an error and never moved to another.
 */
final class DateChoices {
    private static final DateTimeFormatter ENGLISH = DateTimeFormatter.ofPattern("d MMMM uuuu", Locale.ENGLISH);
    private static final DateTimeFormatter CHINESE = DateTimeFormatter.ofPattern("uuuu年M月d日", Locale.ROOT);

    private final LocalDate today;

    DateChoices(LocalDate today) {
        this.today = today;
    }

    record Choice(LocalDate date, @Nullable Words why) {}

    /** Said of a day that does not exist; the text says what is wrong with it. */
    static final class NoSuchDate extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Words words;

        NoSuchDate(String english, String chinese) {
            super(english);
            words = new Words(english, chinese);
        }

        Words words() {
            return words;
        }
    }

    /** Likeliest first, never empty; may lie in the past where the words leave no other choice. */
    List<Choice> of(Day day) {
        if (day instanceof Day.InMonth d) {
            return inMonth(d.day());
        }
        if (day instanceof Day.InYear d) {
            return inYear(d.month(), d.day());
        }
        if (day instanceof Day.Full d) {
            return only(date(d.year(), d.month(), d.day()));
        }
        if (day instanceof Day.OtherYear d) {
            return only(date(today.getYear() + d.years(), d.month(), d.day()));
        }
        if (day instanceof Day.OtherMonth d) {
            YearMonth month = YearMonth.from(today).plusMonths(d.months());
            return only(date(month.getYear(), month.getMonthValue(), d.day()));
        }
        if (day instanceof Day.OfWeek d) {
            return ofWeek(d);
        }
        if (day instanceof Day.Week d) {
            return week(d.weeks());
        }
        if (day instanceof Day.Either d) {
            return either(d.days());
        }
        if (day instanceof Day.OnWeekday d) {
            return on(d.weekday(), of(d.date()));
        }
        return only(today.plusDays(((Day.Relative) day).days()));
    }

    /** Those on that day of the week; a date that is on another one is a slip, and nobody can say in which half. */
    static List<Choice> on(DayOfWeek weekday, List<Choice> choices) {
        List<Choice> agreeing = choices.stream()
                .filter(choice -> choice.date().getDayOfWeek() == weekday)
                .toList();
        if (agreeing.isEmpty()) {
            LocalDate first = choices.get(0).date();
            throw new NoSuchDate(
                    ENGLISH.format(first) + " is a " + english(first.getDayOfWeek()) + ", not a " + english(weekday)
                            + ".",
                    CHINESE.format(first) + "是" + chinese(first.getDayOfWeek()) + "，不是" + chinese(weekday) + "。");
        }
        return agreeing;
    }

    private static String english(DayOfWeek day) {
        return day.getDisplayName(TextStyle.FULL, Locale.ENGLISH);
    }

    private static String chinese(DayOfWeek day) {
        return day.getDisplayName(TextStyle.FULL, Locale.SIMPLIFIED_CHINESE);
    }

    /** Where all that was meant is past, the first date from today on that the words come closest to. */
    LocalDate nearest(Day day, LocalDate past) {
        if (day instanceof Day.OfWeek d) {
            return today.with(TemporalAdjusters.next(d.day()));
        }
        if (day instanceof Day.OnWeekday d) {
            return nearest(d.date(), past);
        }
        if (day instanceof Day.Full || day instanceof Day.OtherMonth || day instanceof Day.OtherYear) {
            return monthsWith(past.getDayOfMonth()).get(0);
        }
        return today.plusDays(1);
    }

    /** The first date of that day of the month on or after another date; the month must have it. */
    static LocalDate onOrAfter(int day, LocalDate from) {
        if (day >= from.getDayOfMonth()) {
            return date(from.getYear(), from.getMonthValue(), day);
        }
        YearMonth next = YearMonth.from(from).plusMonths(1);
        return date(next.getYear(), next.getMonthValue(), day);
    }

    static LocalDate date(int year, int month, int day) {
        if (month < 1 || month > 12) {
            throw new NoSuchDate("There is no month " + month + ".", "没有第 " + month + " 月。");
        }
        try {
            return LocalDate.of(year, month, day);
        } catch (DateTimeException e) {
            if (year < Year.MIN_VALUE || year > Year.MAX_VALUE || day < 1) {
                throw new NoSuchDate("There is no day " + day + ".", "没有第 " + day + " 日。");
            }
            int length = YearMonth.of(year, month).lengthOfMonth();
            String name = Month.of(month).getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            throw new NoSuchDate(
                    name + " " + year + " has " + length + " days, there is no " + day + ".",
                    year + "年" + month + "月只有 " + length + " 天，没有 " + day + " 日。");
        }
    }

    private List<Choice> inMonth(int day) {
        if (day < 1 || day > 31) {
            throw new NoSuchDate("No month has a day " + day + ".", "任何月份都没有 " + day + " 号。");
        }
        List<LocalDate> dates = monthsWith(day);
        LocalDate first = dates.get(0);
        if (first.equals(today)) {
            return List.of(new Choice(first, new Words("today", "今天")), new Choice(dates.get(1), whole(dates.get(1))));
        }
        boolean skipped = ChronoUnit.MONTHS.between(YearMonth.from(today), YearMonth.from(first))
                > (day < today.getDayOfMonth() ? 1 : 0);
        return List.of(new Choice(first, skipped ? skipped(day, first) : null));
    }

    private static Words skipped(int day, LocalDate first) {
        return new Words(
                "the month before has no day " + day + "; the first that has one is read: " + ENGLISH.format(first),
                "前一个月没有 " + day + " 号，按最近有这一天的月份理解：" + CHINESE.format(first));
    }

    /** The next two dates with that day of the month, today's own included. */
    private List<LocalDate> monthsWith(int day) {
        List<LocalDate> dates = new ArrayList<>();
        YearMonth month = YearMonth.from(today);
        while (dates.size() < 2) {
            if (month.isValidDay(day) && !month.atDay(day).isBefore(today)) {
                dates.add(month.atDay(day));
            }
            month = month.plusMonths(1);
        }
        return dates;
    }

    private List<Choice> inYear(int month, int day) {
        boolean over = month < today.getMonthValue() || (month == today.getMonthValue() && day < today.getDayOfMonth());
        return only(date(today.getYear() + (over ? 1 : 0), month, day));
    }

    private List<Choice> ofWeek(Day.OfWeek day) {
        if (day.weeks() == null) {
            LocalDate first = today.with(TemporalAdjusters.nextOrSame(day.day()));
            return first.equals(today)
                    ? List.of(
                            new Choice(today, new Words("today", "今天")),
                            new Choice(today.plusWeeks(1), whole(today.plusWeeks(1))))
                    : only(first);
        }
        LocalDate ofThatWeek = monday(day.weeks()).with(TemporalAdjusters.nextOrSame(day.day()));
        LocalDate coming = today.with(TemporalAdjusters.next(day.day()));
        if (day.calendarWeek() || day.weeks() != 1 || coming.equals(ofThatWeek)) {
            return only(ofThatWeek);
        }
        return List.of(
                new Choice(
                        ofThatWeek,
                        new Words(
                                "that day of next week, " + ENGLISH.format(ofThatWeek),
                                "下一周的那一天，" + CHINESE.format(ofThatWeek))),
                new Choice(
                        coming,
                        new Words("the coming one, " + ENGLISH.format(coming), "最近的那一天，" + CHINESE.format(coming))));
    }

    private List<Choice> week(int weeks) {
        LocalDate monday = monday(weeks);
        LocalDate sameDay = today.plusWeeks(weeks);
        if (monday.equals(sameDay)) {
            return only(monday);
        }
        return List.of(
                new Choice(monday, new Words("from the Monday of that week", "从那一周的周一起")),
                new Choice(sameDay, new Words("from this day of that week", "从那一周的同一天起")));
    }

    private LocalDate monday(int weeks) {
        return today.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY)).plusWeeks(weeks);
    }

    private List<Choice> either(List<Day> days) {
        List<Choice> choices = new ArrayList<>();
        for (Day day : days) {
            for (Choice choice : of(day)) {
                choices.add(new Choice(choice.date(), whole(choice.date())));
            }
        }
        return choices;
    }

    private static Words whole(LocalDate date) {
        return new Words(ENGLISH.format(date), CHINESE.format(date));
    }

    private static List<Choice> only(LocalDate date) {
        return List.of(new Choice(date, null));
    }
}
