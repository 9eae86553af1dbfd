package dev.gpubroker.broker.lease;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.http.EventStream;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One lease as it changes, told to one reader: as it is at the beginning, then whenever its state, its place in line, its
 * GPUs or its end are others, until it has ended. Holds no connection and no thread in between.
 */
final class LeaseStream implements EventStream {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseStream.class);
    /** A new state is told at once; a new place in line is looked for as often as this. */
    private static final Duration LOOK_EVERY = Duration.ofSeconds(10);
    /** Then the reader has to come again, and to show its token again. */
    private static final Duration LONGEST = Duration.ofHours(1);
    /** What goes on by itself is no news. */
    private static final Set<String> NO_NEWS = Set.of("endsIn", "lastHeartbeatAt");

    private final LeaseService leases;
    private final Function<Lease, Future<ObjectNode>> shown;
    private final LongSupplier nanoTime;
    private final long begun;
    private final String team;
    private final String id;

    /** @param shown a lease as the API shows it */
    LeaseStream(
            LeaseService leases,
            Function<Lease, Future<ObjectNode>> shown,
            LongSupplier nanoTime,
            String team,
            String id) {
        this.leases = leases;
        this.shown = shown;
        this.nanoTime = nanoTime;
        this.begun = nanoTime.getAsLong();
        this.team = team;
        this.id = id;
    }

    @Override
    public void open(Events events) {
        follow(events, null)
                .onFailure(fault -> {
                    if (events.isOpen()) { // Else it is the reader who left.
                        LOG.warn("the stream of {} breaks off; its reader comes again", id, fault);
                    }
                })
                .onComplete(done -> events.end());
    }

    private Future<Void> follow(Events events, @Nullable ObjectNode told) {
        return leases.read(team, id)
                .compose(lease -> shown.apply(lease).compose(body -> {
                    ObjectNode news = body.deepCopy().remove(NO_NEWS);
                    Future<Void> sent = news.equals(told) ? Future.succeededFuture() : events.send("lease", body);
                    return sent.compose(done -> next(events, lease, news));
                }));
    }

    private Future<Void> next(Events events, Lease lease, ObjectNode told) {
        boolean over = nanoTime.getAsLong() - begun > LONGEST.toNanos();
        if (lease.state().isEnded() || over) {
            return Future.succeededFuture();
        }
        return leases.changeOf(lease, LOOK_EVERY)
                .compose(mayGoOn -> mayGoOn && events.isOpen() ? follow(events, told) : Future.succeededFuture());
    }
}
