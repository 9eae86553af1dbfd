package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Money;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What an event shows of a change: the members that differ, as they were in one of the two versions. */
final class Changes {
    private Changes() {}

    static Map<String, Object> all(Reservation r) {
        Map<String, Object> shown = new LinkedHashMap<>();
        put(shown, "state", r.state().wireName());
        put(shown, "start", r.window().start());
        put(shown, "end", r.window().end());
        put(shown, "count", r.request().gpu().count());
        put(shown, "pendingCount", r.pending() == null ? null : r.pending().count());
        put(shown, "nodes", nodes(r));
        put(shown, "total", total(r));
        put(shown, "platform", r.plan() == null ? null : r.plan().platform());
        put(shown, "model", r.plan() == null ? null : r.plan().flavor().model());
        put(shown, "standIn", r.standIn() == null ? null : r.standIn().standIn().to());
        put(shown, "final", r.standIn() == null ? null : r.standIn().last());
        put(shown, "nextAction", r.next() == null ? null : r.next().what());
        put(shown, "nextAt", r.next() == null ? null : r.next().at());
        put(shown, "title", r.title());
        put(shown, "health", r.health().stream().sorted().toList());
        put(shown, "attempts", r.attempts());
        put(shown, "version", r.version());
        return shown;
    }

    private static @Nullable String nodes(Reservation r) {
        return r.nodes().isEmpty()
                ? null
                : r.nodes().stream()
                        .map(node -> node.name() + ":" + node.firstGpu() + "-" + (node.firstGpu() + node.gpus() - 1))
                        .collect(Collectors.joining(", "));
    }

    private static @Nullable String total(Reservation r) {
        Money total = r.plan() == null ? null : r.plan().costing().total();
        return total == null ? null : total.toString();
    }

    /** Of {@code one}, only what {@code other} has differently. */
    static Map<String, Object> of(Reservation one, Reservation other) {
        Map<String, Object> mine = all(one);
        Map<String, Object> theirs = all(other);
        Map<String, Object> different = new LinkedHashMap<>();
        mine.forEach((name, value) -> {
            if (!Objects.equals(value, theirs.get(name))) {
                different.put(name, value);
            }
        });
        return different;
    }

    private static void put(Map<String, Object> shown, String name, @Nullable Object value) {
        if (value != null) {
            shown.put(name, value);
        }
    }
}
