package dev.gpubroker.broker.stored;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import org.jspecify.annotations.Nullable;

/**
 * Records as JSON text for {@code jsonb} columns. Statements pass and read them as text ({@code $1::text::jsonb},
 * {@code plan::text}), so that no decimal ever becomes a binary fraction on the way.
 */
public final class StoredJson {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .addModule(new Jdk8Module())
            .disable(com.fasterxml.jackson.databind.MapperFeature.AUTO_DETECT_IS_GETTERS)
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            // An older broker beside a newer one reads what it knows.
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private StoredJson() {}

    public static String write(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException fault) {
            throw new IllegalStateException("cannot be written: " + value.getClass(), fault);
        }
    }

    public static @Nullable String writeOrNull(@Nullable Object value) {
        return value == null ? null : write(value);
    }

    public static <T> T read(String json, Class<T> type) {
        try {
            return MAPPER.readValue(json, type);
        } catch (JsonProcessingException fault) {
            throw new IllegalStateException("cannot be read as " + type.getSimpleName() + ": " + json, fault);
        }
    }

    public static <T> @Nullable T readOrNull(@Nullable String json, Class<T> type) {
        return json == null ? null : read(json, type);
    }

    public static <T> T read(String json, TypeReference<T> type) {
        try {
            return MAPPER.readValue(json, type);
        } catch (JsonProcessingException fault) {
            throw new IllegalStateException("cannot be read as " + type.getType() + ": " + json, fault);
        }
    }
}
