package dev.gpubroker.verification.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

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

    /**
     * What it will have cost and what comes back are together what was agreed, unless hours that are not used are not paid at
     * all; and what is lost is part of what it will have cost.
     *
     * @param price as agreed; null where none was known
     */
    static void checkCancellation(JsonNode quote, @Nullable BigDecimal price) {
        BigDecimal fee = amount(quote, "fee");
        BigDecimal refund = amount(quote, "refund");
        BigDecimal total = amount(quote, "total");
        boolean paidAsUsed = quote.path("refundTerms").path("rule").asText().equals("pay_per_use");
        boolean addsUp = price == null
                || total.signum() == 0 && refund.signum() == 0 // Nothing was bought.
                || (paidAsUsed
                        ? total.add(refund).compareTo(price) <= 0
                        : total.add(refund).compareTo(price) == 0);
        if (!addsUp || fee.signum() < 0 || refund.signum() < 0 || fee.compareTo(total) > 0) {
            throw new Broken("fee and refund add up", quote + ", agreed were " + price);
        }
    }

    private static BigDecimal amount(JsonNode quote, String what) {
        return new BigDecimal(quote.get(what).get("amount").asText());
    }
}
