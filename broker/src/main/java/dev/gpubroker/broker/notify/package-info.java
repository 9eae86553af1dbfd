/** News for people: e-mail. */
@NullMarked
package dev.gpubroker.broker.notify;

import org.jspecify.annotations.NullMarked;
