/** What a person wants where a booking says nothing: keys, image, time zone. */
@NullMarked
package dev.gpubroker.broker.person;

import org.jspecify.annotations.NullMarked;
