package dev.gpubroker.adapter.aliyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.Window;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code DescribePrice} of one machine for one hour of pay-as-you-go; pure, and never in floating point. */
final class AliyunPrices {
    /** The only mode we buy: subscriptions have no timed end, and giving them back is a refund. */
    static final String HOURLY = "PostPaid/Hour";

    private static final int PLACES = 12;
    /** More than any price: such a number is a garbled reply, and spelling it out could fill the memory. */
    private static final int MOST_DIGITS = 15;

    private AliyunPrices() {}

    static Price hourly(JsonNode reply, PriceQuery query, AliyunOptions options, boolean imageKnown) {
        JsonNode price = reply.path("PriceInfo").path("Price");
        if (!price.isObject()) {
            throw new PlatformFault(PlatformFault.Kind.PLATFORM_ERROR, "DescribePrice: a reply without a price");
        }
        String currency = price.path("Currency").asText(options.currency().getCurrencyCode());
        Window billed = wholeHours(query.window());
        BigDecimal quantity = BigDecimal.valueOf(billed.length().toHours() * query.nodes());
        List<Price.Line> lines = new ArrayList<>();
        for (Part part : parts(price)) {
            lines.add(new Price.Line(part.kind, part.description, "instance-hour", quantity, part.unitPrice, currency));
        }
        if (!imageKnown) { // Without an image the platform leaves the system disk out of its price.
            lines.add(new Price.Line(
                    LineKind.SYSTEM_DISK, "system disk, not priced", "instance-hour", quantity, null, currency));
        }
        if (query.machine().publicIp() && options.internetChargeType().equals("PayByTraffic")) {
            lines.add(new Price.Line(LineKind.NETWORK, "outbound traffic", "GB", BigDecimal.ONE, null, currency));
        }
        return new Price(HOURLY, billed, lines);
    }

    /** Use is metered by the hour or finer; a begun hour counts here as a whole one, so that a quote is never too low. */
    private static Window wholeHours(Window window) {
        long hours = window.length().toHours();
        boolean exact = Duration.ofHours(hours).equals(window.length());
        return Window.of(window.start(), Duration.ofHours(exact ? hours : hours + 1));
    }

    private record Part(
            LineKind kind, String description, @Nullable BigDecimal unitPrice) {}

    /** The platform's own items where they add up to its total; else the total alone, which is what it charges. */
    private static List<Part> parts(JsonNode price) {
        BigDecimal total = amount(price.path("TradePrice"));
        List<Part> parts = new ArrayList<>();
        BigDecimal sum = BigDecimal.ZERO;
        for (JsonNode detail : price.path("DetailInfos").path("DetailInfo")) {
            String resource = detail.path("Resource").asText("");
            BigDecimal amount = amount(detail.path("TradePrice"));
            if (amount != null && amount.signum() == 0 && kind(resource) != LineKind.GPU) {
                continue; // Free parts, such as the bandwidth of a machine without a public address.
            }
            parts.add(new Part(kind(resource), resource, amount));
            sum = amount == null ? sum : sum.add(amount);
        }
        boolean complete = parts.stream().allMatch(part -> part.unitPrice != null);
        if (total == null ? !parts.isEmpty() : complete && !parts.isEmpty() && sum.compareTo(total) == 0) {
            return parts;
        }
        return List.of(new Part(LineKind.GPU, "InstanceType", total));
    }

    private static LineKind kind(String resource) {
        return switch (resource) {
            case "InstanceType", "instance" -> LineKind.GPU;
            case "SystemDisk" -> LineKind.SYSTEM_DISK;
            case "DataDisk" -> LineKind.DATA_DISK;
            case "image" -> LineKind.IMAGE;
            case "bandwidth" -> LineKind.BANDWIDTH;
            default -> LineKind.OTHER;
        };
    }

    /** @return null when there is none; zero and negative amounts as they are, since judging them is the broker's */
    private static @Nullable BigDecimal amount(JsonNode node) {
        BigDecimal amount;
        if (node.isNumber()) {
            amount = node.decimalValue();
        } else if (node.isTextual()) {
            try {
                amount = new BigDecimal(node.asText());
            } catch (NumberFormatException unreadable) {
                throw unreadable();
            }
        } else {
            return null;
        }
        if ((long) amount.precision() - amount.scale() > MOST_DIGITS) {
            throw unreadable();
        }
        int places = Math.max(0, Math.min(PLACES, amount.scale()));
        return amount.setScale(places, RoundingMode.HALF_EVEN);
    }

    private static PlatformFault unreadable() {
        return new PlatformFault(PlatformFault.Kind.PLATFORM_ERROR, "DescribePrice: a price that cannot be read");
    }
}
