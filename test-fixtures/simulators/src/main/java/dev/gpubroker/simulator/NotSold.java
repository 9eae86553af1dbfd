package dev.gpubroker.simulator;

import java.util.List;

/** A simulated platform was told of a model or a shape that it does not sell. */
public final class NotSold extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String detailZh;

    private NotSold(String detail, String detailZh) {
        super(detail);
        this.detailZh = detailZh;
    }

    static NotSold model(String platform, String model, List<String> sold) {
        return new NotSold(
                platform + " does not sell " + model + "; it sells " + String.join(", ", sold),
                platform + " 不提供 " + model + "；提供的有 " + String.join("、", sold));
    }

    static NotSold shape(String platform, String model, int gpusPerNode, List<String> sold) {
        return new NotSold(
                platform + " does not sell " + model + " with " + gpusPerNode + " GPUs a machine; it sells "
                        + String.join(", ", sold),
                platform + " 不提供每台 " + gpusPerNode + " 卡的 " + model + "；提供的有 " + String.join("、", sold));
    }

    /** What the message says, in Chinese. */
    String detailZh() {
        return detailZh;
    }
}
