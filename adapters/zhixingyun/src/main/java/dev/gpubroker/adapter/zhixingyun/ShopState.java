package dev.gpubroker.adapter.zhixingyun;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.adapter.spi.PlatformFault;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer of {@code store/get_kvm_available_selector}: for each model which card counts can be rented now.
 *
 * @param models by {@link ZhixingyunMapping#plain}, so that a small difference in spelling does no harm
 * @param refreshedAt how old the answer is; null if it does not say
 */
record ShopState(Map<String, Model> models, @Nullable Instant refreshedAt) {
    /** An older answer says nothing about now. The platform does not publish how often it refreshes. */
    private static final Duration MOST_AGE = Duration.ofMinutes(5);

    private static final ZoneId SHANGHAI = ZoneId.of("Asia/Shanghai");
    private static final DateTimeFormatter AS_TEXT = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

    /**
     * @param gpuType as the platform spells it now, for its later calls
     * @param rentable by card count; a count that is absent is not sold
     */
    record Model(String gpuType, Map<Integer, Boolean> rentable, List<String> images) {}

    static ShopState read(JsonNode data) {
        JsonNode map = data.path("gpu_resource_map");
        if (!map.isObject()) {
            throw new PlatformFault(PlatformFault.Kind.PLATFORM_ERROR, "a stock answer without gpu_resource_map");
        }
        Map<String, Model> models = new LinkedHashMap<>();
        map.properties()
                .forEach(entry -> models.put(
                        ZhixingyunMapping.plain(entry.getKey()),
                        new Model(entry.getKey(), rentable(entry.getValue()), images(entry.getValue()))));
        return new ShopState(models, refreshedAt(data.path("last_refresh_time")));
    }

    Optional<Model> model(String gpuType) {
        return Optional.ofNullable(models.get(ZhixingyunMapping.plain(gpuType)));
    }

    boolean isStale(Instant now) {
        return refreshedAt == null || refreshedAt.plus(MOST_AGE).isBefore(now);
    }

    private static Map<Integer, Boolean> rentable(JsonNode model) {
        Map<Integer, Boolean> counts = new LinkedHashMap<>();
        model.path("ValidCardsRentable").properties().forEach(entry -> {
            Boolean rentable = Json.yesNo(entry.getValue());
            if (rentable != null && entry.getKey().matches("\\d{1,2}")) {
                counts.put(Integer.valueOf(entry.getKey()), rentable);
            }
        });
        return counts;
    }

    private static List<String> images(JsonNode model) {
        List<String> images = new ArrayList<>();
        model.path("ValidImages").forEach(image -> images.add(Json.text(image)));
        return images;
    }

    /** Unix seconds in live calls, a text of Chinese local time in the documentation's example. */
    private static @Nullable Instant refreshedAt(JsonNode node) {
        Long seconds = Json.whole(node);
        if (seconds != null) {
            return seconds > 0 && seconds < 1L << 40 ? Instant.ofEpochSecond(seconds) : null;
        }
        try {
            return LocalDateTime.parse(Json.text(node), AS_TEXT)
                    .atZone(SHANGHAI)
                    .toInstant();
        } catch (DateTimeParseException unreadable) {
            return null;
        }
    }
}
