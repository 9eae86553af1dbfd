package dev.gpubroker.broker.substitution;

import dev.gpubroker.broker.catalogue.GpuModel;
import dev.gpubroker.broker.catalogue.Provenance;
import dev.gpubroker.broker.catalogue.SubstitutionFacts.Basis;
import java.math.BigDecimal;
import java.util.Locale;

/**
 * A model that may stand in, with the same number of GPUs.
 *
 * @param expectedSlowdown run-time ratio: 1.30 = 30 % longer
 * @param reason why it is offered and what it means, in English; {@code reasonZh} the same in Chinese
 * @param actsAs whether it may be taken without asking; never {@code AUTO} unless the request says so
 * @param provenance where the ratio comes from
 */
public record StandIn(
        GpuModel model,
        BigDecimal expectedSlowdown,
        Basis basis,
        String reason,
        String reasonZh,
        ActsAs actsAs,
        Provenance provenance) {

    /** The wire name is the constant in lower case. */
    public enum ActsAs {
        /** Its owner is asked first. */
        ASK,
        /** It is taken when the asked model cannot be had. */
        AUTO;

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
