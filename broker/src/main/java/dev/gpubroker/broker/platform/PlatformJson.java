package dev.gpubroker.broker.platform;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.RefundTerms;
import dev.gpubroker.adapter.spi.Shape;
import dev.gpubroker.broker.catalogue.PlatformProfile;
import dev.gpubroker.broker.catalogue.Provenance;
import dev.gpubroker.broker.inventory.Snapshot.AccountView;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The contract's Platform and Profile. */
final class PlatformJson {
    /** How the certificates are called on paper. */
    private static final Map<String, String> CERTIFICATES =
            Map.of("cn-mlps-3", "等保三级 (MLPS level 3)", "iso-27001", "ISO/IEC 27001");
    /** The platform of own nodes, which are had by the ledger and not by an adapter. */
    private static final String POOL = "pool";

    private PlatformJson() {}

    /** @param accounts on one platform, at least one */
    static ObjectNode ofAccounts(List<AccountView> accounts) {
        Capabilities platform = accounts.get(0).capabilities();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", accounts.get(0).platform());
        json.put("name", platform.name());
        json.put("currency", platform.currency());
        json.put("simulated", accounts.stream().allMatch(AccountView::simulated));
        ArrayNode ids = json.putArray("accounts");
        accounts.forEach(account -> ids.add(account.id()));
        ArrayNode models = json.putArray("models");
        platform.shapes().stream()
                .map(shape -> shape.flavor().model())
                .distinct()
                .sorted()
                .forEach(models::add);
        acquisitions(platform).forEach(json.putArray("acquisitions")::add);
        json.put("stockAsked", platform.stockAsked());
        json.put("timedEnd", platform.timedEnd());
        json.put("token", platform.token());
        json.put("minTerm", platform.minTerm().toString());
        json.put("termStep", platform.termStep().toString());
        json.put(
                "maxTerm",
                platform.maxTerm() == null ? null : platform.maxTerm().toString());
        platform.eligibility().stream().sorted().forEach(json.putArray("eligibility")::add);
        json.set("refundTerms", refund(platform.refund()));
        return json;
    }

    private static List<String> acquisitions(Capabilities platform) {
        List<String> ways = new ArrayList<>();
        if (platform.forward() != null) {
            ways.add("forward");
        }
        if (platform.sellsNow()) {
            ways.add("just_in_time");
            if (platform.stockAsked()) {
                ways.add("hold_early");
            }
        }
        return ways;
    }

    /** A platform on which we have no account. */
    static ObjectNode ofProfile(PlatformProfile profile) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", profile.id());
        json.put(
                "name",
                profile.name().equals(profile.nameZh()) ? profile.name() : profile.name() + " " + profile.nameZh());
        json.put("currency", currency(profile.country()));
        json.put("simulated", false);
        json.putArray("accounts");
        json.putArray("models");
        ArrayNode acquisitions = json.putArray("acquisitions");
        if (profile.id().equals(POOL)) {
            acquisitions.add(POOL);
        }
        json.put("timedEnd", false);
        json.set("refundTerms", refund(profile));
        return json;
    }

    /** That of the seller's country; own capacity is reckoned in yuan, as plans do. */
    private static String currency(@Nullable String country) {
        return country == null
                ? "CNY"
                : Currency.getInstance(new Locale.Builder().setRegion(country).build())
                        .getCurrencyCode();
    }

    private static ObjectNode refund(RefundTerms terms) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("rule", terms.rule().name().toLowerCase(Locale.ROOT))
                .put("feePercent", terms.feePercent().toPlainString())
                .put("source", terms.source());
    }

    /** The first rule of the profile; where none is known nothing is promised to come back. */
    private static ObjectNode refund(PlatformProfile profile) {
        return profile.refunds().stream()
                .findFirst()
                .map(first -> refund(new RefundTerms(
                        first.rule(),
                        first.feePercent() == null ? BigDecimal.ZERO : first.feePercent(),
                        first.billing() + ": " + first.text() + " (" + written(first.provenance()) + ")")))
                .orElseGet(() -> refund(new RefundTerms(
                        RefundTerms.Rule.NONE, BigDecimal.ZERO, "not known; nothing is assumed to come back")));
    }

    private static String written(Provenance provenance) {
        return provenance.source() + ", " + provenance.date();
    }

    static void putShapes(ObjectNode json, List<Shape> shapes) {
        ArrayNode list = json.putArray("shapes");
        for (Shape shape : shapes) {
            ObjectNode one = list.addObject();
            one.put("sku", shape.sku());
            one.put("model", shape.flavor().model());
            one.put("gpusPerNode", shape.flavor().gpusPerNode());
            one.put("memoryGb", shape.memoryGb());
            one.put("interconnect", shape.interconnect());
            shape.regions().stream().sorted().forEach(one.putArray("regions")::add);
        }
    }

    static ObjectNode profile(PlatformProfile profile) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode certificates = json.putArray("certificates");
        for (PlatformProfile.Certificate certificate : profile.certificates()) {
            certificates
                    .addObject()
                    .put("id", certificate.id())
                    .put("name", CERTIFICATES.getOrDefault(certificate.id(), certificate.id()))
                    .put(
                            "validUntil",
                            certificate.validUntil() == null
                                    ? null
                                    : certificate.validUntil().toString())
                    .put("source", certificate.provenance().source())
                    .put("date", certificate.provenance().date());
        }
        putFacts(json.putArray("facts"), profile);
        return json;
    }

    private static void putFacts(ArrayNode facts, PlatformProfile profile) {
        for (PlatformProfile.Refund refund : profile.refunds()) {
            String what = "refund." + refund.billing();
            fact(facts, what, refund.text(), null, refund.provenance());
            if (refund.feePercent() != null) {
                fact(facts, what + ".fee", refund.feePercent().toPlainString(), "percent", refund.provenance());
            }
        }
        for (PlatformProfile.Fee fee : profile.fees()) {
            BigDecimal amount = fee.amount();
            String unit = fee.currency() == null ? fee.unit() : fee.currency() + " / " + fee.unit();
            fact(
                    facts,
                    "fee." + fee.kind(),
                    amount == null ? fee.text() : amount.toPlainString(),
                    amount == null ? null : unit,
                    fee.provenance());
        }
        PlatformProfile.Support support = profile.support();
        if (support != null) {
            putIfKnown(facts, "support.answer", support.answer(), support.provenance());
            putIfKnown(facts, "support.repair", support.repair(), support.provenance());
            putIfKnown(facts, "support.round_the_clock", support.roundTheClock(), support.provenance());
            putIfKnown(facts, "support.text", support.text(), support.provenance());
        }
        for (PlatformProfile.ComputeClaim claim : profile.compute()) {
            String what = "compute." + (claim.nodeGpus() == null ? "" : claim.nodeGpus() + "x") + claim.model();
            putPercent(facts, what + ".swing", claim.swingPercent(), claim.provenance());
            putPercent(facts, what + ".below_nominal", claim.belowNominalPercent(), claim.provenance());
            putIfKnown(facts, what, claim.text(), claim.provenance());
        }
    }

    private static void putIfKnown(ArrayNode facts, String what, @Nullable Object value, Provenance provenance) {
        if (value != null) {
            fact(facts, what, value.toString(), null, provenance);
        }
    }

    private static void putPercent(ArrayNode facts, String what, @Nullable BigDecimal value, Provenance provenance) {
        if (value != null) {
            fact(facts, what, value.toPlainString(), "percent", provenance);
        }
    }

    private static void fact(ArrayNode facts, String what, String value, @Nullable String unit, Provenance provenance) {
        ObjectNode fact = facts.addObject().put("what", what).put("value", value);
        if (unit != null) {
            fact.put("unit", unit);
        }
        fact.put("source", provenance.source()).put("date", provenance.date());
    }
}
