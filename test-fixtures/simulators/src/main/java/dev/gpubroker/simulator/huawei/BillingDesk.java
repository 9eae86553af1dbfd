package dev.gpubroker.simulator.huawei;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.simulator.SimReply;
import dev.gpubroker.simulator.SimRequest;
import java.math.BigDecimal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** BSS: what an hour costs, product by product, and what is left on the account. All figures are simulated. */
final class BillingDesk {
    private static final int HOURS = 4;

    static SimReply rate(SimRequest request, Ground ground) {
        JsonNode asked = Replies.read(request.text()).orElseGet(Replies::object);
        BigDecimal total = BigDecimal.ZERO;
        ObjectNode body = Replies.object();
        ArrayNode results = body.putArray("product_rating_results");
        if (asked.path("product_infos").isEmpty()) {
            return Replies.plain(400, "CBC.0100", "product_infos is empty.");
        }
        for (JsonNode product : asked.path("product_infos")) {
            BigDecimal hourly = hourly(product, ground);
            if (hourly == null || product.path("usage_measure_id").asInt() != HOURS) {
                return Replies.plain(
                        400,
                        "CBC.0100",
                        "No such product: " + product.path("resource_spec").asText());
            }
            BigDecimal amount = hourly.multiply(product.path("usage_value").decimalValue())
                    .multiply(
                            BigDecimal.valueOf(product.path("subscription_num").asInt(1)));
            total = total.add(amount);
            ObjectNode result = results.addObject()
                    .put("id", product.path("id").asText())
                    .put(
                            "product_id",
                            "00301-"
                                    + Math.floorMod(
                                            product.path("resource_spec")
                                                    .asText()
                                                    .hashCode(),
                                            90_000));
            amounts(result, amount);
        }
        amounts(body, total);
        return Replies.json(200, body.put("currency", "CNY"));
    }

    private static void amounts(ObjectNode node, BigDecimal amount) {
        node.put("amount", amount)
                .put("discount_amount", BigDecimal.ZERO)
                .put("official_website_amount", amount)
                .put("measure_id", 1);
    }

    private static @Nullable BigDecimal hourly(JsonNode product, Ground ground) {
        String spec = product.path("resource_spec").asText();
        BigDecimal size = BigDecimal.valueOf(product.path("resource_size").asInt(1));
        switch (product.path("resource_type").asText()) {
            case "hws.resource.type.vm":
                if (!spec.endsWith(".linux")) {
                    return null;
                }
                Optional<HuaweiCatalogue.Spec> server =
                        HuaweiCatalogue.spec(spec.substring(0, spec.length() - ".linux".length()));
                return server.map(s -> new BigDecimal(ground.hourly(s.sku()))).orElse(null);
            case "hws.resource.type.modelarts":
                // A linear product: it wants its size, 1 in units of pieces (14).
                return product.path("size_measure_id").asInt() != 14
                        ? null
                        : HuaweiCatalogue.SPECS.stream()
                                .filter(s -> s.service() == HuaweiCatalogue.Service.MODELARTS
                                        && s.billingCode().equals(spec))
                                .findFirst()
                                .map(s -> new BigDecimal(ground.hourly(s.sku())).multiply(size))
                                .orElse(null);
            case "hws.resource.type.volume":
                BigDecimal disk = HuaweiCatalogue.DISKS.get(spec);
                return disk == null || product.path("size_measure_id").asInt() != 17 ? null : disk.multiply(size);
            case "hws.resource.type.ip":
                return HuaweiCatalogue.ADDRESS;
            default:
                return null;
        }
    }

    static SimReply balances() {
        ObjectNode body = Replies.object();
        ArrayNode balances = body.putArray("account_balances");
        balances.addObject()
                .put("account_id", "CA2026110100000000")
                .put("account_type", 1)
                .put("amount", new BigDecimal("500000.00"))
                .put("currency", "CNY")
                .put("designated_amount", BigDecimal.ZERO)
                .put("credit_amount", BigDecimal.ZERO)
                .put("measure_id", 1);
        body.put("debt_amount", BigDecimal.ZERO).put("measure_id", 1).put("currency", "CNY");
        return Replies.json(200, body);
    }

    private BillingDesk() {}
}
