package dev.gpubroker.broker.time;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;

/** The time of a PostgreSQL server, with the offset of table {@code demo_clock}. */
public final class PgTimeSource implements TimeSource {
    private static final String READ = """
            -- time.read
            SELECT clock_timestamp() AS clock,
                   coalesce((SELECT offset_micros FROM demo_clock), 0) AS offset_micros
            """;

    private final Pool pool;

    public PgTimeSource(Pool pool) {
        this.pool = pool;
    }

    @Override
    public Future<DatabaseTime> read() {
        return pool.preparedQuery(READ)
                .execute()
                .map(rows -> time(rows.iterator().next()));
    }

    private static DatabaseTime time(Row row) {
        OffsetDateTime clock = row.getOffsetDateTime("clock");
        Duration offset = Duration.of(row.getLong("offset_micros"), ChronoUnit.MICROS);
        return new DatabaseTime(clock.toInstant(), offset);
    }
}
