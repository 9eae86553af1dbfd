package dev.gpubroker.broker.planning;

import dev.gpubroker.adapter.spi.Flavor;
import java.util.Optional;

/** What is known of waits, best source first; empty when nothing is. A fixed picture, so that planning stays pure. */
@FunctionalInterface
public interface LeadTimes {
    Optional<LeadTime> of(String account, String region, Flavor flavor);
}
