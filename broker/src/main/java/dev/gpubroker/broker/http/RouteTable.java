package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** Which handler answers which operation, by the contract's {@code operationId}. */
public final class RouteTable {
    private final Map<String, ApiHandler> handlers = new TreeMap<>();

    /** Collects what several packages add. */
    public static RouteTable of(Iterable<? extends Routes> routes) {
        RouteTable table = new RouteTable();
        routes.forEach(each -> each.addTo(table));
        return table;
    }

    /**
     * Answers an operation with a handler.
     *
     * @throws IllegalArgumentException if the operation has a handler already
     */
    @CanIgnoreReturnValue
    public RouteTable on(String operationId, ApiHandler handler) {
        if (handlers.putIfAbsent(requireNonNull(operationId), requireNonNull(handler)) != null) {
            throw new IllegalArgumentException("two handlers for operation " + operationId);
        }
        return this;
    }

    /** All handlers by operation, sorted by its name. */
    Map<String, ApiHandler> handlers() {
        return Collections.unmodifiableMap(handlers);
    }
}
