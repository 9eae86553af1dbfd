package dev.gpubroker.broker.booking;

import java.time.Duration;

/** Lengths of time as people say them; what is no whole number of the larger unit is said in the smaller one. */
final class Spans {
    private Spans() {}

    static String english(Duration span) {
        if (isWhole(span, Duration.ofDays(1)) && span.toDays() > 1) {
            return span.toDays() + " days";
        }
        if (isWhole(span, Duration.ofHours(1))) {
            return span.toHours() + (span.toHours() == 1 ? " hour" : " hours");
        }
        return isWhole(span, Duration.ofMinutes(1)) ? span.toMinutes() + " minutes" : span.toSeconds() + " seconds";
    }

    static String chinese(Duration span) {
        if (isWhole(span, Duration.ofDays(1)) && span.toDays() > 1) {
            return span.toDays() + " 天";
        }
        if (isWhole(span, Duration.ofHours(1))) {
            return span.toHours() + " 小时";
        }
        return isWhole(span, Duration.ofMinutes(1)) ? span.toMinutes() + " 分钟" : span.toSeconds() + " 秒";
    }

    private static boolean isWhole(Duration span, Duration unit) {
        return !span.isZero() && span.toSeconds() % unit.toSeconds() == 0;
    }
}
