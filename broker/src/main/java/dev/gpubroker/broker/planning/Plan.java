package dev.gpubroker.broker.planning;

import dev.gpubroker.adapter.spi.Flavor;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.quote.Costing;
import dev.gpubroker.broker.request.BookingRequest;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One way to fulfil a request: platform, SKU, acquisition, window, dates of its actions, priced lines, certainty, and what
 * happens if it fails.
 *
 * @param account {@code pool} for own capacity
 * @param sku the platform's name of the shape; for a pool its name
 * @param window what is taken, covering what was asked
 * @param usableEnd when the machines are taken away, at most {@code window.end}
 * @param actions in the order of their instants
 * @param substitution set when another model stands in
 * @param ifItFails for a person, English; {@code ifItFailsZh} the same in Chinese
 * @param endsOnlyWhileBrokerRuns the platform has no timed end
 * @param needsPick taken only when the caller picks its quote or the policy allows it
 * @param offer what the platform offered; null for pools and for waits on sold-out stock without a price
 */
public record Plan(
        String platform,
        String account,
        String region,
        @Nullable String zone,
        String sku,
        Flavor flavor,
        int nodes,
        int memoryGb,
        Acquisition acquisition,
        Certainty certainty,
        Window window,
        Instant usableEnd,
        List<Action> actions,
        LeadTime leadTime,
        StockView stock,
        Costing costing,
        @Nullable StandIn substitution,
        String ifItFails,
        String ifItFailsZh,
        boolean endsOnlyWhileBrokerRuns,
        boolean needsPick,
        boolean simulated,
        @Nullable Offer offer) {
    public Plan {
        actions = List.copyOf(actions);
    }

    /** What was known of stock when the plan was made. */
    public enum StockView {
        KNOWN,
        SCARCE,
        UNKNOWN,
        SOLD_OUT;

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Known before unknown before sold out; scarce stock is known stock. */
        int rank() {
            return this == SCARCE ? KNOWN.ordinal() : ordinal();
        }
    }

    /** @param what {@code order}, {@code decide_fallback}, {@code watch_stock} where nothing may stand in, {@code start}, {@code end} */
    public record Action(String what, Instant at) {}

    /**
     * Another model stands in.
     *
     * @param because why the asked one does not do: sold out, or a lead time that is too long
     * @param reason what the stand-in means, English; {@code reasonZh} the same in Chinese
     * @param expectedSlowdown run-time ratio; {@code basis} measured or estimated
     * @param asks its owner is asked first
     * @param stretch what it takes beyond what was asked; null for nothing
     */
    public record StandIn(
            String from,
            String to,
            Reason because,
            String reason,
            String reasonZh,
            java.math.BigDecimal expectedSlowdown,
            String basis,
            boolean asks,
            @Nullable Stretch stretch) {
        private static final String ESTIMATED = "estimated";

        StandIn because(Reason other) {
            return new StandIn(from, to, other, reason, reasonZh, expectedSlowdown, basis, asks, stretch);
        }

        /** With more than was asked; how a job scales with more GPUs is never more than an estimate. */
        StandIn stretched(Stretch more, java.math.BigDecimal ratio, String english, String chinese) {
            String known = more.count() == more.askedCount() ? basis : ESTIMATED;
            return new StandIn(from, to, because, english, chinese, ratio, known, asks, more);
        }
    }

    /** What its stand-in takes beyond what was asked; null for nothing. */
    public @Nullable Stretch stretch() {
        return substitution == null ? null : substitution.stretch();
    }

    /** The request as this plan serves it. */
    public BookingRequest serving(BookingRequest asked) {
        Stretch stretch = stretch();
        return stretch == null ? asked : stretch.over(asked);
    }

    /** The asked window as this plan serves it. */
    public Window serving(Window asked) {
        Stretch stretch = stretch();
        return stretch == null ? asked : new Window(asked.start(), stretch.end());
    }

    /** The same after its owner changed what it covers: what it has now is what was asked. */
    public Plan asAsked() {
        StandIn known = substitution;
        return known == null || known.stretch() == null
                ? this
                : with(new StandIn(
                        known.from(),
                        known.to(),
                        known.because(),
                        known.reason(),
                        known.reasonZh(),
                        known.expectedSlowdown(),
                        known.basis(),
                        known.asks(),
                        null));
    }

    Plan because(Reason reason) {
        return substitution == null ? this : with(substitution.because(reason));
    }

    private Plan with(StandIn standIn) {
        return new Plan(
                platform,
                account,
                region,
                zone,
                sku,
                flavor,
                nodes,
                memoryGb,
                acquisition,
                certainty,
                window,
                usableEnd,
                actions,
                leadTime,
                stock,
                costing,
                standIn,
                ifItFails,
                ifItFailsZh,
                endsOnlyWhileBrokerRuns,
                needsPick,
                simulated,
                offer);
    }

    public boolean isExact() {
        return substitution == null;
    }

    public int gpus() {
        return nodes * flavor.gpusPerNode();
    }

    /** Nothing beyond what was asked: a machine that was bought a moment after the start is no other window. */
    public boolean fitsExactly(Window asked) {
        return !window.start().isBefore(asked.start())
                && !window.end().isAfter(asked.end())
                && !usableEnd.isBefore(asked.end());
    }
}
