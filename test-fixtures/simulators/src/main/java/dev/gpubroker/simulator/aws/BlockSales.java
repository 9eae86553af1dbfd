package dev.gpubroker.simulator.aws;

import dev.gpubroker.simulator.SimTable;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What is free on which day, and the offerings made of it. A type has the same number of machines on every day until
 * someone buys; a day that was bought from has a row of its own.
 */
final class BlockSales {
    static final int MOST_INSTANCES = 64;
    private static final int MOST_OFFERINGS = 6;
    private static final Duration HORIZON = Duration.ofDays(56);
    /** A start asked within this time is offered at once as well as at the next turn of the day. */
    private static final Duration AT_ONCE = Duration.ofMinutes(30);

    private static final int MOST_REMEMBERED = 4000;

    private final SimTable<Offering> offerings;
    private final SimTable<Integer> freeOnDay;
    private final ToIntFunction<String> freeOtherwise;

    BlockSales(SimTable<Offering> offerings, SimTable<Integer> freeOnDay, ToIntFunction<String> freeOtherwise) {
        this.offerings = offerings;
        this.freeOnDay = freeOnDay;
        this.freeOtherwise = freeOtherwise;
    }

    /** Lengths are sold in steps of one day up to 14 days, then of seven days up to 182. */
    static boolean isSold(int hours) {
        int days = hours / 24;
        return hours % 24 == 0 && days >= 1 && (days <= 14 || (days % 7 == 0 && days <= 182));
    }

    /** At most six; for the first start one slightly shorter and one slightly longer than asked are among them. */
    List<Offering> offer(
            InstanceType type,
            int count,
            int hours,
            @Nullable Instant earliest,
            @Nullable Instant latest,
            String hourly,
            Instant now) {
        Duration asked = Duration.ofHours(hours);
        Instant from = earliest == null || earliest.isBefore(now) ? now : earliest;
        Instant until = latest == null ? now.plus(HORIZON).plus(asked) : latest;
        List<Offering> shown = new ArrayList<>();
        for (Span span : spans(from, asked, now)) {
            if (shown.size() < MOST_OFFERINGS
                    && !span.end().isAfter(until)
                    && !span.start().isAfter(now.plus(HORIZON))
                    && isFree(type.name(), span.start(), span.end(), count)) {
                Offering offering = new Offering(
                        "cb-" + hex17(), type.name(), count, span.start(), span.end(), fee(hourly, count, span), now);
                offerings.put(offering.id(), offering);
                shown.add(offering);
            }
        }
        forgetOld(now);
        return shown;
    }

    private record Span(Instant start, Instant end) {}

    private static Set<Span> spans(Instant from, Duration asked, Instant now) {
        Set<Span> spans = new LinkedHashSet<>();
        Instant soon = BlockTime.soon(now);
        if (!from.isAfter(now.plus(AT_ONCE)) && !BlockTime.floor(soon).equals(soon)) {
            Instant shorter = BlockTime.floor(soon.plus(asked));
            if (shorter.isAfter(soon)) {
                spans.add(new Span(soon, shorter));
            }
            spans.add(new Span(soon, shorter.plus(BlockTime.DAY)));
        }
        Instant first = BlockTime.ceiling(from);
        spans.add(new Span(first, first.plus(asked)));
        if (asked.compareTo(BlockTime.DAY) > 0) {
            spans.add(new Span(first, first.plus(asked).minus(BlockTime.DAY)));
        }
        spans.add(new Span(first, first.plus(asked).plus(BlockTime.DAY)));
        for (Instant start = first.plus(BlockTime.DAY);
                !start.isAfter(now.plus(HORIZON));
                start = start.plus(BlockTime.DAY)) {
            spans.add(new Span(start, start.plus(asked)));
        }
        return spans;
    }

    private static String fee(String hourly, int count, Span span) {
        return new BigDecimal(hourly)
                .multiply(BigDecimal.valueOf(count))
                .multiply(BigDecimal.valueOf(
                        Duration.between(span.start(), span.end()).toMinutes()))
                .divide(BigDecimal.valueOf(60), 2, RoundingMode.HALF_UP)
                .toPlainString();
    }

    boolean isFree(String type, Instant start, Instant end, int count) {
        return BlockTime.days(start, end).stream().allMatch(day -> free(type, day) >= count);
    }

    /** Takes machines out of every day of the window; a negative count puts them back. */
    void take(String type, Instant start, Instant end, int count) {
        for (LocalDate day : BlockTime.days(start, end)) {
            freeOnDay.put(type + "/" + day, free(type, day) - count);
        }
    }

    /** Every day is as the type's own number says again. */
    void forgetDays(String type) {
        freeOnDay.ids().stream().filter(id -> id.startsWith(type + "/")).forEach(freeOnDay::remove);
    }

    private int free(String type, LocalDate day) {
        Integer bought = freeOnDay.get(type + "/" + day);
        return bought == null ? freeOtherwise.applyAsInt(type) : bought;
    }

    private void forgetOld(Instant now) {
        offerings
                .where(offering -> offering.start().isBefore(now.minus(BlockTime.DAY)))
                .forEach(offering -> offerings.remove(offering.id()));
        List<Offering> all = offerings.all();
        if (all.size() > MOST_REMEMBERED) {
            all.stream()
                    .sorted(Comparator.comparing(Offering::shownAt))
                    .limit(MOST_REMEMBERED / 2)
                    .forEach(offering -> offerings.remove(offering.id()));
        }
    }

    /** What follows the dash in EC2's identifiers. */
    static String hex17() {
        return "0" + UUID.randomUUID().toString().replace("-", "").substring(0, 16);
    }
}
