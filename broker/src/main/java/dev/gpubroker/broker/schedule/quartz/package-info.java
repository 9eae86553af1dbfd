/** Wake-ups through Quartz: they say only "look now"; what is due, the database knows. */
@NullMarked
package dev.gpubroker.broker.schedule.quartz;

import org.jspecify.annotations.NullMarked;
