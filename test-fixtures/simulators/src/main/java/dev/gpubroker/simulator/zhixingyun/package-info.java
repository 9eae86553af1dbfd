/** 智星云 (AI Galaxy) as far as the broker can see it: its form calls, its MD5 signature, its prepaid machines. */
@NullMarked
package dev.gpubroker.simulator.zhixingyun;

import org.jspecify.annotations.NullMarked;
