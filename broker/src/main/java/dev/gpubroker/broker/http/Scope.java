package dev.gpubroker.broker.http;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What a caller may do. */
public enum Scope {
    /** Everything, for every team where a call is not about one. */
    ADMIN,
    /** Booking, changing and cancelling; includes reading. */
    BOOK,
    /** Leases, and nothing beside them. */
    LEASE,
    /** Looking, and asking for prices. */
    READ;

    @JsonValue
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if there is none of this name */
    @JsonCreator
    public static Scope ofWireName(String name) {
        for (Scope scope : values()) {
            if (scope.wireName().equals(name)) {
                return scope;
            }
        }
        throw new IllegalArgumentException("no scope " + name);
    }
}
