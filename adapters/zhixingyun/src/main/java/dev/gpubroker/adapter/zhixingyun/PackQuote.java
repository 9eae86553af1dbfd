package dev.gpubroker.adapter.zhixingyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.adapter.spi.Price;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The platform's quote for one machine's pack. Its total is what will be paid; its parts explain it. The shape was read from a
 * live renewal quote (2026) and is unverified for a create.
 */
record PackQuote(BigDecimal finalCost, int hours, List<Part> parts) {
    private static final int MOST_PLACES = 12;

    /** @param amount cards, one size, or GB */
    private record Part(LineKind kind, String title, BigDecimal hourPrice, BigDecimal amount, BigDecimal hours) {
        BigDecimal cost() {
            return hourPrice.multiply(amount).multiply(hours);
        }
    }

    /** @throws PlatformFault if there is no total, or it is for fewer hours than asked */
    static PackQuote read(JsonNode data, Pack asked) {
        JsonNode sheet = data.path("PackPriceInfoSheet");
        BigDecimal cost = Json.decimal(sheet.path("FinalCost"));
        int hours = Json.whole(sheet.path("HourLen"), 0);
        if (cost == null || hours < asked.hours()) {
            throw new PlatformFault(
                    PlatformFault.Kind.PLATFORM_ERROR,
                    "a quote for " + hours + " of " + asked.hours() + " hours, FinalCost " + cost);
        }
        return new PackQuote(cost, hours, parts(sheet.path("InstanceSubPriceSheet")));
    }

    /**
     * Lines for so many machines. Where the parts come to less than the total, the rest is a line of its own; where they cannot
     * be read or come to more, there is one line with the total. A free part (the smallest size) is no line.
     */
    List<Price.Line> lines(int machines) {
        BigDecimal rest = parts.stream().map(Part::cost).reduce(finalCost, BigDecimal::subtract);
        if (parts.isEmpty() || rest.signum() < 0) {
            return List.of(inOne(LineKind.GPU, "whole pack 整包", finalCost, machines));
        }
        List<Price.Line> lines = new ArrayList<>();
        for (Part part : parts) {
            if (part.kind() == LineKind.GPU || part.cost().signum() != 0) {
                lines.add(line(part, machines));
            }
        }
        if (rest.signum() > 0) {
            lines.add(inOne(LineKind.OTHER, "not itemised by the platform 平台未列明", rest, machines));
        }
        return lines;
    }

    private static Price.Line line(Part part, int machines) {
        if (part.hourPrice().stripTrailingZeros().scale() > MOST_PLACES) {
            return inOne(part.kind(), part.title(), part.cost(), machines);
        }
        return new Price.Line(
                part.kind(),
                part.title(),
                unit(part.kind()),
                part.amount().multiply(part.hours()).multiply(BigDecimal.valueOf(machines)),
                part.hourPrice(),
                ZhixingyunMapping.CURRENCY);
    }

    private static Price.Line inOne(LineKind kind, String title, BigDecimal cost, int machines) {
        BigDecimal unitPrice = cost.scale() > MOST_PLACES ? cost.setScale(MOST_PLACES, RoundingMode.UP) : cost;
        return new Price.Line(kind, title, "pack", BigDecimal.valueOf(machines), unitPrice, ZhixingyunMapping.CURRENCY);
    }

    private static String unit(LineKind kind) {
        return switch (kind) {
            case GPU -> "GPU-hour";
            case DATA_DISK -> "GB-hour";
            default -> "instance-hour";
        };
    }

    /** Empty as soon as one part cannot be read. */
    private static List<Part> parts(JsonNode sheets) {
        List<Part> parts = new ArrayList<>();
        for (JsonNode sheet : sheets) {
            Optional<Part> part = part(sheet);
            if (part.isEmpty()) {
                return List.of();
            }
            parts.add(part.get());
        }
        return parts;
    }

    private static Optional<Part> part(JsonNode sheet) {
        @Nullable BigDecimal single = Json.decimal(sheet.path("SingleHourPrice"));
        @Nullable BigDecimal discount = Json.decimal(sheet.path("FinalDiscount"));
        @Nullable BigDecimal amount = Json.decimal(sheet.path("Amount"));
        @Nullable BigDecimal hours = Json.decimal(sheet.path("HourLen"));
        if (single == null
                || discount == null
                || amount == null
                || hours == null
                || single.signum() < 0
                || discount.signum() < 0
                || amount.signum() <= 0
                || hours.signum() <= 0) {
            return Optional.empty();
        }
        return Optional.of(new Part(
                kind(Json.text(sheet.path("ResourceType"))),
                Json.text(sheet.path("Title")),
                single.multiply(discount),
                amount,
                hours));
    }

    /** {@code gpu}, {@code spec} and {@code disk} were seen; {@code bandwidth} is a guess. */
    private static LineKind kind(String resource) {
        return switch (resource) {
            case "gpu" -> LineKind.GPU;
            case "spec" -> LineKind.CPU_MEMORY;
            case "disk" -> LineKind.DATA_DISK;
            case "bandwidth" -> LineKind.BANDWIDTH;
            default -> LineKind.OTHER;
        };
    }
}
