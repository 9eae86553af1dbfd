package dev.gpubroker.verification.bench;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Values as PostgreSQL writes them. */
final class PgText {
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss'+00'");

    private PgText() {}

    /** An instant of whole seconds, in UTC. */
    static String of(Instant instant) {
        return SECONDS.format(instant.atOffset(ZoneOffset.UTC));
    }
}
