package dev.gpubroker.simulator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Rows of one kind in memory, in the order of their ids, which remember what is not yet written. */
public final class SimTable<T> {
    /** Writes the components of a record and nothing that is computed from them, such as {@code isLive()}. */
    private static final ObjectMapper JSON = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(MapperFeature.AUTO_DETECT_IS_GETTERS)
            .build();

    private final String kind;
    private final TreeMap<String, T> rows = new TreeMap<>();
    private final Set<String> dirty = new LinkedHashSet<>();

    SimTable(SimStore store, String platform, String kind, Class<T> type) {
        this.kind = kind;
        store.load(platform, kind).forEach((id, json) -> rows.put(id, read(json, type)));
    }

    public @Nullable T get(String id) {
        return rows.get(id);
    }

    public Optional<T> find(String id) {
        return Optional.ofNullable(rows.get(id));
    }

    public void put(String id, T row) {
        rows.put(id, row);
        dirty.add(id);
    }

    public void remove(String id) {
        if (rows.remove(id) != null) {
            dirty.add(id);
        }
    }

    /** A copy: the table may change while it is walked. */
    public List<T> all() {
        return List.copyOf(rows.values());
    }

    public List<T> where(Predicate<T> condition) {
        return rows.values().stream().filter(condition).toList();
    }

    public Collection<String> ids() {
        return List.copyOf(rows.keySet());
    }

    List<SimStore.Change> takeChanges() {
        List<SimStore.Change> changes = new ArrayList<>();
        for (String id : dirty) {
            T row = rows.get(id);
            changes.add(new SimStore.Change(kind, id, row == null ? null : write(row)));
        }
        dirty.clear();
        return changes;
    }

    /** Could not be written: they are still to be. */
    void notWritten(List<SimStore.Change> changes) {
        changes.stream().filter(change -> change.kind().equals(kind)).forEach(change -> dirty.add(change.id()));
    }

    private static <R> String write(R row) {
        try {
            return JSON.writeValueAsString(row);
        } catch (JsonProcessingException fault) {
            throw new IllegalStateException("a row that cannot be written", fault);
        }
    }

    private static <R> R read(String json, Class<R> type) {
        try {
            return JSON.readValue(json, type);
        } catch (JsonProcessingException fault) {
            throw new IllegalStateException("a row that cannot be read: " + json, fault);
        }
    }
}
