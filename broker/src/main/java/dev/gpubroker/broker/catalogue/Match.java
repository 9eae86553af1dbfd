package dev.gpubroker.broker.catalogue;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a name means: one exact model, or a family whose variant is open.
 *
 * @param canonical an exact id where one variant is left, else the family
 * @param variants the models it may be, in catalogue order; never empty
 * @param memoryGb stated in the name ({@code A100 80GB}) while several variants are left; else null
 * @param formFactor stated in the name ({@code A100 SXM}) while several variants are left; else null
 * @param sizesMatter whether the family's sizes differ so much in use that an open size is worth a question
 */
public record Match(
        String canonical,
        List<GpuModel> variants,
        @Nullable Integer memoryGb,
        @Nullable String formFactor,
        boolean sizesMatter) {
    public Match {
        variants = List.copyOf(variants);
        if (variants.isEmpty()) {
            throw new IllegalArgumentException("a match has variants: " + canonical);
        }
    }

    public boolean isExact() {
        return variants.size() == 1;
    }

    /** Nominal sizes that are left, ascending, each once. */
    public List<Integer> memorySizes() {
        return variants.stream().map(GpuModel::memoryGb).distinct().sorted().toList();
    }

    /** Whether more than one memory size is left; every offer then has to state its own. */
    public boolean memoryOpen() {
        return memorySizes().size() > 1;
    }

    /** Whether a reader should ask for the size rather than take any: open, and of a family where it matters (910B). */
    public boolean askMemory() {
        return sizesMatter && memoryOpen();
    }
}
