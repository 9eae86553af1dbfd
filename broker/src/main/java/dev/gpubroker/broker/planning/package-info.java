/** From offers to plans: which acquisition, how sure, in which order, and why the rest was left aside. Pure. */
@NullMarked
package dev.gpubroker.broker.planning;

import org.jspecify.annotations.NullMarked;
