/** Reservations over time, for the page and for calendars. */
@NullMarked
package dev.gpubroker.broker.calendar;

import org.jspecify.annotations.NullMarked;
