package dev.gpubroker.broker.booking;

import dev.gpubroker.broker.schedule.DueHandler;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/** Looks again and again for the asked model of everybody who waits for one, first in line first. */
public final class Watch implements DueHandler {
    public static final String KIND = "watch";
    public static final String ALL = "all";
    static final Duration EVERY = Duration.ofMinutes(15);

    /** The longest line that one look walks; whoever stands behind is looked at on his own dates. */
    private static final int LONGEST = 500;

    private final ReservationStore reservations;
    private final Waiting waiting;
    private final InstantSource clock;

    Watch(ReservationStore reservations, Waiting waiting, InstantSource clock) {
        this.reservations = reservations;
        this.waiting = waiting;
        this.clock = clock;
    }

    @Override
    public Future<Optional<Next>> handle(Hold hold) {
        Instant now = clock.instant();
        return reservations.waiting(LONGEST).compose(line -> {
            Future<Void> walk = Future.succeededFuture();
            for (Reservation r : line) {
                walk = walk.compose(before -> waiting.watch(r, hold, now));
            }
            return walk.map(done -> Next.periodic(now.plus(EVERY)));
        });
    }
}
