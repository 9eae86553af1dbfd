package dev.gpubroker.broker.catalogue;

import java.math.BigDecimal;
import java.util.Locale;

/**
 * A peak figure of one GPU, with its terms, so that like is only ever compared with like.
 *
 * @param precision {@code bf16}, {@code fp16}, {@code fp32}, or {@code unstated} where the source does not say
 * @param tflops in 10¹² operations a second
 * @param how which units, and how they accumulate: {@code tensor, FP32 accumulate}
 */
public record ComputeFigure(String precision, BigDecimal tflops, String how, Sparsity sparsity, Provenance provenance) {
    public ComputeFigure {
        if (tflops.signum() <= 0) {
            throw new IllegalArgumentException("a compute figure is above 0: " + tflops);
        }
    }

    /** Whether it is dense 16-bit arithmetic, the common ground on which models are compared. */
    public boolean isDenseHalf() {
        return sparsity == Sparsity.DENSE && (precision.equals("bf16") || precision.equals("fp16"));
    }

    /** Structured sparsity doubles a figure on paper. The wire name is the constant in lower case. */
    public enum Sparsity {
        DENSE,
        SPARSE,
        UNSTATED;

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
