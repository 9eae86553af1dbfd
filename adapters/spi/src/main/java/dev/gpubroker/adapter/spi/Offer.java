package dev.gpubroker.adapter.spi;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A platform's statement that a SKU can be had; never anything else.
 *
 * @param id the platform's own offering id where it has one (AWS {@code cb-…}), else a name made of region, zone and SKU
 * @param zone null where the platform has none
 * @param window for {@link Term#FORWARD} the window that is sold, which may be wider than the one asked; else null
 * @param usableEnd the instant the machines are taken away, if that is before the window's end; else null
 * @param attributes what the adapter wants back with the claim (zone networks, image, billing code); never a secret
 */
public record Offer(
        String id,
        String sku,
        Flavor flavor,
        String region,
        @Nullable String zone,
        Term term,
        Stock stock,
        @Nullable Window window,
        @Nullable Instant usableEnd,
        Map<String, String> attributes) {
    public Offer {
        requireNonNull(id, "id");
        requireNonNull(term, "term");
        if ((term == Term.FORWARD) != (window != null)) {
            throw new IllegalArgumentException("a forward offer, and no other, states its window: " + id);
        }
        attributes = Map.copyOf(attributes);
    }

    /** An offer from today's stock. */
    public static Offer now(String sku, Flavor flavor, String region, @Nullable String zone, Stock stock) {
        String id = zone == null ? region + "/" + sku : region + "/" + zone + "/" + sku;
        return new Offer(id, sku, flavor, region, zone, Term.NOW, stock, null, null, Map.of());
    }

    public Offer with(Map<String, String> more) {
        return new Offer(id, sku, flavor, region, zone, term, stock, window, usableEnd, more);
    }
}
