package dev.gpubroker.broker.inventory;

import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.MachineSpec;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.Window;
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
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Asks every account in every region, all at once, under one deadline. Whoever is silent then is named and delays nobody; what
 * comes later is kept for the next asker where answers may be used again.
 */
public final class PlatformInventory implements Inventory {
    /** What a person waits for a quote; a platform's own time-outs are shorter, so that it is named with its reason. */
    static final Duration DEADLINE = Duration.ofSeconds(2);

    /** The first call of an adapter loads its SDK, which alone may take longer than the deadline. */
    private static final Duration WARM_UP_LIMIT = Duration.ofSeconds(15);

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
     * Answers are in the order of account ids, then of an account's regions. An account that sells nothing of what is asked, or
     * lies outside the query's platforms or regions, is there with empty offers and was not called.
     */
    @Override
    public Future<Snapshot> snapshot(Query query) {
        return ask(query, query.priceSoldOut() ? Pricing.SOLD_OUT_TOO : Pricing.OFFERS);
    }

    /** As {@link #snapshot}, without prices: what is free, not what it costs. */
    public Future<Snapshot> stock(Query query) {
        return ask(query, Pricing.NOTHING);
    }

    /**
     * Asks every account once for one thing that it sells, so that the first caller does not wait for what only a first call
     * needs. Ends when all have answered, at the latest after 15 s; never fails.
     */
    public Future<Void> warmUp() {
        Window window = Window.of(
                reads.businessTime().instant().truncatedTo(ChronoUnit.HOURS).plus(Duration.ofDays(1)),
                Duration.ofDays(1));
        return together(() -> {
                    List<Future<Snapshot.Answer>> answers = new ArrayList<>();
                    for (AccountView account : platforms.accounts()) {
                        for (String region : platforms.regions(account.id())) {
                            List<Ask> one = PriceChoice.soldIn(account.capabilities(), region).stream()
                                    .limit(1)
                                    .map(shape -> new Ask(shape.flavor(), 1))
                                    .toList();
                            answers.add(new Question(
                                            reads,
                                            account,
                                            region,
                                            one,
                                            window,
                                            MachineSpec.standard(),
                                            Pricing.SOLD_OUT_TOO)
                                    .ask(vertx, WARM_UP_LIMIT));
                        }
                    }
                    return answers;
                })
                .mapEmpty();
    }

    private Future<Snapshot> ask(Query query, Pricing pricing) {
        Instant asOf = reads.businessTime().instant();
        return together(() -> questions(query, pricing).stream()
                        .map(question -> question.ask(vertx, deadline))
                        .toList())
                .map(answers -> new Snapshot(query.window(), asOf, answers));
    }

    /** All on one context, so that nothing of a question is touched by two threads. */
    private Future<List<Snapshot.Answer>> together(Supplier<List<Future<Snapshot.Answer>>> asking) {
        Context context = vertx.getOrCreateContext();
        Promise<List<Snapshot.Answer>> whole = Promise.promise();
        context.runOnContext(go -> {
            List<Future<Snapshot.Answer>> answers = asking.get();
            Future.all(answers)
                    .map(all -> answers.stream().map(Future::result).toList())
                    .onComplete(whole);
        });
        return whole.future();
    }

    private List<Question> questions(Query query, Pricing pricing) {
        List<Question> questions = new ArrayList<>();
        for (AccountView account : platforms.accounts()) {
            for (String region : platforms.regions(account.id())) {
                boolean meant = isAmong(query.platforms(), account.platform()) && isAmong(query.regions(), region);
                List<Ask> asks = meant ? sold(query.asks(), account, region) : List.of();
                questions.add(new Question(
                        reads, account, region, asks, query.window(), account.machine(query.machine()), pricing));
            }
        }
        return questions;
    }

    private static boolean isAmong(Set<String> only, String name) {
        return only.isEmpty() || only.contains(name);
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
