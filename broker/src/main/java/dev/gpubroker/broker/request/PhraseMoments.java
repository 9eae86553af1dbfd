package dev.gpubroker.broker.request;

import static java.util.Objects.requireNonNull;

import dev.gpubroker.broker.request.Moment.Clock;
import dev.gpubroker.broker.request.PhraseDraft.Stay;
import dev.gpubroker.broker.request.grammar.PhraseParser.AnyRangeContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.ChineseClockContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.ClockContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.ClockThenDayContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.ColonClockContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.DayThenClockContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.DaysAfterMonthContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.DaysBeforeMonthContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.DaysOfMonthSharingHaoContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.DaysSharingHaoContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.DaysWithPointsContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.GluedClockContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.HalfDayThenClockContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.IsoDateTimeContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.LaterContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.MomentContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.NowContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.NumberContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.RangeContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.SpacedClockContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.StartContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.ToContext;
import dev.gpubroker.broker.request.grammar.PhraseParser.UnitContext;
import java.time.DateTimeException;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.antlr.v4.runtime.tree.TerminalNode;
import org.jspecify.annotations.Nullable;

/** Turns parsed points in time and ranges into {@link Moment}s; asks no calendar. */
final class PhraseMoments {
    private static final Pattern ISO =
            Pattern.compile("(\\d{4})-(\\d\\d?)-(\\d\\d?)t(\\d\\d):(\\d\\d)(?::(\\d\\d))?(z|[+-]\\d\\d:\\d\\d)?");
    private static final Pattern TIME = Pattern.compile("(\\d\\d?)(?::(\\d\\d))?(?::(\\d\\d))?([ap])?m?");

    /** An amount of a unit as a length; null if it is not whole hours. */
    interface Amounts {
        @Nullable
        Length of(int number, UnitContext unit);
    }

    private final Amounts amounts;

    PhraseMoments(Amounts amounts) {
        this.amounts = amounts;
    }

    Stay range(RangeContext range) {
        if (range instanceof DaysBeforeMonthContext r) {
            int month = PhraseDays.month(r.MONTH());
            Day last = PhraseDays.monthDay(r.YEAR(), month, PhraseDays.dayNumber(r.last));
            return stay(PhraseDays.monthDay(r.YEAR(), month, PhraseDays.dayNumber(r.first)), last, r.to());
        }
        if (range instanceof DaysAfterMonthContext r) {
            int month = PhraseDays.month(r.MONTH());
            Day last = PhraseDays.monthDay(r.YEAR(), month, PhraseDays.dayNumber(r.last));
            return stay(PhraseDays.monthDay(r.YEAR(), month, PhraseDays.dayNumber(r.first)), last, r.to());
        }
        if (range instanceof DaysSharingHaoContext r) {
            return stay(new Day.InMonth(number(r.number(0))), new Day.InMonth(number(r.number(1))), r.to());
        }
        if (range instanceof DaysOfMonthSharingHaoContext r) {
            int month = number(r.month.number());
            return stay(new Day.InYear(month, number(r.from)), new Day.InYear(month, number(r.until)), r.to());
        }
        if (range instanceof DaysWithPointsContext r) {
            return stay(PhraseDays.ofNumbers(r.first.getText()), PhraseDays.ofNumbers(r.last.getText()), r.to());
        }
        AnyRangeContext r = (AnyRangeContext) range;
        return new Stay(moment(r.from), moment(r.until), r.to().UNTIL() != null);
    }

    private static Stay stay(Day first, Day last, ToContext to) {
        return new Stay(new Moment.On(first, null, null), new Moment.On(last, null, null), to.UNTIL() != null);
    }

    Moment start(StartContext start) {
        return start.moment() == null
                ? new Moment.On(PhraseDays.ofNumbers(start.DECIMAL().getText()), null, null)
                : moment(start.moment());
    }

    Moment moment(MomentContext moment) {
        if (moment instanceof NowContext) {
            return new Moment.Now();
        }
        if (moment instanceof LaterContext later) {
            Length length = amounts.of(number(later.number()), later.unit());
            return new Moment.After(length == null ? Length.NONE : length);
        }
        if (moment instanceof IsoDateTimeContext iso) {
            return isoDateTime(iso.getText());
        }
        if (moment instanceof DayThenClockContext m) {
            return on(PhraseDays.day(m.day()), clock(m.clock(), m.number()), m.OFFSET());
        }
        if (moment instanceof ClockThenDayContext m) {
            return on(m.day() == null ? null : PhraseDays.day(m.day()), clock(m.clock(), m.number()), m.OFFSET());
        }
        HalfDayThenClockContext m = (HalfDayThenClockContext) moment;
        String word = m.DAY_PERIOD().getText();
        int days = word.startsWith("明") ? 1 : word.startsWith("后") ? 2 : 0;
        boolean evening = word.endsWith("晚") || word.endsWith("晚上") || word.equals("tonight");
        return new Moment.On(
                new Day.Relative(days),
                halved(requireNonNull(clock(m.clock(), m.number())), evening ? "晚上" : "早上"),
                null);
    }

    private static Moment on(@Nullable Day day, @Nullable Clock clock, @Nullable TerminalNode offset) {
        if (offset == null) {
            return new Moment.On(day, clock, null);
        }
        try {
            return new Moment.On(day, clock, offset(offset.getText()));
        } catch (DateTimeException noSuchOffset) {
            return new Moment.On(day, new Clock(-1, 0, false), null);
        }
    }

    /** {@code utc}, {@code z}, {@code +08:00}, {@code utc+8}, {@code gmt-5:30}, 北京时间. */
    private static ZoneOffset offset(String said) {
        if (said.equals("北京时间")) {
            return ZoneOffset.ofHours(8);
        }
        String hours = said.replaceFirst("utc|gmt|z", "");
        return hours.isEmpty() ? ZoneOffset.UTC : ZoneOffset.of(hours.replaceFirst("^([+-])(\\d)(?=$|:)", "$10$2"));
    }

    private static Moment isoDateTime(String said) {
        Matcher m = ISO.matcher(said);
        if (!m.matches()) {
            throw new IllegalStateException("the lexer let through " + said);
        }
        Day day = new Day.Full(group(m, 1), group(m, 2), group(m, 3));
        // Seconds are no part of a booking; a time with seconds is one that is not on the hour.
        int minute = m.group(6) == null || group(m, 6) == 0 ? group(m, 5) : Math.max(1, group(m, 5));
        Clock clock = new Clock(group(m, 4), minute, false);
        String offset = m.group(7);
        if (offset == null) {
            return new Moment.On(day, clock, null);
        }
        try {
            return new Moment.On(day, clock, ZoneOffset.of(offset.equals("z") ? "Z" : offset));
        } catch (DateTimeException noSuchOffset) {
            return new Moment.On(day, new Clock(-1, 0, false), null);
        }
    }

    private static @Nullable Clock clock(@Nullable ClockContext clock, @Nullable NumberContext bareHour) {
        if (clock != null) {
            return clock(clock);
        }
        return bareHour == null ? null : open(number(bareHour), 0);
    }

    private static Clock clock(ClockContext clock) {
        if (clock instanceof ChineseClockContext c) {
            int minute = minute(c);
            int hour = number(c.hour);
            // 时 is the written form and counts 24 hours; 点 is spoken.
            Clock said = c.DIAN().getText().equals("时") ? new Clock(hour, minute, false) : open(hour, minute);
            return halved(said, c.PERIOD(), c.NOON());
        }
        if (clock instanceof ColonClockContext c) {
            Clock said = parse(c.CLOCK().getText());
            if (c.AMPM() != null) {
                return english(said, c.AMPM().getText().charAt(0));
            }
            return halved(said, c.PERIOD(), c.NOON());
        }
        if (clock instanceof GluedClockContext c) {
            return parse(c.CLOCK_AMPM().getText());
        }
        if (clock instanceof SpacedClockContext c) {
            return english(
                    new Clock(number(c.number()), 0, false), c.AMPM().getText().charAt(0));
        }
        return new Clock(12, 0, false);
    }

    private static int minute(ChineseClockContext clock) {
        if (clock.HALF() != null) {
            return 30;
        }
        if (clock.KE() != null) {
            return quarters(clock.KE());
        }
        if (clock.MINUTE() != null) {
            return Numerals.parse(clock.MINUTE().getText());
        }
        return clock.minute == null ? 0 : number(clock.minute);
    }

    private static int quarters(TerminalNode ke) {
        return ke.getText().startsWith("一") ? 15 : 45;
    }

    private static Clock open(int hour, int minute) {
        return new Clock(hour, minute, hour >= 1 && hour <= 12);
    }

    private static Clock parse(String said) {
        Matcher m = TIME.matcher(said);
        if (!m.matches()) {
            throw new IllegalStateException("the lexer let through " + said);
        }
        int minute = m.group(2) == null ? 0 : group(m, 2);
        Clock clock =
                new Clock(group(m, 1), m.group(3) == null || group(m, 3) == 0 ? minute : Math.max(1, minute), false);
        return m.group(4) == null ? clock : english(clock, m.group(4).charAt(0));
    }

    /** 13pm is no time. */
    private static Clock english(Clock said, char half) {
        if (said.hour() < 1 || said.hour() > 12) {
            return new Clock(-1, said.minute(), false);
        }
        return new Clock(said.hour() % 12 + (half == 'p' ? 12 : 0), said.minute(), false);
    }

    private static Clock halved(Clock said, @Nullable TerminalNode period, @Nullable TerminalNode noon) {
        if (noon != null) {
            return halved(said, "中午");
        }
        return period == null ? said : halved(said, period.getText());
    }

    /** 下午一点 is 13:00, 下午15点 is 15:00, 晚上12点 is midnight at the end of the day, 中午1点 is 13:00. */
    private static Clock halved(Clock said, String period) {
        int hour = said.hour();
        int minute = said.minute();
        return switch (period) {
            case "下午", "傍晚" -> new Clock(hour < 12 ? hour + 12 : hour, minute, false);
            case "晚上", "晚", "夜里" ->
                new Clock(hour == 12 ? 24 : hour >= 5 && hour < 12 ? hour + 12 : hour, minute, hour < 5);
            case "中午" -> new Clock(hour < 3 ? hour + 12 : hour, minute, false);
            default -> new Clock(hour == 12 ? 0 : hour < 12 ? hour : -1, minute, false);
        };
    }

    private static int number(NumberContext number) {
        return Numerals.parse(number.getText());
    }

    private static int group(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group));
    }
}
