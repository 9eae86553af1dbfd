/** What every check of the whole broker needs: its API, the simulators' control, processes, a PostgreSQL for several brokers. */
@NullMarked
package dev.gpubroker.verification.lab;

import org.jspecify.annotations.NullMarked;
