package dev.gpubroker.broker.request;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a phrase says, clause by clause, before any date is worked out and before parts are put together. */
final class PhraseDraft {
    final List<Said<ModelName>> models = new ArrayList<>();
    final List<Said<Cards>> cards = new ArrayList<>();
    final List<Said<Spread>> spreads = new ArrayList<>();
    final List<Said<Integer>> memories = new ArrayList<>();
    final List<Said<String>> forms = new ArrayList<>();
    final List<Said<Length>> lengths = new ArrayList<>();
    final List<Said<Stay>> stays = new ArrayList<>();
    final FieldErrors errors = new FieldErrors();

    /**
     * @param count cards in all, or on each node where nodes is given
     * @param nodes as in "2 nodes of 8", or null
     */
    record Cards(int count, @Nullable Integer nodes) {}

    /**
     * "on 2 nodes", or "2台" by itself.
     *
     * @param spreadsTotal whether a word said that the count is spread over them
     */
    record Spread(int nodes, boolean spreadsTotal) {}

    /**
     * @param end null where only a start was said
     * @param untilEnd whether the end was said with "until", which may or may not count its day
     */
    record Stay(Moment start, @Nullable Moment end, boolean untilEnd) {}
}
