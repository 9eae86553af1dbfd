package dev.gpubroker.broker.request;

import java.time.ZoneId;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The one rule for names of time zones, wherever they come in: a region of the zone database, such as {@code Asia/Shanghai} or
 * {@code UTC}. An offset is none, since a calendar day of five days ahead may have another one.
 */
public final class TimeZones {
    private static final Set<String> KNOWN = Set.copyOf(ZoneId.getAvailableZoneIds());

    private TimeZones() {}

    /** Empty for a name that the zone database does not hold. */
    public static Optional<ZoneId> named(@Nullable String name) {
        return name != null && KNOWN.contains(name) ? Optional.of(ZoneId.of(name)) : Optional.empty();
    }
}
