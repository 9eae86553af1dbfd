package dev.gpubroker.broker.planning;

import dev.gpubroker.broker.catalogue.GpuModel;
import org.jspecify.annotations.Nullable;

/** A model that may serve the request: one that was asked for, or a stand-in. */
public record Candidate(GpuModel model, Plan.@Nullable StandIn standIn) {
    public boolean isExact() {
        return standIn == null;
    }
}
