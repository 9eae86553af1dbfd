package dev.gpubroker.broker.catalogue;

import dev.gpubroker.adapter.spi.RefundTerms;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a platform besides its API: certificates, refund rules, fees, support, claims about its compute. All of
 * it claims with a source, none of it measured by us; our own measurements go before it.
 *
 * @param id the adapter's id
 * @param country of its seller, ISO 3166 in two letters; null for own capacity
 * @param dataPlace where data lies, ISO 3166; null if that depends on the region or the operator
 * @param customerTypes who may buy: {@code personal}, {@code company}
 * @param links by topic: {@code home}, {@code gpu}, {@code compliance}
 * @param support null if nothing is known
 */
public record PlatformProfile(
        String id,
        String name,
        String nameZh,
        @Nullable String country,
        @Nullable String dataPlace,
        List<String> customerTypes,
        Map<String, String> links,
        @Nullable String notes,
        List<Certificate> certificates,
        List<Refund> refunds,
        List<Fee> fees,
        @Nullable Support support,
        List<ComputeClaim> compute) {
    public PlatformProfile {
        customerTypes = List.copyOf(customerTypes);
        links = Map.copyOf(links);
        certificates = List.copyOf(certificates);
        refunds = List.copyOf(refunds);
        fees = List.copyOf(fees);
        compute = List.copyOf(compute);
    }

    /** Where nothing is known of who may buy, everybody may. */
    public boolean sellsTo(String customerType) {
        return customerTypes.isEmpty() || customerTypes.contains(customerType);
    }

    /**
     * A certificate that a platform is said to hold.
     *
     * @param id {@code cn-mlps-3}, {@code iso-27001}
     * @param holder who is said to hold it
     * @param validUntil the last day on which it counts; null if not known
     */
    public record Certificate(
            String id, String holder, @Nullable LocalDate validUntil, Provenance provenance) {
        public boolean countsOn(LocalDate day) {
            return validUntil == null || !day.isAfter(validUntil);
        }
    }

    /**
     * What comes back under one way of billing.
     *
     * @param billing what it applies to: {@code pay_as_you_go}, {@code subscription}, {@code prepaid} …
     * @param feePercent of the refunded part; null if there is one that we do not know
     */
    public record Refund(
            String billing,
            RefundTerms.Rule rule,
            @Nullable BigDecimal feePercent,
            String text,
            Provenance provenance) {}

    /**
     * A charge that is easily overlooked.
     *
     * @param kind a quote line's kind in lower case
     * @param amount plain decimal per unit; null if not known
     */
    public record Fee(
            String kind,
            String text,
            @Nullable BigDecimal amount,
            @Nullable String currency,
            @Nullable String unit,
            Provenance provenance) {}

    /**
     * How soon people help.
     *
     * @param answer until somebody answers
     * @param repair until a fault is repaired
     */
    public record Support(
            @Nullable Duration answer,
            @Nullable Duration repair,
            @Nullable Boolean roundTheClock,
            @Nullable String text,
            Provenance provenance) {}

    /**
     * What is said of the compute that renters really get.
     *
     * @param nodeGpus GPUs of one machine that the claim is about
     * @param swingPercent how much throughput is said to swing
     * @param belowNominalPercent how far below nominal it is said to be
     */
    public record ComputeClaim(
            String model,
            @Nullable Integer nodeGpus,
            @Nullable BigDecimal swingPercent,
            @Nullable BigDecimal belowNominalPercent,
            @Nullable String text,
            Provenance provenance) {}
}
