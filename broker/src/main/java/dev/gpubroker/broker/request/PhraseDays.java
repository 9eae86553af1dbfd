package dev.gpubroker.broker.request;

import dev.gpubroker.broker.request.grammar.PhraseParser.DateContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.DateThenWeekdayContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.DayContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.DayNumberContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.DayOfMonthContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.DayOfOtherMonthContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.DowContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.FullDateContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.IsoDateContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.MonthAfterDayContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.MonthBeforeDayContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.MonthDayContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.RelativeDayContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.SlashDateContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.WeekContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.WeekdayContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.WeekdayOfWeekContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.WeekdayThenDateContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.WhichContext;
import java.time.DayOfWeek;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.antlr.v4.runtime.tree.TerminalNode;
import org.jspecify.annotations.Nullable;

/** Turns parsed days into {@link Day}s; whether they exist is asked later. */
final class PhraseDays {
    private static final List<String> MONTHS =
            List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
    private static final List<String> WEEKDAYS = List.of("mon", "tue", "wed", "thu", "fri", "sat", "sun");
    private static final Map<String, Integer> RELATIVE = Map.ofEntries(
            Map.entry("today", 0),
            Map.entry("tomorrow", 1),
            Map.entry("day after tomorrow", 2),
            Map.entry("yesterday", -1),
            Map.entry("今天", 0),
            Map.entry("今日", 0),
            Map.entry("明天", 1),
            Map.entry("明日", 1),
            Map.entry("后天", 2),
            Map.entry("大后天", 3),
            Map.entry("昨天", -1),
            Map.entry("前天", -2));

    private PhraseDays() {}

    static Day day(DayContext day) {
        if (day instanceof WeekdayThenDateContext d) {
            return new Day.OnWeekday(weekday(d.WEEKDAY()), date(d.date()));
        }
        if (day instanceof DateThenWeekdayContext d) {
            return dateThenWeekday(d);
        }
        if (day instanceof DayOfOtherMonthContext d) {
            int number = d.ORDINAL() != null
                    ? ordinal(d.ORDINAL())
                    : d.dayNumber() != null
                            ? dayNumber(d.dayNumber())
                            : Numerals.parse(d.number().getText());
            return new Day.OtherMonth(which(d.which()), number);
        }
        return ofWeek(day);
    }

    private static Day dateThenWeekday(DateThenWeekdayContext said) {
        Day date = date(said.date());
        if (said.WEEKDAY() != null) {
            return new Day.OnWeekday(weekday(said.WEEKDAY()), date);
        }
        Day weekday = said.dow() == null ? null : chineseWeekday(said.dow(), null);
        return weekday == null
                ? date
                : weekday instanceof Day.OfWeek known ? new Day.OnWeekday(known.day(), date) : weekday;
    }

    private static Day date(DateContext date) {
        if (date instanceof IsoDateContext d) {
            int[] parts = split(d.getText());
            return new Day.Full(parts[0], parts[1], parts[2]);
        }
        if (date instanceof SlashDateContext d) {
            return ofNumbers(d.getText());
        }
        if (date instanceof MonthAfterDayContext d) {
            return monthDay(d.YEAR(), month(d.MONTH()), dayNumber(d.dayNumber()));
        }
        if (date instanceof MonthBeforeDayContext d) {
            return monthDay(d.YEAR(), month(d.MONTH()), dayNumber(d.dayNumber()));
        }
        if (date instanceof FullDateContext d) {
            return fullDate(d);
        }
        if (date instanceof MonthDayContext d) {
            return new Day.InYear(
                    Numerals.parse(d.monthWord().number().getText()),
                    Numerals.parse(d.number().getText()));
        }
        DayOfMonthContext d = (DayOfMonthContext) date;
        return new Day.InMonth(
                d.ORDINAL() != null
                        ? ordinal(d.ORDINAL())
                        : Numerals.parse(d.number().getText()));
    }

    private static Day ofWeek(DayContext day) {
        if (day instanceof WeekdayContext d) {
            Integer weeks = d.which() == null ? null : which(d.which());
            return d.WEEKDAY() != null
                    ? new Day.OfWeek(weekday(d.WEEKDAY()), weeks, false)
                    : chineseWeekday(d.dow(), weeks);
        }
        if (day instanceof WeekdayOfWeekContext d) {
            return new Day.OfWeek(weekday(d.WEEKDAY()), which(d.which()), true);
        }
        if (day instanceof WeekContext d) {
            return new Day.Week(which(d.which()));
        }
        return new Day.Relative(RELATIVE.getOrDefault(((RelativeDayContext) day).getText(), 0));
    }

    /** 星期八 is no day; it becomes one that no calendar has. */
    private static Day chineseWeekday(DowContext dow, @Nullable Integer weeks) {
        int number = dow.number() == null ? 7 : Numerals.parse(dow.number().getText());
        return number < 1 || number > 7 ? new Day.InMonth(0) : new Day.OfWeek(DayOfWeek.of(number), weeks, true);
    }

    static Day monthDay(@Nullable TerminalNode year, int month, int day) {
        return year == null ? new Day.InYear(month, day) : new Day.Full(Integer.parseInt(year.getText()), month, day);
    }

    private static Day fullDate(FullDateContext d) {
        int month = Numerals.parse(d.monthWord().number().getText());
        int day = Numerals.parse(d.number().getText());
        if (d.YEAR() != null) {
            return new Day.Full(Integer.parseInt(d.YEAR().getText()), month, day);
        }
        if (d.CN_YEAR() != null) {
            return new Day.Full(Numerals.chineseDigits(d.CN_YEAR().getText().substring(0, 4)), month, day);
        }
        return new Day.OtherYear(d.YEAR_WORD().getText().equals("明年") ? 1 : 0, month, day);
    }

    /** 12/20, 20/12, 12.20 and 20.12 are the same day; 10/11 may be two. */
    static Day ofNumbers(String said) {
        int[] parts = split(said);
        if (parts.length < 2) {
            return new Day.InMonth(0); // ".5" is no date.
        }
        Day monthFirst = slash(parts, parts[0], parts[1]);
        Day dayFirst = slash(parts, parts[1], parts[0]);
        if (parts[0] > 12) {
            return dayFirst;
        }
        return parts[1] > 12 || parts[0] == parts[1] ? monthFirst : new Day.Either(List.of(monthFirst, dayFirst));
    }

    private static Day slash(int[] parts, int month, int day) {
        return parts.length > 2 ? new Day.Full(parts[2], month, day) : new Day.InYear(month, day);
    }

    static int month(TerminalNode month) {
        return MONTHS.indexOf(month.getText().substring(0, 3)) + 1;
    }

    private static DayOfWeek weekday(TerminalNode weekday) {
        return DayOfWeek.of(WEEKDAYS.indexOf(weekday.getText().substring(0, 3)) + 1);
    }

    static int dayNumber(DayNumberContext number) {
        return number.ORDINAL() != null
                ? ordinal(number.ORDINAL())
                : Numerals.parse(number.number().getText());
    }

    private static int ordinal(TerminalNode ordinal) {
        return Numerals.parse(ordinal.getText().replaceAll("[a-z]", ""));
    }

    /** 1 for next, 2 for 下下, 0 for this, -1 for last. */
    private static int which(WhichContext which) {
        return which.LAST() != null ? -1 : which.NEXT().size();
    }

    private static int[] split(String date) {
        return Arrays.stream(date.split("[-/.]"))
                .filter(part -> !part.isEmpty())
                .mapToInt(Numerals::parse)
                .toArray();
    }
}
