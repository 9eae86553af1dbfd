/** Sells GPU time of 智星云 (AI Galaxy) to the broker: prepaid packs over its form API, which has no token and no SDK. */
@NullMarked
package dev.gpubroker.adapter.zhixingyun;

import org.jspecify.annotations.NullMarked;
