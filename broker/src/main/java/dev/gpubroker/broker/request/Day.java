package dev.gpubroker.broker.request;

import java.time.DayOfWeek;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A day as people say it, before a calendar was asked whether it exists and which one it is. */
sealed interface Day {
    /** "the 20th", "20号". */
    record InMonth(int day) implements Day {}

    /** "Dec 20", "12月20日". */
    record InYear(int month, int day) implements Day {}

    record Full(int year, int month, int day) implements Day {}

    /** "明年1月5号": years from now. */
    record OtherYear(int years, int month, int day) implements Day {}

    /** "下个月5号": months from now. */
    record OtherMonth(int months, int day) implements Day {}

    /**
     * A day of the week.
     *
     * @param weeks null for a bare "Monday", 0 for this week's, 1 for next week's
     * @param calendarWeek whether the week is meant as the calendar has it (下周五); "next Friday" may be this week's
     */
    record OfWeek(DayOfWeek day, @Nullable Integer weeks, boolean calendarWeek) implements Day {}

    /** "next week". */
    record Week(int weeks) implements Day {}

    /** "tomorrow", "后天". */
    record Relative(int days) implements Day {}

    /** "Tue Dec 21", "12月21日周一": a date that has to fall on that day of the week. */
    record OnWeekday(DayOfWeek weekday, Day date) implements Day {}

    /** Written so that it may be either: 10/11. */
    record Either(List<Day> days) implements Day {}
}
