package dev.gpubroker.broker.request;

import static java.util.Objects.requireNonNull;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.Window;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request, checked and normalised: the same wish in any spelling or language is the same record.
 *
 * @param phrase the words it came from, or null
 * @param window always start and end, never a length
 * @param timeZone the zone in which its times are shown
 * @param onUnavailable null until the default is known, which depends on the platforms asked
 * @param maxTotal nothing is bought above it; null = quote + 10 %
 */
public record BookingRequest(
        @Nullable String phrase,
        Gpu gpu,
        Window window,
        ZoneId timeZone,
        Constraints constraints,
        Substitution substitution,
        @Nullable OnUnavailable onUnavailable,
        @Nullable MachineWish machine,
        @Nullable AtEnd atEnd,
        @Nullable Money maxTotal,
        @Nullable String title,
        Map<String, String> labels) {
    public BookingRequest {
        requireNonNull(gpu, "gpu");
        requireNonNull(window, "window");
        labels = Map.copyOf(labels);
    }

    /** The same for other GPUs, another window, or both. */
    public BookingRequest with(Gpu otherGpu, Window otherWindow) {
        return new BookingRequest(
                phrase,
                otherGpu,
                otherWindow,
                timeZone,
                constraints,
                substitution,
                onUnavailable,
                machine,
                atEnd,
                maxTotal,
                title,
                labels);
    }

    public BookingRequest withSubstitution(Substitution other) {
        return new BookingRequest(
                phrase,
                gpu,
                window,
                timeZone,
                constraints,
                other,
                onUnavailable,
                machine,
                atEnd,
                maxTotal,
                title,
                labels);
    }

    public BookingRequest withMaxTotal(Money most) {
        return new BookingRequest(
                phrase,
                gpu,
                window,
                timeZone,
                constraints,
                substitution,
                onUnavailable,
                machine,
                atEnd,
                most,
                title,
                labels);
    }

    /** The same, with {@code defaults} for what it does not say of its machines. */
    public BookingRequest withMachine(MachineWish defaults) {
        MachineWish whole = machine == null ? defaults : machine.over(defaults);
        return new BookingRequest(
                phrase,
                gpu,
                window,
                timeZone,
                constraints,
                substitution,
                onUnavailable,
                machine == null && whole.isNothing() ? null : whole,
                atEnd,
                maxTotal,
                title,
                labels);
    }

    /** What is said of the machines; nothing if that is nothing. */
    public MachineWish machineWish() {
        return machine == null ? MachineWish.none() : machine;
    }

    public BookingRequest named(@Nullable String otherTitle, Map<String, String> otherLabels) {
        return new BookingRequest(
                phrase,
                gpu,
                window,
                timeZone,
                constraints,
                substitution,
                onUnavailable,
                machine,
                atEnd,
                maxTotal,
                otherTitle,
                otherLabels);
    }

    /**
     * What kind of GPU, and how many in all.
     *
     * @param model canonical: a family ({@code A100}) or an exact id ({@code A100-SXM4-80GB}) of the catalogue
     * @param count total, 1 to {@link Limits#MAX_GPUS}
     * @param nodes machines to spread them over, dividing the count; null = up to 8 on one node, more on equal whole nodes
     * @param memoryGb least memory of one GPU; null = open
     * @param formFactor such as {@code sxm} or {@code pcie}; null = open
     */
    public record Gpu(
            String model,
            int count,
            @Nullable Integer nodes,
            @Nullable Integer memoryGb,
            @Nullable String formFactor) {}

    /**
     * @param platforms the only platforms allowed; empty = all
     * @param regions the only regions allowed; empty = all
     * @param compliance ids such as {@code cn-mlps-3}, {@code iso-27001}
     * @param singleNode null = true for up to 8 GPUs
     * @param interconnect {@code nvlink}, {@code pcie}, {@code hccs}; null = open
     */
    public record Constraints(
            Set<String> platforms,
            Set<String> regions,
            Set<String> compliance,
            Set<String> frameworks,
            @Nullable Boolean singleNode,
            @Nullable String interconnect,
            @Nullable Duration maxLeadTime,
            @Nullable String customerType,
            @Nullable String dataPlace,
            Set<String> security) {
        /** The region of own machines. */
        public static final String OWN_REGION = "own";

        public boolean allowsPlatform(String platform) {
            return platforms.isEmpty() || platforms.contains(platform);
        }

        public boolean allowsRegion(String region) {
            return regions.isEmpty() || regions.contains(region);
        }

        /** Whether own pools may serve. */
        public boolean allowsPools() {
            return allowsPlatform("pool") && allowsRegion(OWN_REGION);
        }

        public static Constraints none() {
            return new Constraints(Set.of(), Set.of(), Set.of(), Set.of(), null, null, null, null, null, Set.of());
        }
    }

    /**
     * @param models models that may stand in, canonical, best first; empty = any that passes
     * @param maxSlowdown longest run-time ratio (1.30 = 30 % longer); null = no limit
     * @param scaleCount a slower model may have more GPUs, at most twice as many
     * @param extendWindow a slower model may have its window for as much longer as the job takes
     */
    public record Substitution(
            Mode mode,
            List<String> models,
            @Nullable BigDecimal maxSlowdown,
            boolean scaleCount,
            boolean extendWindow) {
        public enum Mode {
            NEVER,
            ASK,
            AUTO
        }

        public static Substitution ask() {
            return new Substitution(Mode.ASK, List.of(), null, false, false);
        }
    }

    public enum OnUnavailable {
        QUEUE,
        REFUSE
    }

    /**
     * What happens before the machines go: a hook to run, what to keep, for how many days.
     *
     * @param hookTimeout how long before the end the hook begins; null where that was not said
     */
    public record AtEnd(@Nullable String hook, @Nullable Duration hookTimeout, Keep keep, int keepDays) {
        public static final Duration SHORTEST_HOOK = Duration.ofMinutes(1);
        public static final Duration LONGEST_HOOK = Duration.ofHours(2);
        private static final Duration USUAL_HOOK = Duration.ofMinutes(10);

        /** How long before the end the hook begins, and the longest that it may take. */
        public Duration hookTime() {
            return hookTimeout == null ? USUAL_HOOK : hookTimeout;
        }

        public enum Keep {
            NONE,
            DISK,
            IMAGE
        }
    }
}
