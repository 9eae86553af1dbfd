/** What a caller asks for: phrases read with a grammar, requests checked and normalised. Pure; calls no platform and no database. */
@NullMarked
package dev.gpubroker.broker.request;

import org.jspecify.annotations.NullMarked;
