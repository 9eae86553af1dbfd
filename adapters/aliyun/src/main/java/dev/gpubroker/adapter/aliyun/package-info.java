/** Alibaba Cloud ECS as a seller of GPU time: pay-as-you-go instances taken from today's stock. */
@NullMarked
package dev.gpubroker.adapter.aliyun;

import org.jspecify.annotations.NullMarked;
