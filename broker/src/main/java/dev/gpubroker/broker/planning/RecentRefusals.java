package dev.gpubroker.broker.planning;

import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Reason;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What platforms refused a short while ago although they listed it. Stock that was refused is passed over for some minutes;
 * a quota or a balance is the account's in that region, whatever the zone says of stock, and for longer.
 */
public record RecentRefusals(List<Refusal> refusals) {
    public RecentRefusals {
        refusals = List.copyOf(refusals);
    }

    public static RecentRefusals none() {
        return new RecentRefusals(List.of());
    }

    /** @param until when it may be tried again */
    public record Refusal(
            String account,
            String region,
            @Nullable String zone,
            String sku,
            Reason reason,
            Instant refusedAt,
            Instant until) {
        private boolean isAbout(String asked, Offer offer) {
            boolean same = account.equals(asked) && region.equals(offer.region()) && sku.equals(offer.sku());
            return same
                    && (reason != Reason.SOLD_OUT || zone == null || offer.zone() == null || zone.equals(offer.zone()));
        }
    }

    /** Of an offer that would be bought at {@code at}; empty if nothing speaks against trying it then. */
    Optional<Refusal> of(String account, Offer offer, Instant at) {
        return refusals.stream()
                .filter(each -> each.isAbout(account, offer) && at.isBefore(each.until()))
                .findFirst();
    }

    /** Reads them. */
    @FunctionalInterface
    public interface Source {
        Future<RecentRefusals> read(Instant now);
    }
}
