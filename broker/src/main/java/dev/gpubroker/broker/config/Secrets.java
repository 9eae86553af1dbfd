package dev.gpubroker.broker.config;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Follows references to secrets, so that the settings file itself holds none. */
final class Secrets {
    /** Larger than any key file; keeps a wrong path from filling the memory. */
    private static final long MAX_BYTES = 64L * 1024;

    private final Map<String, String> environment;
    private final Path folder;

    /** @param folder what relative paths start from */
    Secrets(Map<String, String> environment, Path folder) {
        this.environment = Map.copyOf(environment);
        this.folder = folder;
    }

    Secret read(String name, JsonNode reference) {
        if (reference.isObject() && reference.size() == 1) {
            if (reference.path("env").isTextual()) {
                return fromEnvironment(name, reference.path("env").asText());
            }
            if (reference.path("file").isTextual()) {
                return fromFile(name, folder.resolve(reference.path("file").asText()));
            }
        }
        throw new StartException("Setting '" + name
                + "' must not hold the secret itself. Write {env: NAME_OF_VARIABLE} or {file: /path/to/file}.");
    }

    private Secret fromEnvironment(String name, String variable) {
        String value = environment.get(variable);
        if (value == null || value.isBlank()) {
            throw new StartException("Setting '" + name + "' refers to the environment variable " + variable
                    + ", which is not set. Set it.");
        }
        return new Secret(value.strip());
    }

    private static Secret fromFile(String name, Path file) {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new StartException("Setting '" + name + "' refers to " + file
                        + ", which is larger than 64 KiB. Name a file that holds only the secret.");
            }
            String value = Files.readString(file, StandardCharsets.UTF_8).strip();
            if (value.isEmpty()) {
                throw new StartException(
                        "Setting '" + name + "' refers to " + file + ", which is empty. Put the secret there.");
            }
            return new Secret(value);
        } catch (IOException e) {
            throw new StartException(
                    "Setting '" + name + "' refers to " + file + ", which cannot be read ("
                            + e.getClass().getSimpleName() + "). Make it readable for the broker's user.",
                    e);
        }
    }
}
