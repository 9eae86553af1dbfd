package dev.gpubroker.broker.availability;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Ask;
import dev.gpubroker.adapter.spi.Offer;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.Reason;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.adapter.spi.Stock;
import dev.gpubroker.adapter.spi.Term;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.booking.PlanJson;
import dev.gpubroker.broker.inventory.Snapshot;
import dev.gpubroker.broker.planning.LeadTime;
import dev.gpubroker.broker.planning.LeadTimes;
import dev.gpubroker.broker.planning.Plan.StockView;
import dev.gpubroker.broker.request.RequestJson;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The contract's Availability, made of a snapshot. Pure. */
final class AvailabilityJson {
    private final Snapshot snapshot;
    private final LeadTimes leadTimes;
    private final Instant now;
    private final ZoneId zone;

    AvailabilityJson(Snapshot snapshot, LeadTimes leadTimes, Instant now, ZoneId zone) {
        this.snapshot = snapshot;
        this.leadTimes = leadTimes;
        this.now = now;
        this.zone = zone;
    }

    /**
     * What is known of one SKU.
     *
     * @param freeNow machines, where the platform counts them
     */
    private record Item(
            @Nullable Integer freeNow,
            StockView stock,
            @Nullable Window earliest,
            LeadTime leadTime) {}

    ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode items = json.putArray("items");
        ArrayNode silent = json.putArray("silent");
        for (Snapshot.Answer answer : snapshot.answers()) {
            Offers offers = answer.offers();
            if (offers != null) {
                answer.asked()
                        .forEach(ask -> shapes(answer, ask)
                                .forEach(shape -> items.add(item(answer, shape, ofShape(answer, shape, ask, offers)))));
            }
            Reason silence = answer.silence();
            if (silence != null) {
                silent.addObject()
                        .put("platform", answer.account().platform())
                        .put("account", answer.account().id())
                        .put("reason", silence.wireName())
                        .put("detail", answer.silenceDetail());
            }
        }
        return json;
    }

    private static List<Shape> shapes(Snapshot.Answer answer, Ask ask) {
        return answer.account().capabilities().shapes().stream()
                .filter(shape -> shape.flavor().equals(ask.flavor()))
                .filter(shape -> shape.regions().isEmpty() || shape.regions().contains(answer.region()))
                .toList();
    }

    private Item ofShape(Snapshot.Answer answer, Shape shape, Ask ask, Offers offers) {
        List<Offer> found = offers.available().stream()
                .filter(offer -> offer.sku().equals(shape.sku()))
                .toList();
        Integer free = free(found);
        // All machines of one reservation are of one zone, so no zone may be too small.
        List<Offer> enough = found.stream()
                .filter(offer -> offer.stock().allows(ask.nodes()))
                .toList();
        Optional<Offer> sold = enough.stream()
                .filter(offer -> offer.stock().level() != Stock.Level.UNKNOWN)
                .min(Comparator.comparing((Offer offer) -> start(offer))
                        .thenComparing(offer -> offer.stock().level()));
        if (sold.isPresent()) {
            return ofOffer(sold.get(), free);
        }
        if (!enough.isEmpty()) {
            return new Item(null, StockView.UNKNOWN, null, lead(answer, shape, null));
        }
        Optional<Offers.Missing> stated = offers.missing().stream()
                .filter(missing -> missing.sku().equals(shape.sku()))
                .findFirst();
        boolean soldOut =
                stated.map(missing -> missing.reason() == Reason.SOLD_OUT).orElse(true);
        LeadTime lead = lead(answer, shape, stated.map(Offers.Missing::backIn).orElse(null));
        return soldOut
                ? new Item(free == null ? Integer.valueOf(0) : free, StockView.SOLD_OUT, null, lead)
                : new Item(null, StockView.UNKNOWN, null, lead);
    }

    /** Machines over all zones; null where the platform does not count, or sells windows rather than today's stock. */
    private static @Nullable Integer free(List<Offer> offers) {
        int free = 0;
        for (Offer offer : offers) {
            Integer nodes = offer.stock().nodes();
            if (nodes == null || offer.term() == Term.FORWARD) {
                return null;
            }
            free += nodes;
        }
        return offers.isEmpty() ? null : free;
    }

    private Instant start(Offer offer) {
        Window sold = offer.window();
        return sold == null ? snapshot.window().start() : sold.start();
    }

    private Item ofOffer(Offer offer, @Nullable Integer free) {
        StockView stock = offer.stock().level() == Stock.Level.SCARCE ? StockView.SCARCE : StockView.KNOWN;
        Window sold = offer.window();
        if (sold == null) {
            return new Item(free, stock, snapshot.window(), LeadTime.none());
        }
        Instant end = offer.usableEnd() == null ? sold.end() : offer.usableEnd();
        Duration wait = now.isBefore(sold.start()) ? Duration.between(now, sold.start()) : Duration.ZERO;
        return new Item(
                free,
                stock,
                new Window(sold.start(), end),
                new LeadTime(wait, wait, LeadTime.Source.PLATFORM, null, "the platform sells this window"));
    }

    private LeadTime lead(Snapshot.Answer answer, Shape shape, @Nullable Duration backIn) {
        if (backIn != null) {
            return new LeadTime(backIn, backIn, LeadTime.Source.PLATFORM, null, "stated by the platform");
        }
        return leadTimes
                .of(answer.account().id(), answer.region(), shape.flavor())
                .orElseGet(LeadTime::assumed);
    }

    private ObjectNode item(Snapshot.Answer answer, Shape shape, Item item) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("platform", answer.account().platform());
        json.put("account", answer.account().id());
        json.put("region", answer.region());
        json.put("model", shape.flavor().model());
        json.put("sku", shape.sku());
        json.put("gpusPerNode", shape.flavor().gpusPerNode());
        json.put("freeNow", item.freeNow());
        json.put("stock", item.stock().wireName());
        Window earliest = item.earliest();
        if (earliest == null) {
            json.putNull("earliest");
        } else {
            json.putObject("earliest")
                    .put("start", RequestJson.time(earliest.start(), zone))
                    .put("end", RequestJson.time(earliest.end(), zone));
        }
        ObjectNode lead = PlanJson.leadTime(item.leadTime());
        if (item.leadTime().source() == LeadTime.Source.PLATFORM) {
            lead.put("asOf", RequestJson.time(answer.asOf(), zone));
        }
        json.set("leadTime", lead);
        json.put("asOf", RequestJson.time(answer.asOf(), zone));
        json.put("ageSeconds", Math.max(0, Duration.between(answer.asOf(), now).toSeconds()));
        return json;
    }
}
