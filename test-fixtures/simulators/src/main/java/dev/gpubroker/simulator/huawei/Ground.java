package dev.gpubroker.simulator.huawei;

import dev.gpubroker.simulator.SimInstance;
import dev.gpubroker.simulator.SimSku;
import dev.gpubroker.simulator.SimTable;

/** What the desks of the services stand on: one stock, one list of prices, one list of machines. */
interface Ground {
    SimTable<SimInstance> machines();

    int free(String sku);

    /** Negative puts back. */
    void take(String sku, int nodes);

    String hourly(SimSku sku);
}
