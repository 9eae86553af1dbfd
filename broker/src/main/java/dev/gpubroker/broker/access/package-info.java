/** Whether machines that run can be used, and how people and jobs log in to them. */
@NullMarked
package dev.gpubroker.broker.access;

import org.jspecify.annotations.NullMarked;
