/** The crash test: several brokers under load, killed, frozen and cut off from their database; nothing may be lost or doubled. */
@NullMarked
package dev.gpubroker.verification.crash;

import org.jspecify.annotations.NullMarked;
