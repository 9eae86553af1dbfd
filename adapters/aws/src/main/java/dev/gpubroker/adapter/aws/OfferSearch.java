package dev.gpubroker.adapter.aws;

import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.Window;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Asks for offerings, one call per region and type, a few at a time: a quote has no time for one after another. */
final class OfferSearch implements AutoCloseable {
    private static final int AT_ONCE = 4;

    private final AwsClient client;
    private final ExecutorService pool;

    /** So many machines of a type in a region. */
    record Question(String region, Shape shape, int nodes) {}

    /** What came of one question: offers, or why there are none. */
    private record Answer(
            List<Offer> offers,
            Offers.@Nullable Missing missing,
            @Nullable PlatformFault fault) {}

    OfferSearch(AwsClient client) {
        this.client = client;
        AtomicInteger number = new AtomicInteger();
        this.pool = Executors.newFixedThreadPool(AT_ONCE, task -> {
            Thread thread = new Thread(task, "aws-offers-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Cheapest first, then the latest start: it idles least.
     *
     * @throws PlatformFault if no question was answered
     */
    Offers run(List<Question> questions, Window wanted, Instant now) {
        Optional<BlockQuery> query = BlockQuery.covering(wanted, now);
        List<Answer> answers = query.isEmpty()
                ? questions.stream().map(OfferSearch::impossible).toList()
                : all(questions.stream()
                        .<Supplier<Answer>>map(question -> () -> ask(question, query.get(), wanted))
                        .toList());
        Optional<PlatformFault> fault = answers.stream()
                .filter(answer -> answer.fault() != null)
                .map(Answer::fault)
                .findFirst();
        if (fault.isPresent() && answers.stream().allMatch(answer -> answer.fault() != null)) {
            throw fault.get();
        }
        List<Offer> offers = answers.stream()
                .flatMap(answer -> answer.offers().stream())
                .sorted(Comparator.comparing(OfferSearch::feeOrNothing)
                        .thenComparing(OfferSearch::startOf, Comparator.reverseOrder())
                        .thenComparing(Offer::id))
                .toList();
        List<Offers.Missing> missing = new ArrayList<>();
        answers.forEach(answer -> {
            if (answer.missing() != null) {
                missing.add(answer.missing());
            }
        });
        return new Offers(offers, missing);
    }

    private List<Answer> all(List<Supplier<Answer>> asks) {
        if (asks.size() == 1) {
            return List.of(asks.get(0).get());
        }
        List<CompletableFuture<Answer>> running = asks.stream()
                .map(ask -> CompletableFuture.supplyAsync(ask, pool))
                .toList();
        try {
            return running.stream().map(CompletableFuture::join).toList();
        } catch (CompletionException broken) {
            throw broken.getCause() instanceof RuntimeException cause ? cause : broken;
        }
    }

    private Answer ask(Question question, BlockQuery query, Window wanted) {
        if (question.nodes() > AwsShapes.MOST_INSTANCES) {
            return none(
                    question,
                    Reason.SHAPE_NOT_OFFERED,
                    "one block holds at most " + AwsShapes.MOST_INSTANCES + " machines");
        }
        List<Offer> offered;
        try {
            offered = client.offerings(question.region(), question.shape().sku(), question.nodes(), query).stream()
                    .flatMap(offering -> AwsMapping.offer(question.shape(), question.region(), offering).stream())
                    .filter(offer -> AwsMapping.count(offer) == question.nodes())
                    .toList();
        } catch (AwsError error) {
            return failed(question, error);
        }
        List<Offer> covering = offered.stream()
                .filter(offer -> AwsMapping.covers(offer, wanted))
                .toList();
        if (!covering.isEmpty()) {
            return new Answer(covering, null, null);
        }
        return offered.isEmpty()
                ? none(question, Reason.SOLD_OUT, "no Capacity Block for these days")
                : none(question, Reason.WINDOW_UNSUPPORTED, "only other windows are offered: " + windows(offered));
    }

    /** A count that EC2 does not sell is no fault of the platform; the User Guide names powers of two. */
    private static Answer failed(Question question, AwsError error) {
        boolean powerOfTwo = Integer.bitCount(question.nodes()) == 1;
        if (!powerOfTwo && error.code().equals("InvalidParameterValue")) {
            return none(
                    question,
                    Reason.SHAPE_NOT_OFFERED,
                    "blocks come in 1, 2, 4, 8, 16, 32 or 64 machines: " + error.text());
        }
        if (AwsErrors.refusal(error).filter(Reason.SOLD_OUT::equals).isPresent()) {
            return none(question, Reason.SOLD_OUT, error.text());
        }
        if (error.code().equals("Unsupported") || error.code().equals("UnsupportedException")) {
            return none(question, Reason.NOT_OFFERED, error.text());
        }
        PlatformFault fault = AwsErrors.fault(error);
        return new Answer(List.of(), missing(question, fault.reason(), error.text()), fault);
    }

    private static Answer impossible(Question question) {
        return none(
                question,
                Reason.WINDOW_UNSUPPORTED,
                "blocks begin within " + AwsShapes.HORIZON.toDays() + " days, last up to " + AwsShapes.LONGEST.toDays()
                        + " days and end at 11:30 UTC");
    }

    private static Answer none(Question question, Reason reason, String detail) {
        return new Answer(List.of(), missing(question, reason, detail), null);
    }

    private static Offers.Missing missing(Question question, Reason reason, String detail) {
        return new Offers.Missing(
                question.shape().sku(), question.shape().flavor(), question.region(), reason, detail, null);
    }

    private static String windows(List<Offer> offers) {
        return offers.stream()
                .map(offer -> startOf(offer) + " to " + offer.usableEnd())
                .limit(3)
                .reduce((one, other) -> one + ", " + other)
                .orElse("none");
    }

    private static Instant startOf(Offer offer) {
        Window sold = offer.window();
        return sold == null ? Instant.EPOCH : sold.start();
    }

    /** Offers without a readable fee stand last. */
    private static BigDecimal feeOrNothing(Offer offer) {
        try {
            BigDecimal fee = AwsMapping.fee(offer);
            return fee == null ? BigDecimal.valueOf(Long.MAX_VALUE) : fee;
        } catch (PlatformFault unreadable) {
            return BigDecimal.valueOf(Long.MAX_VALUE);
        }
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
