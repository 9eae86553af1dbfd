package dev.gpubroker.broker.inventory;

import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.Term;
import dev.gpubroker.adapter.spi.Window;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which prices are worth a call, most wanted first. Pure. */
final class PriceChoice {
    /**
     * Calls for one answer. At the usual five calls a second, with a second's wait for a turn, about ten go out in time; more
     * would only be refused.
     */
    static final int MOST = 12;

    private final List<Ask> asks;
    private final Capabilities platform;
    private final String region;
    private final Window window;

    /** One call: what so many machines of an offer cost over a window. */
    record Target(Offer offer, int nodes, Window window) {}

    /**
     * @param asks in the caller's order of preference
     * @param window as asked
     * @param now a window that has begun is priced for its whole length from now on
     */
    PriceChoice(List<Ask> asks, Capabilities platform, String region, Window window, Instant now) {
        this.asks = asks;
        this.platform = platform;
        this.region = region;
        this.window = window.start().isBefore(now) ? Window.of(now, window.length()) : window;
    }

    /**
     * One offer of each SKU in the order of the asks, then what is sold out, then further zones and windows of the SKUs.
     *
     * @param soldOut whether to price also what is asked for and sold out, where stock of today is sold
     */
    List<Target> of(Offers offers, boolean soldOut) {
        Map<String, Target> first = new LinkedHashMap<>();
        List<Target> waits = new ArrayList<>();
        Map<String, Target> further = new LinkedHashMap<>();
        for (Ask ask : asks) {
            Set<String> seen = new HashSet<>();
            for (Offer offer : offers.available()) {
                if (offer.flavor().equals(ask.flavor()) && offer.stock().allows(ask.nodes()) && isSoldSoLong(offer)) {
                    Map<String, Target> into = seen.add(offer.sku()) ? first : further;
                    into.putIfAbsent(offer.id(), target(offer, ask));
                }
            }
            if (soldOut && platform.sellsNow()) {
                shapes(ask).stream()
                        .filter(shape -> !seen.contains(shape.sku()) && isSoldOut(shape, offers))
                        .map(shape -> Offer.now(shape.sku(), shape.flavor(), region, null, Stock.unknown()))
                        .filter(this::isSoldSoLong)
                        .forEach(wait -> waits.add(target(wait, ask)));
            }
        }
        Map<String, Target> all = new LinkedHashMap<>(first);
        waits.forEach(wait -> all.putIfAbsent(wait.offer().id(), wait));
        further.forEach(all::putIfAbsent);
        return all.values().stream().limit(MOST).toList();
    }

    private Target target(Offer offer, Ask ask) {
        Window sold = offer.window();
        return new Target(offer, ask.nodes(), sold == null ? window : sold);
    }

    /** A term that is not sold has no price. */
    private boolean isSoldSoLong(Offer offer) {
        return offer.term() == Term.FORWARD
                || platform.maxTerm() == null
                || window.length().compareTo(platform.maxTerm()) <= 0;
    }

    private List<Shape> shapes(Ask ask) {
        return soldIn(platform, region).stream()
                .filter(shape -> shape.flavor().equals(ask.flavor()))
                .toList();
    }

    private static boolean isSoldOut(Shape shape, Offers offers) {
        @Nullable
        Reason stated = offers.missing().stream()
                .filter(missing -> missing.sku().equals(shape.sku()))
                .map(Offers.Missing::reason)
                .findFirst()
                .orElse(null);
        return stated == null || stated == Reason.SOLD_OUT;
    }

    /** The shapes that a platform is known to sell in a region. */
    static List<Shape> soldIn(Capabilities platform, String region) {
        return platform.shapes().stream()
                .filter(shape -> shape.regions().isEmpty() || shape.regions().contains(region))
                .toList();
    }
}
