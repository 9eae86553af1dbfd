package dev.gpubroker.adapter.spi;

/** So many machines of one flavor. */
public record Ask(Flavor flavor, int nodes) {
    public Ask {
        if (nodes < 1) {
            throw new IllegalArgumentException("nodes must be at least 1: " + nodes);
        }
    }

    public int gpus() {
        return nodes * flavor.gpusPerNode();
    }
}
