package dev.gpubroker.broker.booking;

import static dev.gpubroker.broker.booking.PlanJson.JSON;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.request.RequestJson;
import dev.gpubroker.broker.stored.StoredJson;
import java.time.ZoneId;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A reservation in the shape of the contract; its times carry the offset of its request's zone. */
final class ReservationJson {
    private final Caps caps;

    ReservationJson(Caps caps) {
        this.caps = caps;
    }

    /** @param position in the line; shown only while it waits */
    ObjectNode of(Reservation r, int position) {
        ZoneId zone = r.request().timeZone();
        ObjectNode json = JSON.objectNode();
        json.put("id", r.id());
        json.put("state", r.state().wireName());
        ArrayNode health = json.putArray("health");
        r.health().stream().sorted().forEach(health::add);
        json.put("team", r.team());
        json.put("owner", r.owner());
        json.put("title", r.title());
        ObjectNode labels = json.putObject("labels");
        new TreeMap<>(r.labels()).forEach(labels::put);
        json.set("request", RequestJson.shown(r.request()));
        json.set("assignment", assignment(r, zone));
        json.set("substitution", substitution(r, zone));
        json.set("proposal", proposal(r, zone));
        json.set("quote", quote(r, zone));
        json.set("explanation", PlanJson.explanation(r.explanation()));
        json.set("blockers", blockers(r, zone));
        json.set("waitlist", waitlist(r, position));
        Reservation.NextAction next = r.next();
        json.set("nextAction", next == null ? JSON.nullNode() : next(r, next, zone));
        json.set("pendingChange", pending(r, zone));
        json.put("version", r.version());
        json.put("createdAt", RequestJson.time(r.createdAt(), zone));
        json.put("updatedAt", RequestJson.time(r.updatedAt(), zone));
        return json;
    }

    /** What leaves as news: all but the place in the line, which changes by itself, and why other candidates were left aside. */
    ObjectNode news(Reservation r) {
        ObjectNode json = of(r, 0);
        json.remove("waitlist");
        json.remove("explanation");
        return json;
    }

    private static JsonNode pending(Reservation r, ZoneId zone) {
        Reservation.PendingChange pending = r.pending();
        return pending == null
                ? JSON.nullNode()
                : JSON.objectNode()
                        .put("count", pending.count())
                        .put("requestedAt", RequestJson.time(pending.requestedAt(), zone));
    }

    private static ObjectNode next(Reservation r, Reservation.NextAction next, ZoneId zone) {
        ObjectNode json = PlanJson.action(next.what(), next.at(), zone);
        if (r.state() == ReservationState.QUEUED) {
            String at = RequestJson.time(next.at(), zone);
            boolean order = next.what().equals("order");
            json.put("detail", "scheduled, nothing bought yet, " + (order ? "ordered at " : "decision by ") + at);
            json.put("detailZh", order ? "已排期，尚未下单，将于 " + at + " 下单" : "已排期，尚未下单，最迟 " + at + " 决定");
        }
        return json;
    }

    private static JsonNode assignment(Reservation r, ZoneId zone) {
        Plan plan = r.plan();
        if (plan == null) {
            return JSON.nullNode();
        }
        ObjectNode json = PlanJson.place(plan, r.window(), zone);
        ArrayNode nodes = json.putArray("nodes");
        for (Reservation.AssignedNode node : r.nodes()) {
            ObjectNode item = nodes.addObject();
            item.put("id", node.id());
            item.put("name", node.name());
            ArrayNode gpus = item.putArray("gpus");
            IntStream.range(node.firstGpu(), node.firstGpu() + node.gpus()).forEach(gpus::add);
            if (node.platformRef() != null) {
                item.put("platformRef", node.platformRef());
            }
        }
        return json;
    }

    private static JsonNode substitution(Reservation r, ZoneId zone) {
        Reservation.Substituted standIn = r.standIn();
        return standIn == null ? JSON.nullNode() : PlanJson.substitution(standIn.standIn(), standIn.last(), zone);
    }

    private static JsonNode proposal(Reservation r, ZoneId zone) {
        Reservation.Proposal proposal = r.proposal();
        if (proposal == null) {
            return JSON.nullNode();
        }
        ObjectNode json = JSON.objectNode();
        json.put("kind", proposal.kind());
        json.put("detail", proposal.detail());
        json.put("detailZh", proposal.detailZh());
        json.set("quote", PlanJson.quote(proposal.quoteId(), proposal.plan(), r.window(), proposal.expiresAt(), zone));
        json.put("expiresAt", RequestJson.time(proposal.expiresAt(), zone));
        return json;
    }

    private JsonNode quote(Reservation r, ZoneId zone) {
        Reservation.AgreedQuote quote = r.quote();
        if (quote == null) {
            return JSON.nullNode();
        }
        ObjectNode json = JSON.objectNode();
        json.put("quoteId", quote.quoteId());
        PlanJson.costing(json, quote.plan().costing());
        PlanJson.dataAtEnd(json, quote.plan());
        json.put("simulated", quote.plan().simulated());
        json.put("agreedAt", RequestJson.time(quote.agreedAt(), zone));
        Optional<Money> cap = caps.of(quote.plan(), r.terms(), r.request().maxTotal());
        json.set("cap", cap.isPresent() ? PlanJson.money(cap.get()) : JSON.nullNode());
        return json;
    }

    private static ArrayNode blockers(Reservation r, ZoneId zone) {
        ArrayNode json = JSON.arrayNode();
        for (Reservation.Blocker blocker : r.blockers()) {
            ObjectNode item = json.addObject();
            item.put("what", blocker.what());
            item.put("fixBy", blocker.fixBy() == null ? null : RequestJson.time(blocker.fixBy(), zone));
            item.put("how", blocker.how());
            item.put("howZh", blocker.howZh());
        }
        return json;
    }

    /** Who has a plan that is in stock waits for a date, not for capacity. */
    private static JsonNode waitlist(Reservation r, int position) {
        boolean planned = r.plan() != null
                && r.plan().stock() != Plan.StockView.SOLD_OUT
                && r.plan().isExact();
        return r.state().isWaiting() && !planned
                ? JSON.objectNode().put("position", position).put("eta", "unknown")
                : JSON.nullNode();
    }

    static ObjectNode event(ReservationStore.Event event, ZoneId zone) {
        ObjectNode json = JSON.objectNode();
        json.put("id", Long.toString(event.id()));
        json.put("reservation", event.reservationId());
        json.put("at", RequestJson.time(event.at(), zone));
        json.put("who", event.who());
        json.put("what", event.what());
        json.set("before", tree(event.before()));
        json.set("after", tree(event.after()));
        json.put("why", event.why());
        if (event.whyZh() != null) {
            json.put("whyZh", event.whyZh());
        }
        return json;
    }

    private static JsonNode tree(@Nullable String text) {
        return text == null ? JSON.nullNode() : StoredJson.read(text, JsonNode.class);
    }
}
