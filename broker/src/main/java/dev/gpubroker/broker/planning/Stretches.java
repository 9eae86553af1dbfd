package dev.gpubroker.broker.planning;

import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.broker.allocation.Allocations.PoolView;
import dev.gpubroker.broker.catalogue.GpuModel;
import dev.gpubroker.broker.inventory.Snapshot;
import dev.gpubroker.broker.request.BookingRequest;
import dev.gpubroker.broker.request.BookingRequest.Substitution;
import dev.gpubroker.broker.request.Limits;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What slower models may take beyond what was asked, where the request allows it. {@code scaleCount}: as many GPUs as make up
 * for the slowdown, rounded up to what is sold, at most twice as many. {@code extendWindow}: a window as much longer as the
 * job then still takes. Each is looked at beside the stand-in as it is, which stays possible. Pure.
 */
final class Stretches {
    /** Each is one more question to all platforms. */
    private static final int MOST = 6;

    private static final int MOST_TIMES = 2;
    private static final int RATIO_PLACES = 2;

    private final BookingRequest request;
    private final Snapshot snapshot;
    private final List<PoolView> pools;

    /**
     * @param snapshot of what was asked; tells which shapes are sold
     * @param pools that could serve the request or what may stand in for it
     */
    Stretches(BookingRequest request, Snapshot snapshot, List<PoolView> pools) {
        this.request = request;
        this.snapshot = snapshot;
        this.pools = pools;
    }

    /** The stand-in with what it takes, and the request as it serves it. */
    record Stretched(Candidate candidate, BookingRequest request) {}

    static boolean areWanted(BookingRequest request) {
        Substitution wish = request.substitution();
        return wish.mode() != Substitution.Mode.NEVER && (wish.scaleCount() || wish.extendWindow());
    }

    /** The request for which stand-ins are looked up: twice the GPUs make up for twice the slowdown that is allowed. */
    static BookingRequest lenient(BookingRequest request) {
        Substitution wish = request.substitution();
        BigDecimal most = wish.maxSlowdown();
        return most == null || !wish.scaleCount()
                ? request
                : request.withSubstitution(new Substitution(
                        wish.mode(),
                        wish.models(),
                        most.multiply(BigDecimal.valueOf(MOST_TIMES)),
                        true,
                        wish.extendWindow()));
    }

    /** Best first: in the order of the candidates, more GPUs before a later end. */
    List<Stretched> of(List<Candidate> candidates) {
        List<Stretched> all = new ArrayList<>();
        for (Candidate candidate : candidates) {
            Plan.StandIn standIn = candidate.standIn();
            if (standIn != null && standIn.expectedSlowdown().compareTo(BigDecimal.ONE) > 0) {
                for (int count : counts(candidate.model(), standIn.expectedSlowdown())) {
                    Stretched one = stretched(candidate, standIn, count);
                    if (one != null) {
                        all.add(one);
                    }
                }
            }
        }
        return all.stream().limit(MOST).toList();
    }

    /** The numbers to look at: the least of each seller that makes up for the slowdown, then the asked one. */
    private List<Integer> counts(GpuModel model, BigDecimal slowdown) {
        int asked = request.gpu().count();
        List<Integer> counts = new ArrayList<>();
        if (request.substitution().scaleCount()) {
            int most = Math.min(MOST_TIMES * asked, Limits.MAX_GPUS);
            int enough = slowdown.multiply(BigDecimal.valueOf(asked))
                    .setScale(0, RoundingMode.CEILING)
                    .intValueExact();
            int least = Math.max(Math.min(enough, most), asked + 1);
            SortedSet<Integer> found = new TreeSet<>();
            sellers(model).forEach(sells -> first(least, most, sells).ifPresent(found::add));
            counts.addAll(found);
        }
        if (request.substitution().extendWindow()) {
            counts.add(asked);
        }
        return counts;
    }

    private static OptionalInt first(int least, int most, IntPredicate sells) {
        return IntStream.rangeClosed(least, most).filter(sells).findFirst();
    }

    /** Whether so many GPUs can be had, of each account and of each pool. */
    private List<IntPredicate> sellers(GpuModel model) {
        List<IntPredicate> sellers = new ArrayList<>();
        for (Snapshot.Answer answer : snapshot.answers()) {
            List<Integer> sold = answer.account().capabilities().shapes().stream()
                    .filter(shape -> shape.flavor().model().equals(model.id()))
                    .map(Shape::flavor)
                    .map(flavor -> flavor.gpusPerNode())
                    .toList();
            sellers.add(count -> keepsTogether(count)
                    && sold.stream().anyMatch(each -> rule(count).nodesOf(each).isPresent()));
        }
        for (PoolView pool : pools) {
            if (pool.model().equals(model.id()) || pool.model().equals(model.family())) {
                sellers.add(count -> keepsTogether(count) && fits(pool, count));
            }
        }
        return sellers;
    }

    private static boolean isPart(PoolView pool, int perNode) {
        return perNode <= pool.gpusPerNode();
    }

    /** On one machine any part of it; on several equal parts if the request says how many, else whole machines. */
    private boolean fits(PoolView pool, int count) {
        ShapeRule rule = rule(count);
        if (rule.nodes().isPresent()) {
            int nodes = rule.nodes().getAsInt();
            return count % nodes == 0 && isPart(pool, count / nodes) && nodes <= pool.nodes();
        }
        return rule.oneNode()
                ? isPart(pool, count)
                : count % pool.gpusPerNode() == 0 && count / pool.gpusPerNode() <= pool.nodes();
    }

    /** A link between GPUs that the request states reaches no further than one machine. */
    private boolean keepsTogether(int count) {
        boolean linked = request.constraints().interconnect() != null;
        return !linked || !ShapeRule.of(request).oneNode() || rule(count).oneNode();
    }

    private ShapeRule rule(int count) {
        return ShapeRule.of(new Stretch(
                        request.gpu().count(),
                        request.window().end(),
                        count,
                        request.window().end())
                .over(request));
    }

    /** Null where it would be too slow all the same, or longer than anybody may book. */
    private @Nullable Stretched stretched(Candidate candidate, Plan.StandIn standIn, int count) {
        int asked = request.gpu().count();
        BigDecimal ratio = standIn.expectedSlowdown()
                .multiply(BigDecimal.valueOf(asked))
                .divide(BigDecimal.valueOf(count), RATIO_PLACES, RoundingMode.CEILING)
                .max(BigDecimal.ONE.setScale(RATIO_PLACES));
        BigDecimal most = request.substitution().maxSlowdown();
        if (most != null && ratio.compareTo(most) > 0) {
            return null;
        }
        Instant end = request.substitution().extendWindow()
                ? later(ratio)
                : request.window().end();
        if (Duration.between(request.window().start(), end).compareTo(Limits.MAX_LENGTH) > 0) {
            return null;
        }
        Stretch stretch = new Stretch(asked, request.window().end(), count, end);
        Plan.StandIn taken =
                standIn.stretched(stretch, ratio, english(standIn, stretch, ratio), chinese(standIn, stretch, ratio));
        return new Stretched(new Candidate(candidate.model(), taken), stretch.over(request));
    }

    /** Whole hours, as windows have them. */
    private Instant later(BigDecimal ratio) {
        long hour = Duration.ofHours(1).toSeconds();
        long hours = BigDecimal.valueOf(request.window().length().toSeconds())
                .multiply(ratio)
                .divide(BigDecimal.valueOf(hour), 0, RoundingMode.CEILING)
                .longValueExact();
        return request.window().start().plus(Duration.ofHours(hours));
    }

    private String english(Plan.StandIn standIn, Stretch stretch, BigDecimal ratio) {
        String scaled = stretch.count() == stretch.askedCount()
                ? ""
                : ", with which the run time is about ×" + ratio.toPlainString() + " if the job scales with the GPUs";
        return standIn.reason() + " It takes " + stretch.english(request.timeZone()) + scaled + ".";
    }

    private String chinese(Plan.StandIn standIn, Stretch stretch, BigDecimal ratio) {
        String scaled = stretch.count() == stretch.askedCount() ? "" : "，若任务可随卡数扩展，运行时间约为 ×" + ratio.toPlainString();
        return Objects.requireNonNull(standIn.reasonZh()) + "将使用 " + stretch.chinese(request.timeZone()) + scaled + "。";
    }
}
