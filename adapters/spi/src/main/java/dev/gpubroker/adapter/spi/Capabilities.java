package dev.gpubroker.adapter.spi;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a platform can do, as data: platforms differ in numbers more than in yes or no.
 *
 * @param platform our id, the adapter's folder name
 * @param name for people, English then Chinese, such as {@code Alibaba Cloud 阿里云}
 * @param currency ISO 4217 of its prices
 * @param shapes what it is known to sell
 * @param forward set where windows that begin in the future are sold
 * @param sellsNow whether today's stock can be taken
 * @param stockAsked false where stock cannot be asked: offers are then {@link Stock.Level#UNKNOWN}
 * @param minTerm the shortest length it sells from stock
 * @param termStep lengths are whole multiples of this; a longer term than asked becomes a line {@code idle_after}
 * @param maxTerm the longest length, or null for no limit
 * @param nodesPerClaim machines one claim can take; the broker makes several claims for more
 * @param timedEnd whether machines end by themselves at an instant given with the claim
 * @param token whether a claim sent twice with one token is one claim
 * @param settleWindow how long after the last instant a claim could still arrive it may first show up
 * @param provisioning the usual time from claim to running, to plan with
 * @param minInterval a younger answer to {@code offers} is used again; zero for simulators
 * @param longestCall no call takes longer: the adapter's own time-outs
 * @param callsPerSecond asked of one account at most
 * @param refund terms of what is bought
 * @param eligibility what an account needs before it can buy, such as {@code real_name}, {@code company}
 * @param machineOptions the parts of {@link MachineSpec} that its orders take; the broker plans nothing with the others
 * @param bootLimit how long keys and start-up script may be; null where nobody knows of a limit
 */
public record Capabilities(
        String platform,
        String name,
        String currency,
        List<Shape> shapes,
        @Nullable Forward forward,
        boolean sellsNow,
        boolean stockAsked,
        Duration minTerm,
        Duration termStep,
        @Nullable Duration maxTerm,
        int nodesPerClaim,
        boolean timedEnd,
        boolean token,
        Duration settleWindow,
        Duration provisioning,
        Duration minInterval,
        Duration longestCall,
        BigDecimal callsPerSecond,
        RefundTerms refund,
        Set<String> eligibility,
        Set<MachineOption> machineOptions,
        @Nullable BootLimit bootLimit) {
    public Capabilities {
        shapes = List.copyOf(shapes);
        eligibility = Set.copyOf(eligibility);
        machineOptions = Set.copyOf(machineOptions);
        if (forward == null && !sellsNow) {
            throw new IllegalArgumentException("a platform sells now, forward, or both: " + platform);
        }
        if (nodesPerClaim < 1) {
            throw new IllegalArgumentException("nodesPerClaim must be at least 1: " + nodesPerClaim);
        }
    }

    /**
     * How future windows are sold.
     *
     * @param horizon how far ahead a window may begin
     * @param minLength shortest, and @param maxLength longest window
     * @param usableUntilBeforeEnd machines are taken away this long before the window's end
     * @param cancellable whether a bought window can be given back at all
     */
    public record Forward(
            Duration horizon,
            Duration minLength,
            Duration maxLength,
            Duration usableUntilBeforeEnd,
            boolean cancellable) {}

    public static Builder of(String platform, String name, String currency) {
        return new Builder(platform, name, currency);
    }

    /** Starts from the commonest platform: sells from stock by the hour, one machine a claim, no token, no timed end. */
    public static final class Builder {
        private final String platform;
        private final String name;
        private final String currency;
        private List<Shape> shapes = List.of();
        private @Nullable Forward forward;
        private boolean sellsNow = true;
        private boolean stockAsked = true;
        private Duration minTerm = Duration.ofHours(1);
        private Duration termStep = Duration.ofHours(1);
        private @Nullable Duration maxTerm;
        private int nodesPerClaim = 1;
        private boolean timedEnd;
        private boolean token;
        private Duration settleWindow = Duration.ofMinutes(10);
        private Duration provisioning = Duration.ofMinutes(5);
        private Duration minInterval = Duration.ofSeconds(30);
        private Duration longestCall = Duration.ofSeconds(30);
        private BigDecimal callsPerSecond = BigDecimal.valueOf(5);
        private RefundTerms refund = new RefundTerms(RefundTerms.Rule.PAY_PER_USE, BigDecimal.ZERO, "default");
        private Set<String> eligibility = Set.of();
        private Set<MachineOption> machineOptions = Set.of(MachineOption.values());
        private @Nullable BootLimit bootLimit;

        private Builder(String platform, String name, String currency) {
            this.platform = platform;
            this.name = name;
            this.currency = currency;
        }

        public Builder shapes(List<Shape> value) {
            shapes = value;
            return this;
        }

        public Builder forward(Forward value) {
            forward = value;
            return this;
        }

        public Builder onlyForward() {
            sellsNow = false;
            return this;
        }

        public Builder stockCannotBeAsked() {
            stockAsked = false;
            return this;
        }

        public Builder terms(Duration min, Duration step, @Nullable Duration max) {
            minTerm = min;
            termStep = step;
            maxTerm = max;
            return this;
        }

        public Builder nodesPerClaim(int value) {
            nodesPerClaim = value;
            return this;
        }

        public Builder timedEnd() {
            timedEnd = true;
            return this;
        }

        public Builder token() {
            token = true;
            return this;
        }

        public Builder settleWindow(Duration value) {
            settleWindow = value;
            return this;
        }

        public Builder provisioning(Duration value) {
            provisioning = value;
            return this;
        }

        public Builder minInterval(Duration value) {
            minInterval = value;
            return this;
        }

        public Builder longestCall(Duration value) {
            longestCall = value;
            return this;
        }

        public Builder callsPerSecond(BigDecimal value) {
            callsPerSecond = value;
            return this;
        }

        public Builder refund(RefundTerms value) {
            refund = value;
            return this;
        }

        public Builder eligibility(Set<String> value) {
            eligibility = value;
            return this;
        }

        /** The only parts of {@link MachineSpec} that its orders take. */
        public Builder takesOnly(Set<MachineOption> value) {
            machineOptions = value;
            return this;
        }

        public Builder bootLimit(BootLimit value) {
            bootLimit = value;
            return this;
        }

        public Capabilities build() {
            return new Capabilities(
                    platform,
                    name,
                    currency,
                    shapes,
                    forward,
                    sellsNow,
                    stockAsked,
                    minTerm,
                    termStep,
                    maxTerm,
                    nodesPerClaim,
                    timedEnd,
                    token,
                    settleWindow,
                    provisioning,
                    minInterval,
                    longestCall,
                    callsPerSecond,
                    refund,
                    eligibility,
                    machineOptions,
                    bootLimit);
        }
    }
}
