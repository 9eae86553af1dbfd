package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Money;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was agreed at booking and is never made worse afterwards.
 *
 * @param caps for {@code asked} and for each stand-in model: nothing of it is bought above this
 * @param declined stand-ins the owner turned down
 * @param decidedAt when the fallback was decided; null before
 * @param agreed stand-ins the owner accepted
 * @param unsent attempts that our own money guard held back: they do not count against the limit
 * @param lapsed stand-ins that were proposed and not answered, once for each time
 */
public record Terms(
        Map<String, Money> caps,
        List<String> declined,
        @Nullable Instant decidedAt,
        List<String> agreed,
        int unsent,
        List<String> lapsed) {
    private static final int MOST_LAPSES = 2;

    public Terms {
        caps = Map.copyOf(caps);
        declined = List.copyOf(declined);
        agreed = List.copyOf(agreed);
        lapsed = List.copyOf(lapsed);
    }

    public static Terms none() {
        return new Terms(Map.of(), List.of(), null, List.of(), 0, List.of());
    }

    public Terms capped(String model, Money most) {
        Map<String, Money> more = new LinkedHashMap<>(caps);
        more.put(model, most);
        return new Terms(more, declined, decidedAt, agreed, unsent, lapsed);
    }

    public Terms decline(String model) {
        List<String> more = new ArrayList<>(declined);
        more.add(model);
        return new Terms(caps, more, decidedAt, agreed, unsent, lapsed);
    }

    /** The owner accepted this stand-in: it may be bought without asking again. */
    public Terms agree(String model) {
        List<String> more = new ArrayList<>(agreed);
        more.add(model);
        return new Terms(caps, declined, decidedAt, more, unsent, lapsed);
    }

    public Terms decided(Instant at) {
        return new Terms(caps, declined, at, agreed, unsent, lapsed);
    }

    Terms heldBack() {
        return new Terms(caps, declined, decidedAt, agreed, unsent + 1, lapsed);
    }

    /** The proposal ran out without an answer: it may be made once more. */
    Terms lapse(String model) {
        List<String> more = new ArrayList<>(lapsed);
        more.add(model);
        return new Terms(caps, declined, decidedAt, agreed, unsent, more);
    }

    /** Whether the owner said no, or twice nothing. */
    boolean isTurnedDown(String model) {
        return declined.contains(model) || lapsed.stream().filter(model::equals).count() >= MOST_LAPSES;
    }
}
