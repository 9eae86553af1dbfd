package dev.gpubroker.broker.inventory;

import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.broker.inventory.Question.Pricing;
import dev.gpubroker.broker.inventory.Snapshot.AccountView;
import dev.gpubroker.broker.platform.Platforms;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Asks every account in every region, all at once, under one deadline. Whoever is silent then is named and delays nobody; what
 * comes later is kept for the next asker where answers may be used again.
 */
public final class PlatformInventory implements Inventory {
    /** What a person waits for a quote; a platform's own time-outs are shorter, so that it is named with its reason. */
    static final Duration DEADLINE = Duration.ofSeconds(2);

    private final Vertx vertx;
    private final Platforms platforms;
    private final Reads reads;
    private final Duration deadline;

    /** @param history learns from every answer */
    public PlatformInventory(
            Vertx vertx, Platforms platforms, InstantSource businessTime, InstantSource wall, StockHistory history) {
        this(vertx, platforms, businessTime, wall, history::record, DEADLINE);
    }

    PlatformInventory(
            Vertx vertx,
            Platforms platforms,
            InstantSource businessTime,
            InstantSource wall,
            StockListener listener,
            Duration deadline) {
        this.vertx = vertx;
        this.platforms = platforms;
        this.reads = new Reads(platforms, businessTime, wall, listener);
        this.deadline = deadline;
    }

    /**
     * Answers are in the order of account ids, then of an account's regions. An account that sells nothing of what is asked is
     * there with empty offers and was not called.
     */
    @Override
    public Future<Snapshot> snapshot(Query query) {
        return ask(query, query.priceSoldOut() ? Pricing.SOLD_OUT_TOO : Pricing.OFFERS);
    }

    /** As {@link #snapshot}, without prices: what is free, not what it costs. */
    public Future<Snapshot> stock(Query query) {
        return ask(query, Pricing.NOTHING);
    }

    private Future<Snapshot> ask(Query query, Pricing pricing) {
        Instant asOf = reads.businessTime().instant();
        Context context = vertx.getOrCreateContext();
        Promise<Snapshot> whole = Promise.promise();
        // One context for all of it, so that nothing of a question is touched by two threads.
        context.runOnContext(go -> {
            List<Future<Snapshot.Answer>> answers = questions(query, pricing).stream()
                    .map(question -> question.ask(vertx, deadline))
                    .toList();
            Future.all(answers)
                    .map(all -> new Snapshot(
                            query.window(),
                            asOf,
                            answers.stream().map(Future::result).toList()))
                    .onComplete(whole);
        });
        return whole.future();
    }

    private List<Question> questions(Query query, Pricing pricing) {
        List<Question> questions = new ArrayList<>();
        for (AccountView account : platforms.accounts()) {
            if (!query.platforms().isEmpty() && !query.platforms().contains(account.platform())) {
                continue;
            }
            for (String region : platforms.regions(account.id())) {
                if (query.regions().isEmpty() || query.regions().contains(region)) {
                    List<Ask> asks = sold(query.asks(), account, region);
                    questions.add(new Question(
                            reads, account, region, asks, query.window(), query.machine(), pricing));
                }
            }
        }
        return questions;
    }

    private static List<Ask> sold(List<Ask> asks, AccountView account, String region) {
        Set<Flavor> flavors = PriceChoice.soldIn(account.capabilities(), region).stream()
                .map(Shape::flavor)
                .collect(Collectors.toSet());
        return asks.stream().filter(ask -> flavors.contains(ask.flavor())).toList();
    }

    /** Forgets what platforms said: the clock was set back. */
    public void discard() {
        reads.discard();
    }
}
