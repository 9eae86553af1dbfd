package dev.gpubroker.adapter.zhixingyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.adapter.spi.PlatformFault;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A size of {@code store/get_instance_specifications}: cores and memory for a number of cards, such as {@code gcs.g8.large}.
 *
 * @param hourPrice of cores and memory, added to the price of the cards; null if not told
 */
record Size(String name, int gpuNum, @Nullable BigDecimal hourPrice, boolean disabled) {
    static List<Size> read(JsonNode data) {
        JsonNode list = data.path("Specifications");
        if (!list.isArray()) {
            throw new PlatformFault(PlatformFault.Kind.PLATFORM_ERROR, "an answer of sizes without Specifications");
        }
        List<Size> sizes = new ArrayList<>();
        list.forEach(spec -> sizes.add(new Size(
                Json.text(spec.path("SpecName")),
                Json.whole(spec.path("GpuNum"), 0),
                Json.decimal(spec.path("HourPrice")),
                !Boolean.FALSE.equals(Json.yesNo(spec.path("Disabled"))))));
        return sizes;
    }

    /** @param wanted a name or the last part of one; "" for the cheapest that is sold */
    static Optional<Size> choose(List<Size> sizes, int gpuNum, String wanted) {
        return sizes.stream()
                .filter(size -> size.gpuNum() == gpuNum
                        && !size.disabled()
                        && !size.name().isEmpty())
                .filter(size -> wanted.isEmpty()
                        || size.name().equals(wanted)
                        || size.name().endsWith("." + wanted))
                .min(Comparator.comparing(Size::hourPrice, Comparator.nullsLast(Comparator.naturalOrder()))
                        .thenComparing(Size::name));
    }
}
