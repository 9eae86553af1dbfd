package dev.gpubroker.broker.http;

import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Says when an answer was sent, by the wall clock, so that clients can tell whether theirs differs. */
final class SentAt implements Handler<RoutingContext> {
    /** Two digits for each day, as HTTP wants it. */
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private final InstantSource wall;

    SentAt(InstantSource wall) {
        this.wall = wall;
    }

    @Override
    public void handle(RoutingContext context) {
        context.response().putHeader("Date", FORMAT.format(wall.instant()));
        context.next();
    }
}
