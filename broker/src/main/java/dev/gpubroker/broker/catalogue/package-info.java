/** What is known of GPU models and platforms: names, aliases, specifications, certificates, each with source and date. */
@NullMarked
package dev.gpubroker.broker.catalogue;

import org.jspecify.annotations.NullMarked;
