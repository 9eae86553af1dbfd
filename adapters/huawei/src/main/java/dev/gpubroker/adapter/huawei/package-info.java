/** Sells GPU time of Huawei Cloud: Ascend by ModelArts pools, NVIDIA cards by ECS, prices from BSS. */
@NullMarked
package dev.gpubroker.adapter.huawei;

import org.jspecify.annotations.NullMarked;
