/** Benchmarks of the whole broker as a process on a PostgreSQL of its own; each checks that what was measured was also right. */
@NullMarked
package dev.gpubroker.verification.bench;

import org.jspecify.annotations.NullMarked;
