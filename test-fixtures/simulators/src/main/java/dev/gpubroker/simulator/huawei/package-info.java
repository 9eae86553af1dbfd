/** A simulated Huawei Cloud: ECS servers, ModelArts pools and BSS prices over their real wire formats. */
@NullMarked
package dev.gpubroker.simulator.huawei;

import org.jspecify.annotations.NullMarked;
