/** A simulated Alibaba Cloud: ECS and the balance of billing, over their wire format. */
@NullMarked
package dev.gpubroker.simulator.aliyun;

import org.jspecify.annotations.NullMarked;
