package dev.gpubroker.verification.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;

/** Whether amounts add up to the cent, as shown to a caller. */
final class Sums {
    private Sums() {}

    /** Lines add up to the total; where a price is unknown, the known ones do and the total says "from". */
    static void check(JsonNode quote) {
        JsonNode total = quote.path("total");
        if (!total.has("amount")) {
            return;
        }
        BigDecimal sum = BigDecimal.ZERO;
        boolean unknown = false;
        for (JsonNode line : quote.path("lines")) {
            JsonNode amount = line.path("amount");
            JsonNode value = amount.isObject() ? amount.path("amount") : amount;
            if (value.isTextual()) {
                sum = sum.add(new BigDecimal(value.asText()));
            } else {
                unknown = true;
            }
        }
        if (sum.compareTo(new BigDecimal(total.get("amount").asText())) != 0) {
            throw new Broken("lines add up to the total", sum + " is not the total of " + quote);
        }
        if (unknown && !total.path("from").asBoolean()) {
            throw new Broken("an unknown line makes the total a \"from\"", quote.toString());
        }
    }

    /** What is kept and what comes back are together what was to be paid. */
    static void checkCancellation(JsonNode quote) {
        BigDecimal fee = new BigDecimal(quote.get("fee").get("amount").asText());
        BigDecimal refund = new BigDecimal(quote.get("refund").get("amount").asText());
        BigDecimal total = new BigDecimal(quote.get("total").get("amount").asText());
        if (fee.add(refund).compareTo(total) != 0 || fee.signum() < 0 || refund.signum() < 0) {
            throw new Broken("fee and refund add up", quote.toString());
        }
    }
}
