package dev.gpubroker.broker.inventory;

import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.inventory.Snapshot.AccountView;
import dev.gpubroker.broker.platform.PlatformBusy;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one account is asked about one region, and what has come back so far: first stock, then prices. Ends when everything
 * has come or the deadline has passed, whichever is first. Runs on one context.
 */
final class Question {
    private static final Logger LOG = LoggerFactory.getLogger(Question.class);

    private final Reads reads;
    private final AccountView account;
    private final String region;
    private final List<Ask> asked;
    private final Window window;
    private final MachineSpec machine;
    private final Pricing pricing;

    private final Map<String, List<Price>> prices = new HashMap<>();
    private Reads.@Nullable Stocked stocked;
    private @Nullable Throwable fault;
    /** Price calls that brought neither a price nor a definite no: still under way, cut off, or not let through. */
    private int pricesUnanswered;

    /** What is priced. */
    enum Pricing {
        NOTHING,
        OFFERS,
        /** Also what is sold out, where the platform can tell. */
        SOLD_OUT_TOO
    }

    /** @param asked only flavors that the account sells in the region; empty = it is not called */
    Question(
            Reads reads,
            AccountView account,
            String region,
            List<Ask> asked,
            Window window,
            MachineSpec machine,
            Pricing pricing) {
        this.reads = reads;
        this.account = account;
        this.region = region;
        this.asked = List.copyOf(asked);
        this.window = window;
        this.machine = machine;
        this.pricing = pricing;
    }

    /** Never fails. */
    Future<Snapshot.Answer> ask(Vertx vertx, Duration deadline) {
        Instant begun = reads.wall().instant();
        if (asked.isEmpty()) {
            return Future.succeededFuture(answer(begun, deadline));
        }
        Promise<Snapshot.Answer> answered = Promise.promise();
        long timer = vertx.setTimer(deadline.toMillis(), late -> answered.tryComplete(answer(begun, deadline)));
        reads.stock(account, region, asked, window)
                .compose(seen -> {
                    stocked = seen;
                    return priced(seen);
                })
                .onFailure(cause -> fault = cause)
                .onComplete(done -> {
                    vertx.cancelTimer(timer);
                    answered.tryComplete(answer(begun, deadline));
                });
        return answered.future();
    }

    /** Succeeds when every price has come or failed: a price that is missing costs its offer, never the answer. */
    private Future<Void> priced(Reads.Stocked seen) {
        if (pricing == Pricing.NOTHING) {
            return Future.succeededFuture();
        }
        List<PriceChoice.Target> targets = new PriceChoice(
                        asked,
                        account.capabilities(),
                        region,
                        window,
                        reads.businessTime().instant())
                .of(seen.offers(), pricing == Pricing.SOLD_OUT_TOO);
        pricesUnanswered = targets.size();
        List<Future<List<Price>>> all = targets.stream()
                .map(target -> reads.price(account, region, target, machine)
                        .onSuccess(stated -> {
                            pricesUnanswered--;
                            if (!stated.isEmpty()) {
                                prices.put(target.offer().id(), stated);
                            }
                        })
                        .onFailure(cause -> unpriced(target, cause)))
                .toList();
        return Future.join(all).transform(done -> Future.succeededFuture());
    }

    private void unpriced(PriceChoice.Target target, Throwable cause) {
        boolean silent = cause instanceof PlatformBusy || (cause instanceof PlatformFault known && known.isRetryable());
        if (!silent) {
            pricesUnanswered--;
        }
        if (cause instanceof PlatformFault || cause instanceof PlatformBusy) {
            LOG.debug("no price of {} from {}: {}", target.offer().id(), account.id(), cause.getMessage());
        } else {
            LOG.error(
                    "the adapter of {} failed on the price of {}",
                    account.id(),
                    target.offer().id(),
                    cause);
        }
    }

    private Snapshot.Answer answer(Instant begun, Duration deadline) {
        Reads.Stocked seen = stocked;
        Offers offers = asked.isEmpty() ? Offers.none() : seen == null ? null : seen.offers();
        Silence silence = silence(offers, deadline);
        return new Snapshot.Answer(
                account,
                region,
                asked,
                offers,
                prices,
                silence == null ? null : silence.reason(),
                silence == null ? "" : silence.detail(),
                seen == null ? reads.businessTime().instant() : seen.at(),
                Duration.between(begun, reads.wall().instant()));
    }

    private record Silence(Reason reason, String detail) {}

    private @Nullable Silence silence(@Nullable Offers offers, Duration deadline) {
        Throwable cause = fault;
        if (cause instanceof PlatformFault known) {
            return new Silence(known.reason(), String.valueOf(known.getMessage()));
        }
        if (cause instanceof PlatformBusy busy) {
            return new Silence(Reason.PLATFORM_UNAVAILABLE, String.valueOf(busy.getMessage()));
        }
        if (cause != null) {
            LOG.error("the adapter of {} failed in {}", account.id(), region, cause);
            return new Silence(Reason.PLATFORM_UNAVAILABLE, "its adapter failed; see the broker's log");
        }
        if (offers == null) {
            return new Silence(Reason.PLATFORM_UNAVAILABLE, "no answer within " + seconds(deadline));
        }
        if (prices.isEmpty() && pricesUnanswered > 0) {
            return new Silence(
                    Reason.PLATFORM_UNAVAILABLE, "it told its stock and did not answer when asked for prices");
        }
        return null;
    }

    private static String seconds(Duration deadline) {
        return deadline.toMillis() % 1000 == 0 ? deadline.toSeconds() + " s" : deadline.toMillis() + " ms";
    }
}
