/** Amazon EC2 Capacity Blocks: windows bought ahead, and the machines launched into them. */
@NullMarked
package dev.gpubroker.adapter.aws;

import org.jspecify.annotations.NullMarked;
