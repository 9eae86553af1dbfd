package dev.gpubroker.broker.trigger;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * One start of a pipeline for one reservation.
 *
 * @param run the same on every try, so that the target can tell a repeat
 * @param reservation as the API shows it
 */
record Firing(String run, String reservation, JsonNode state) {}
