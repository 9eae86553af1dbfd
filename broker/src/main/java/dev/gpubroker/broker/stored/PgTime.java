package dev.gpubroker.broker.stored;

import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** Instants as {@code timestamptz} parameters and columns. */
public final class PgTime {
    private PgTime() {}

    public static OffsetDateTime of(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    public static @Nullable OffsetDateTime ofNullable(@Nullable Instant instant) {
        return instant == null ? null : of(instant);
    }

    public static Instant read(Row row, String column) {
        return row.getOffsetDateTime(column).toInstant();
    }

    public static @Nullable Instant readNullable(Row row, String column) {
        OffsetDateTime time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }
}
