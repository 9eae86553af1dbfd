/** The PostgreSQL under everything: started or found, brought to the current schema, reached through two pools. */
@NullMarked
package dev.gpubroker.broker.database;

import org.jspecify.annotations.NullMarked;
