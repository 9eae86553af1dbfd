package dev.gpubroker.broker.substitution;

import dev.gpubroker.broker.catalogue.GpuModel;
import java.util.Locale;

/** Whether a model is built as a request states. */
final class Hardware {
    private Hardware() {}

    /** A consumer card is a PCIe card; an NVL card is asked for by its own name. */
    static boolean satisfiesFormFactor(GpuModel model, String asked) {
        String wanted = asked.toLowerCase(Locale.ROOT);
        return wanted.equals(model.formFactor())
                || (wanted.equals("pcie") && model.formFactor().equals("consumer"));
    }

    /** Whoever needs no more than PCIe between the GPUs is also served by NVLink; a bridge between two is not NVLink for all. */
    static boolean satisfiesInterconnect(GpuModel model, String asked) {
        String wanted = asked.toLowerCase(Locale.ROOT);
        return wanted.equals(model.interconnect())
                || (wanted.equals("pcie") && model.interconnect().startsWith("nvlink"));
    }
}
