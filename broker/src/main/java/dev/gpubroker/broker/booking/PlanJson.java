package dev.gpubroker.broker.booking;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.RefundTerms;
import dev.gpubroker.adapter.spi.Window;
import dev.gpubroker.broker.planning.LeadTime;
import dev.gpubroker.broker.planning.Plan;
import dev.gpubroker.broker.planning.ReasonChinese;
import dev.gpubroker.broker.planning.Rejection;
import dev.gpubroker.broker.planning.Stretch;
import dev.gpubroker.broker.quote.Costing;
import dev.gpubroker.broker.quote.QuoteLine;
import dev.gpubroker.broker.request.RequestJson;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;

/** Plans, quotes and reasons in the shapes of the contract. */
public final class PlanJson {
    static final JsonNodeFactory JSON = JsonNodeFactory.withExactBigDecimals(true);

    private PlanJson() {}

    /** The contract's Quote. */
    public static ObjectNode quote(String quoteId, Plan plan, Window asked, Instant expiresAt, ZoneId zone) {
        ObjectNode json = JSON.objectNode();
        json.put("quoteId", quoteId);
        json.set("plan", plan(plan, asked, zone));
        costing(json, plan.costing());
        dataAtEnd(json, plan);
        json.put("simulated", plan.simulated());
        json.put("expiresAt", RequestJson.time(expiresAt, zone));
        return json;
    }

    private static ObjectNode plan(Plan plan, Window asked, ZoneId zone) {
        ObjectNode json = place(plan, asked, zone);
        ArrayNode actions = json.putArray("actions");
        plan.actions().forEach(action -> actions.add(action(action.what(), action.at(), zone)));
        json.set("leadTime", leadTime(plan.leadTime()));
        json.put("stock", plan.stock().wireName());
        Plan.StandIn standIn = plan.substitution();
        json.set("substitution", standIn == null ? JSON.nullNode() : substitution(standIn, false, zone));
        json.put("ifItFails", plan.ifItFails());
        json.put("ifItFailsZh", plan.ifItFailsZh());
        json.put("endsOnlyWhileBrokerRuns", plan.endsOnlyWhileBrokerRuns());
        json.put("needsPick", plan.needsPick());
        return json;
    }

    /** What plan and assignment have in common. */
    static ObjectNode place(Plan plan, Window asked, ZoneId zone) {
        ObjectNode json = JSON.objectNode();
        json.put("platform", plan.platform());
        json.put("account", plan.account());
        json.put("region", plan.region());
        json.put("zone", plan.zone());
        json.put("sku", plan.sku());
        ObjectNode gpu = json.putObject("gpu");
        gpu.put("model", plan.flavor().model());
        gpu.put("gpusPerNode", plan.flavor().gpusPerNode());
        gpu.put("nodes", plan.nodes());
        gpu.put("count", plan.gpus());
        gpu.put("memoryGb", plan.memoryGb());
        json.put("acquisition", plan.acquisition().wireName());
        json.put("certainty", plan.certainty().wireName());
        ObjectNode window = json.putObject("window");
        window.put("start", RequestJson.time(plan.window().start(), zone));
        window.put("end", RequestJson.time(plan.window().end(), zone));
        window.put("usableEnd", RequestJson.time(plan.usableEnd(), zone));
        json.put("fit", plan.fitsExactly(asked) ? "exact" : "covers");
        return json;
    }

    static ObjectNode action(String what, Instant at, ZoneId zone) {
        return JSON.objectNode().put("what", what).put("at", RequestJson.time(at, zone));
    }

    /** The contract's LeadTime. */
    public static ObjectNode leadTime(LeadTime lead) {
        ObjectNode json = JSON.objectNode();
        json.put("duration", days(lead.high()));
        json.put("source", lead.source().wireName());
        if (lead.observations() != null) {
            json.put("observations", lead.observations());
            json.put("p50", days(lead.low()));
        }
        if (lead.note() != null) {
            json.put("note", lead.note());
        }
        return json;
    }

    /** Whole days as {@code P14D}, not as {@code PT336H}. */
    private static String days(Duration duration) {
        return !duration.isZero() && duration.equals(Duration.ofDays(duration.toDays()))
                ? "P" + duration.toDays() + "D"
                : duration.toString();
    }

    static ObjectNode substitution(Plan.StandIn standIn, boolean last, ZoneId zone) {
        ObjectNode json = JSON.objectNode();
        json.put("from", standIn.from());
        json.put("to", standIn.to());
        json.put("reason", standIn.because().wireName());
        json.put("detail", standIn.reason());
        json.put("detailZh", standIn.reasonZh());
        json.put("expectedSlowdown", standIn.expectedSlowdown());
        json.put("basis", standIn.basis());
        Stretch stretch = standIn.stretch();
        if (stretch != null) {
            json.put("askedCount", stretch.askedCount());
            json.put("count", stretch.count());
            json.put("askedEnd", RequestJson.time(stretch.askedEnd(), zone));
            json.put("end", RequestJson.time(stretch.end(), zone));
        }
        json.put("status", last ? "final" : "planned");
        return json;
    }

    /** total, lines and refundTerms. */
    static void costing(ObjectNode json, Costing costing) {
        ObjectNode total = json.putObject("total");
        Money sum = costing.total() == null ? Money.zero(costing.currency()) : costing.total();
        total.put("amount", sum.amount().toPlainString());
        total.put("currency", sum.currency().getCurrencyCode());
        total.put("from", costing.from());
        ArrayNode lines = json.putArray("lines");
        costing.lines().forEach(line -> lines.add(line(line)));
        json.set("refundTerms", refundTerms(costing.refundTerms()));
    }

    /** dataAtEnd and dataAtEndZh. */
    static void dataAtEnd(ObjectNode json, Plan plan) {
        Why data = DataAtEnd.of(plan);
        json.put("dataAtEnd", data.english());
        json.put("dataAtEndZh", data.chinese());
    }

    private static ObjectNode line(QuoteLine line) {
        ObjectNode json = JSON.objectNode();
        json.put("kind", line.kind().wireName());
        json.put("description", line.description());
        json.put("unit", line.unit());
        json.put("quantity", decimal(line.quantity()));
        json.put("unitPrice", line.unitPrice() == null ? null : decimal(line.unitPrice()));
        json.set("amount", line.amount() == null ? JSON.nullNode() : money(line.amount()));
        return json;
    }

    private static String decimal(BigDecimal number) {
        return number.toPlainString();
    }

    /** The contract's Money. */
    public static ObjectNode money(Money money) {
        return JSON.objectNode()
                .put("amount", money.amount().toPlainString())
                .put("currency", money.currency().getCurrencyCode());
    }

    /** The contract's RefundTerms. */
    public static ObjectNode refundTerms(RefundTerms terms) {
        return JSON.objectNode()
                .put("rule", terms.rule().name().toLowerCase(Locale.ROOT))
                .put("feePercent", decimal(terms.feePercent()))
                .put("source", terms.source());
    }

    /** The contract's Explanation, each of {@code rejections}. */
    public static ArrayNode explanation(List<Rejection> rejections) {
        ArrayNode json = JSON.arrayNode();
        for (Rejection each : rejections) {
            ObjectNode item = json.addObject();
            item.put("platform", each.platform());
            if (each.sku() != null) {
                item.put("sku", each.sku());
            }
            item.put("model", each.model());
            item.put("reason", each.reason().wireName());
            item.put("detail", each.detail());
            String own = each.detailZh();
            item.put("detailZh", ReasonChinese.of(each.reason()) + "（" + (own == null ? each.detail() : own) + "）");
        }
        return json;
    }
}
