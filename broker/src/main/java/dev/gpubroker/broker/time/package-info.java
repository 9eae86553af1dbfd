/** The two times: business time, which all brokers share and a demo may move, and wall time, which is the machine's. */
@NullMarked
package dev.gpubroker.broker.time;

import org.jspecify.annotations.NullMarked;
