/** What the broker asks of a platform, and the values both speak; depends on the JDK alone. */
@NullMarked
package dev.gpubroker.adapter.spi;

import org.jspecify.annotations.NullMarked;
