package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.allocation.AllocationChanges;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.Problem;
import dev.gpubroker.broker.quote.Quoter;
import dev.gpubroker.broker.request.Limits;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;

/** Asks what more time would cost, as an extension would be asked, and changes nothing. */
final class Extensions {
    /** Windows end on the full hour. */
    static final Duration SHORTEST = Duration.ofHours(1);

    private final PlatformChange platform;
    private final AllocationChanges rectangles;
    private final Quoter quoter;

    Extensions(PlatformChange platform, AllocationChanges rectangles, Quoter quoter) {
        this.platform = platform;
        this.rectangles = rectangles;
        this.quoter = quoter;
    }

    /** @param r that runs */
    Future<Extension> of(Reservation r) {
        if (r.window().end().plus(SHORTEST).isAfter(r.window().start().plus(Limits.MAX_LENGTH))) {
            long days = Limits.MAX_LENGTH.toDays();
            return refused(new Why("nothing is booked for more than " + days + " days", "最长只能预订 " + days + " 天"));
        }
        if (r.pending() != null) {
            return refused(new Why("a change is under way", "有修改正在进行"));
        }
        Future<Extension> asked = ReservationStep.isFromPlatform(r) ? platform.extension(r) : inPool(r);
        return asked.recover(fault ->
                fault instanceof ApiProblem problem ? refused(clause(problem.problem())) : Future.failedFuture(fault));
    }

    private static Future<Extension> refused(Why why) {
        return Future.succeededFuture(Extension.refused(SHORTEST, why));
    }

    /** A refusal's sentences are clauses here. */
    private static Why clause(Problem problem) {
        return new Why(unended(problem.detail()), unended(problem.detailZh()));
    }

    private static String unended(String sentence) {
        return sentence.strip().replaceFirst("[.。]+$", "");
    }

    private Future<Extension> inPool(Reservation r) {
        Window hour = new Window(r.window().end(), r.window().end().plus(SHORTEST));
        return rectangles.ahead(r.id(), hour).map(ahead -> {
            Instant longest = PoolChange.longestEnd(r, ahead.freeUntil() == null ? Instant.MAX : ahead.freeUntil());
            return longest == null
                    ? Extension.refused(SHORTEST, new Why("its GPUs are taken from its end on", "其 GPU 在结束后已另有预订或停用"))
                    : Extension.of(
                            SHORTEST,
                            quoter.ownCapacity(r.request().gpu().count(), SHORTEST)
                                    .total(),
                            longest);
        });
    }
}
