package dev.gpubroker.broker.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.broker.request.FieldError;
import dev.gpubroker.broker.request.MachineFields;
import dev.gpubroker.broker.request.MachineWish;
import dev.gpubroker.broker.request.RequestProblem;
import java.math.BigDecimal;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Currency;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One mapping of the settings file, read key by key. Every fault names the setting as its author wrote it, its value and
 * what to write instead; a key that nobody asked for is a fault too, since a misspelt cap would otherwise not bind.
 */
final class Section {
    private static final int MAX_AMOUNT_DIGITS = 12;

    private final String path;
    private final ObjectNode node;
    private final Secrets secrets;
    /** Names of settings that came from the environment, by key. */
    private final Map<String, String> renamed;

    private final Set<String> asked = new LinkedHashSet<>();

    Section(String path, ObjectNode node, Secrets secrets, Map<String, String> renamed) {
        this.path = path;
        this.node = node;
        this.secrets = secrets;
        this.renamed = Map.copyOf(renamed);
    }

    @Nullable
    String text(String key) {
        JsonNode value = value(key);
        if (value == null) {
            return null;
        }
        if (!value.isValueNode() || value.asText().isBlank()) {
            throw wrong(key, value, "a text");
        }
        return value.asText().strip();
    }

    String text(String key, String otherwise) {
        String text = text(key);
        return text == null ? otherwise : text;
    }

    /** A text that must be there and match, described by {@code shape} if it does not. */
    String word(String key, String pattern, String shape) {
        String text = text(key);
        if (text == null) {
            throw new StartException("Setting '" + name(key) + "' is missing. Write " + shape + ".");
        }
        if (!text.matches(pattern)) {
            throw wrong(key, text, shape);
        }
        return text;
    }

    int integer(String key, int least, int most, int otherwise) {
        String text = text(key);
        if (text == null) {
            return otherwise;
        }
        // Nine digits always fit an int; a longer number is out of every bound used here.
        int number = text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1;
        if (number < least || number > most) {
            throw wrong(key, text, "a whole number from " + least + " to " + most);
        }
        return number;
    }

    Duration duration(String key, Duration least, Duration most, Duration otherwise) {
        String text = text(key);
        if (text == null) {
            return otherwise;
        }
        String shape = "an ISO 8601 duration from " + least + " to " + most + ", such as PT24H";
        try {
            Duration duration = Duration.parse(text);
            if (duration.compareTo(least) < 0 || duration.compareTo(most) > 0) {
                throw wrong(key, text, shape);
            }
            return duration;
        } catch (DateTimeParseException e) {
            throw wrong(key, text, shape);
        }
    }

    boolean flag(String key, boolean otherwise) {
        String text = text(key);
        if (text == null) {
            return otherwise;
        }
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw wrong(key, text, "true or false");
        };
    }

    <E extends Enum<E>> E choice(String key, Class<E> type, E otherwise) {
        String text = text(key);
        if (text == null) {
            return otherwise;
        }
        List<String> names = Arrays.stream(type.getEnumConstants())
                .map(each -> each.name().toLowerCase(Locale.ROOT))
                .toList();
        int index = names.indexOf(text.toLowerCase(Locale.ROOT));
        if (index < 0) {
            throw wrong(key, text, "one of " + String.join(", ", names));
        }
        return type.getEnumConstants()[index];
    }

    /** An absolute http or https address, without a slash at the end. */
    @Nullable
    URI url(String key) {
        String text = text(key);
        if (text == null) {
            return null;
        }
        String shape = "an address such as https://gpu.example.com";
        try {
            URI uri = new URI(text.replaceAll("/+$", ""));
            String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
            if (uri.getHost() == null || !(scheme.equals("http") || scheme.equals("https"))) {
                throw wrong(key, text, shape);
            }
            if (uri.getRawUserInfo() != null) {
                throw new StartException(
                        "Setting '" + name(key) + "' holds a user or password. Write the address without.");
            }
            return uri;
        } catch (URISyntaxException e) {
            throw wrong(key, text, shape);
        }
    }

    /** {@code 5000.00 CNY}, or a mapping of {@code amount} and {@code currency}. */
    @Nullable
    Money money(String key) {
        JsonNode value = value(key);
        if (value == null) {
            return null;
        }
        String text = value.isObject()
                ? value.path("amount").asText() + " " + value.path("currency").asText()
                : value.asText();
        String shape = "an amount and its currency, such as 5000.00 CNY";
        String[] parts = text.strip().split("\\s+");
        if (parts.length != 2 || !parts[0].matches("\\d{1," + MAX_AMOUNT_DIGITS + "}(\\.\\d{1,4})?")) {
            throw wrong(key, text, shape);
        }
        try {
            return new Money(new BigDecimal(parts[0]), Currency.getInstance(parts[1].toUpperCase(Locale.ROOT)));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw wrong(key, text, shape + " (a currency that exists, no finer than its smallest coin)");
        }
    }

    /** A reference to a secret: {@code {env: NAME}} or {@code {file: PATH}}. The value itself is refused. */
    @Nullable
    Secret secret(String key) {
        JsonNode value = value(key);
        return value == null ? null : secrets.read(name(key), value);
    }

    /** As {@link #secret}, but the value itself will do as well. */
    @Nullable
    Secret secretOrText(String key) {
        JsonNode value = value(key);
        if (value == null) {
            return null;
        }
        return value.isTextual() ? new Secret(value.asText().strip()) : secrets.read(name(key), value);
    }

    Map<String, Secret> secretsOf(String key) {
        Map<String, Secret> read = new LinkedHashMap<>();
        mapping(key)
                .properties()
                .forEach(entry ->
                        read.put(entry.getKey(), secrets.read(name(key) + "." + entry.getKey(), entry.getValue())));
        return read;
    }

    Map<String, String> textsOf(String key) {
        Map<String, String> read = new LinkedHashMap<>();
        mapping(key).properties().forEach(entry -> {
            if (!entry.getValue().isValueNode()) {
                throw wrong(key + "." + entry.getKey(), entry.getValue(), "a text");
            }
            read.put(entry.getKey(), entry.getValue().asText());
        });
        return read;
    }

    /** A list of texts, or a single one; empty when absent. */
    List<String> texts(String key) {
        JsonNode value = value(key);
        List<String> read = new ArrayList<>();
        if (value == null) {
            return read;
        }
        for (JsonNode each : value.isArray() ? value : List.of(value)) {
            if (!each.isValueNode() || each.asText().isBlank()) {
                throw wrong(key, value, "a list of texts");
            }
            read.add(each.asText().strip());
        }
        return read;
    }

    /** How machines come up, with the checks of a request; nothing when absent. */
    MachineWish machine(String key) {
        try {
            return MachineFields.read(mapping(key));
        } catch (RequestProblem wrong) {
            throw new StartException("Setting '" + name(key) + "' cannot be used: "
                    + wrong.errors().stream().map(FieldError::detail).collect(Collectors.joining(" ")));
        }
    }

    /** The mapping under {@code key}; empty when absent. */
    Section section(String key) {
        return new Section(name(key) + ".", mapping(key), secrets, Map.of());
    }

    boolean has(String key) {
        return value(key) != null;
    }

    /** The mappings of a list; empty when absent. */
    List<Section> sections(String key) {
        JsonNode value = value(key);
        List<Section> read = new ArrayList<>();
        if (value == null) {
            return read;
        }
        if (!value.isArray()) {
            throw wrong(key, value, "a list (each entry begins with a dash)");
        }
        for (JsonNode each : value) {
            String name = name(key) + "[" + read.size() + "]";
            if (!(each instanceof ObjectNode mapping)) {
                throw new StartException(
                        "Setting '" + name + "' is not a mapping. Write keys and values under the dash.");
            }
            read.add(new Section(name + ".", mapping, secrets, Map.of()));
        }
        return read;
    }

    /** @throws StartException if a key was never asked for */
    void end() {
        node.fieldNames().forEachRemaining(key -> {
            if (!asked.contains(key)) {
                throw new StartException(
                        "Setting '" + name(key) + "' is not known. Here may stand: " + String.join(", ", asked) + ".");
            }
        });
    }

    /** What its author calls a setting: its path in the file, or the environment variable. */
    String name(String key) {
        return renamed.getOrDefault(key, path + key);
    }

    StartException wrong(String key, Object value, String shape) {
        return new StartException("Setting '" + name(key) + "' is '" + value + "'. Write " + shape + ".");
    }

    private ObjectNode mapping(String key) {
        JsonNode value = value(key);
        if (value == null) {
            return JsonNodeFactory.instance.objectNode();
        }
        if (value instanceof ObjectNode mapping) {
            return mapping;
        }
        throw new StartException("Setting '" + name(key) + "' is not a mapping. Write keys and values under it.");
    }

    private @Nullable JsonNode value(String key) {
        asked.add(key);
        JsonNode value = node.get(key);
        return value == null || value.isNull() ? null : value;
    }
}
