package dev.gpubroker.broker.booking;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.RefundTerms;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.claim.Claim;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.platform.Operation;
import dev.gpubroker.broker.platform.Platforms;
import dev.gpubroker.broker.quote.Costing;
import dev.gpubroker.broker.quote.QuoteLine;
import dev.gpubroker.broker.quote.Quoter;
import io.vertx.core.Future;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/**
 * What more of a bought machine costs: only the added hours of the added or kept machines, asked of the platform now, and
 * refused above what was agreed for as much.
 */
final class MorePrice {
    private final Platforms platforms;
    private final Quoter quoter;
    private final Caps caps;
    private final Refusals refusals;

    MorePrice(Platforms platforms, Quoter quoter, Caps caps, Refusals refusals) {
        this.platforms = platforms;
        this.quoter = quoter;
        this.caps = caps;
        this.refusals = refusals;
    }

    /**
     * @param like a claim whose offer, machine and way to pay the added part shares
     * @param what begins the description of its lines
     * @return its costing; fails with the refusal that says why it is not to be had at the agreed price
     */
    Future<Costing> of(Reservation r, Plan plan, Claim like, int nodes, Window window, String what) {
        Offer offer = like.request().offer();
        RefundTerms refund = plan.costing().refundTerms();
        return platforms
                .call(
                        like.account(),
                        like.region(),
                        Operation.PRICE,
                        adapter -> adapter.price(new PriceQuery(
                                offer, nodes, window, like.request().machine())))
                .transform(asked -> {
                    if (asked.failed()) {
                        return Future.failedFuture(silent(plan));
                    }
                    List<Price> same = asked.result().stream()
                            .filter(price ->
                                    price.billing().equals(like.request().billing()))
                            .toList();
                    int gpus = nodes * plan.flavor().gpusPerNode();
                    Costing costing = quoter.cheapest(same.isEmpty() ? asked.result() : same, window, gpus, refund)
                            .costing();
                    if (costing == null || costing.total() == null) {
                        return Future.failedFuture(silent(plan));
                    }
                    Duration bought = bought(asked.result(), costing.billing(), window);
                    check(r, plan, nodes, bought, costing, costing.total());
                    return Future.succeededFuture(called(costing, what));
                });
    }

    /**
     * How long the agreed rate counts for. Where a platform sells whole hours, the one that has begun is bought too; what is
     * bought beyond that, as a day for an hour, was not agreed to.
     */
    private static Duration bought(List<Price> prices, String billing, Window window) {
        Duration asked = window.length();
        Duration wholeHours = Duration.ofHours(asked.plusHours(1).minusNanos(1).toHours());
        return prices.stream()
                .filter(price -> price.billing().equals(billing))
                .map(price -> price.billed().length())
                .filter(billed -> billed.compareTo(asked) >= 0)
                .min(Comparator.naturalOrder())
                .filter(billed -> billed.compareTo(wholeHours) < 0)
                .orElse(wholeHours);
    }

    private void check(Reservation r, Plan plan, int nodes, Duration bought, Costing costing, Money added) {
        BigDecimal more = machineSeconds(nodes, bought);
        BigDecimal whole = machineSeconds(plan.nodes(), plan.window().length());
        caps.ofMore(plan, more, whole)
                .filter(limit -> caps.isDearer(added, limit))
                .ifPresent(limit -> {
                    throw refusals.extensionTooDear(costing, limit);
                });
        Money most = r.request().maxTotal();
        Money sofar = plan.costing().total();
        if (most != null && sofar != null && sofar.currency().equals(added.currency())) {
            if (caps.isDearer(sofar.plus(added), most)) {
                Money left = most.currency().equals(sofar.currency()) ? most.minus(sofar) : most;
                throw refusals.extensionTooDear(costing, left);
            }
        }
    }

    private static BigDecimal machineSeconds(int nodes, Duration length) {
        return BigDecimal.valueOf(nodes).multiply(BigDecimal.valueOf(length.toSeconds()));
    }

    private static Costing called(Costing costing, String what) {
        List<QuoteLine> lines = costing.lines().stream()
                .map(line -> new QuoteLine(
                        line.kind(),
                        what + ": " + line.description(),
                        line.unit(),
                        line.quantity(),
                        line.unitPrice(),
                        line.amount()))
                .toList();
        return new Costing(
                costing.billing(), costing.currency(), lines, costing.total(), costing.from(), costing.refundTerms());
    }

    private ApiProblem silent(Plan plan) {
        return refusals.changeRefused(
                plan.platform() + " states no price for the added part now; nothing was changed, try again.",
                plan.platform() + " 目前没有给出新增部分的价格；预订保持不变，请重试。");
    }
}
