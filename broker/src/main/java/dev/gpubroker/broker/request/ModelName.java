package dev.gpubroker.broker.request;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a GPU name stands for.
 *
 * @param canonical the one spelling that requests carry: a family ({@code A100}) or an exact id ({@code A100-SXM4-80GB})
 * @param exact whether it names one variant
 * @param choices the variants a caller must choose between because their memory differs and no choice is the usual one
 *     (910B: 32 or 64 GB); empty where it may stay open, as for A100, whose quotes each state their memory
 * @param memoryGb said by a name that leaves several variants ({@code A100 80GB}), else null
 * @param formFactor said by a name that leaves several variants ({@code H100 SXM}), else null
 */
public record ModelName(
        String canonical,
        boolean exact,
        List<VariantMemory> choices,
        @Nullable Integer memoryGb,
        @Nullable String formFactor) {
    public ModelName {
        choices = List.copyOf(choices);
    }

    /** A name that says nothing but its model. */
    public ModelName(String canonical, boolean exact, List<VariantMemory> choices) {
        this(canonical, exact, choices, null, null);
    }

    /** A name that leaves nothing to ask. */
    public static ModelName of(String canonical, boolean exact) {
        return new ModelName(canonical, exact, List.of());
    }
}
