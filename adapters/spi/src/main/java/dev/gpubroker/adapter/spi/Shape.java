package dev.gpubroker.adapter.spi;

import java.util.Set;

/**
 * A shape that the platform is known to sell, from its price list and not from today's stock.
 *
 * @param sku the platform's own name for it
 * @param memoryGb nominal memory of one GPU, in GB as the vendor counts them
 * @param interconnect how the GPUs of one machine are joined: {@code nvlink}, {@code pcie}, {@code hccs}, {@code none}
 * @param regions where it is sold; empty means every region of the account
 */
public record Shape(String sku, Flavor flavor, int memoryGb, String interconnect, Set<String> regions) {
    public Shape {
        regions = Set.copyOf(regions);
    }
}
