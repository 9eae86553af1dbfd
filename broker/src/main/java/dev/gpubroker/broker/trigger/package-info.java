/** Pipelines that are started when a reservation comes into a state: GitHub, GitLab, Jenkins, or any address. */
@NullMarked
package dev.gpubroker.broker.trigger;

import org.jspecify.annotations.NullMarked;
