/** The tests that every platform's adapter passes against its simulator, and what they stand on. */
@NullMarked
package dev.gpubroker.adapter.contract;

import org.jspecify.annotations.NullMarked;
