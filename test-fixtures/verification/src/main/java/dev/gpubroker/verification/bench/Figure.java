package dev.gpubroker.verification.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One measured quantity over several runs.
 *
 * @param benchmark such as {@code book}; {@code name} such as {@code p99-at-200}
 * @param values one a run, at least one
 * @param baseline what the same run measured without the broker; null where there is nothing to compare with
 * @param note what a reader must know to read it rightly; null if nothing
 */
record Figure(
        String benchmark,
        String name,
        String unit,
        List<Double> values,
        @Nullable Target target,
        @Nullable Double baseline,
        @Nullable String note) {
    /** Three digits are more than a shared machine can tell apart. */
    private static final MathContext SHOWN = new MathContext(3);

    Figure {
        values = List.copyOf(values);
        if (values.isEmpty()) {
            throw new IllegalArgumentException("a figure needs a run: " + benchmark + " " + name);
        }
    }

    static Figure of(String benchmark, String name, String unit, List<Double> values) {
        return new Figure(benchmark, name, unit, values, null, null, null);
    }

    static Figure of(String benchmark, String name, String unit, double value) {
        return of(benchmark, name, unit, List.of(value));
    }

    Figure atMost(double bound) {
        return new Figure(benchmark, name, unit, values, new Target("<=", bound), baseline, note);
    }

    Figure atLeast(double bound) {
        return new Figure(benchmark, name, unit, values, new Target(">=", bound), baseline, note);
    }

    Figure against(double measured) {
        return new Figure(benchmark, name, unit, values, target, measured, note);
    }

    Figure saying(String text) {
        return new Figure(benchmark, name, unit, values, target, baseline, text);
    }

    /** What the median shall be. */
    record Target(String comparison, double bound) {
        boolean isMet(double median) {
            return comparison.equals("<=") ? median <= bound : median >= bound;
        }
    }

    double median() {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    /** One line, as it is printed. */
    ObjectNode json() {
        double[] all = values.stream().mapToDouble(Double::doubleValue).toArray();
        ObjectNode line = Api.JSON
                .createObjectNode()
                .put("name", benchmark)
                .put("figure", name)
                .put("unit", unit)
                .put("median", shown(median()))
                .put("min", shown(Arrays.stream(all).min().orElseThrow()))
                .put("max", shown(Arrays.stream(all).max().orElseThrow()))
                .put("runs", all.length);
        if (target != null) {
            line.put("target", target.comparison() + " " + shown(target.bound()).toPlainString());
            line.put("ok", target.isMet(median()));
        }
        if (baseline != null) {
            line.put("baseline", shown(baseline));
        }
        if (note != null) {
            line.put("note", note);
        }
        return line.put("machine", Runtime.getRuntime().availableProcessors() + " cores")
                .put("load", shown(Machine.load()));
    }

    private static BigDecimal shown(double value) {
        BigDecimal rounded = BigDecimal.valueOf(value).round(SHOWN);
        return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
    }
}
