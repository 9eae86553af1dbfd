package dev.gpubroker.simulator;

import java.math.BigDecimal;

/**
 * One thing that the simulated platform sells.
 *
 * @param sku the platform's name of it
 * @param model exact id in the broker's catalogue, such as {@code A100-SXM4-80GB}
 * @param family what the control calls all variants of it together, such as {@code A100}
 * @param gpus in one machine
 * @param hourly price of one machine for an hour at first start; a decimal, in the platform's currency
 * @param nodes machines in stock at first start
 */
public record SimSku(String sku, String model, String family, int gpus, BigDecimal hourly, int nodes) {
    public static SimSku of(String sku, String model, String family, int gpus, String hourly, int nodes) {
        return new SimSku(sku, model, family, gpus, new BigDecimal(hourly), nodes);
    }

    boolean isCalled(String name) {
        return model.equalsIgnoreCase(name) || family.equalsIgnoreCase(name);
    }
}
