package dev.gpubroker.broker.catalogue;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Reads the YAML files under {@code catalogue/}. A file that does not fit its record is a broken build, not an input. */
final class DataFile {
    private static final ObjectMapper YAML = mapper();

    private DataFile() {}

    /**
     * @param name below {@code catalogue/}, such as {@code gpu-models.yaml}
     * @throws IllegalStateException if there is no such file
     * @throws UncheckedIOException if it cannot be read as that type
     */
    static <T> T read(String name, Class<T> type) {
        String path = "/catalogue/" + name;
        try (InputStream in = DataFile.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalStateException("missing on the class path: " + path);
            }
            return YAML.readValue(in, type);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + path, e);
        }
    }

    private static ObjectMapper mapper() {
        ObjectMapper mapper = YAMLMapper.builder()
                .addModule(new JavaTimeModule())
                .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .build();
        JsonSetter.Value absentIsEmpty = JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY);
        mapper.configOverride(List.class).setSetterInfo(absentIsEmpty);
        mapper.configOverride(Map.class).setSetterInfo(absentIsEmpty);
        return mapper;
    }
}
