package dev.gpubroker.simulator;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Keeps a platform's state: rows of JSON text by kind and id. What {@code commit} returned from survives kill -9. */
public interface SimStore {
    /** All rows of one kind, by id. */
    Map<String, String> load(String platform, String kind);

    /** Writes all changes or none. */
    void commit(String platform, List<Change> changes);

    /** @param json the row's new text; null deletes it */
    record Change(String kind, String id, @Nullable String json) {}

    /** Forgets at the end of the process: for tests of adapters. */
    static SimStore inMemory() {
        return new SimStore() {
            private final Map<String, Map<String, String>> rows = new HashMap<>();

            @Override
            public Map<String, String> load(String platform, String kind) {
                return Map.copyOf(rows.getOrDefault(platform + "/" + kind, Map.of()));
            }

            @Override
            public void commit(String platform, List<Change> changes) {
                for (Change change : changes) {
                    Map<String, String> kind =
                            rows.computeIfAbsent(platform + "/" + change.kind(), key -> new HashMap<>());
                    String json = change.json();
                    if (json == null) {
                        kind.remove(change.id());
                    } else {
                        kind.put(change.id(), json);
                    }
                }
            }
        };
    }
}
