/** News for people and programs outside: a webhook and e-mail. */
@NullMarked
package dev.gpubroker.broker.notify;

import org.jspecify.annotations.NullMarked;
