package dev.gpubroker.adapter.spi;

/**
 * Our neutral shape of one machine: an exact model of the catalogue, such as {@code A100-SXM4-80GB}, and how many of it
 * sit in the machine (1 to 16).
 */
public record Flavor(String model, int gpusPerNode) {
    public Flavor {
        if (model.isBlank() || gpusPerNode < 1 || gpusPerNode > 128) {
            throw new IllegalArgumentException("no such flavor: " + gpusPerNode + "×" + model);
        }
    }

    @Override
    public String toString() {
        return gpusPerNode + "×" + model;
    }
}
