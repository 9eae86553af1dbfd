package dev.gpubroker.simulator.aws;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The parameters of one EC2 Query request: lists are {@code Name.1}, filters {@code Filter.1.Name} and {@code Filter.1.Value.1}. */
final class QueryParams {
    private static final int MOST = 200;
    private final Map<String, String> form;

    QueryParams(Map<String, String> form) {
        this.form = form;
    }

    /** @return the parameter, or "" */
    String text(String name) {
        return form.getOrDefault(name, "");
    }

    String required(String name) {
        String value = text(name);
        if (value.isEmpty()) {
            throw new Ec2Error(400, "MissingParameter", "The request must contain the parameter " + name);
        }
        return value;
    }

    int number(String name, int least, int most) {
        String value = required(name);
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            throw Ec2Error.invalid(name, value);
        }
        throw Ec2Error.invalid(name, value);
    }

    @Nullable
    Instant instant(String name) {
        String value = text(name);
        if (value.isEmpty()) {
            return null;
        }
        try {
            return OffsetDateTime.parse(value).toInstant();
        } catch (DateTimeParseException unreadable) {
            throw Ec2Error.invalid(name, value);
        }
    }

    List<String> list(String name) {
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= MOST && form.containsKey(name + "." + i); i++) {
            values.add(text(name + "." + i));
        }
        return values;
    }

    /** Tags for one kind of resource. */
    Map<String, String> tags(String resourceType) {
        Map<String, String> tags = new LinkedHashMap<>();
        for (int n = 1; n <= MOST && form.containsKey("TagSpecification." + n + ".ResourceType"); n++) {
            if (text("TagSpecification." + n + ".ResourceType").equals(resourceType)) {
                for (int m = 1; m <= MOST && form.containsKey("TagSpecification." + n + ".Tag." + m + ".Key"); m++) {
                    tags.put(
                            text("TagSpecification." + n + ".Tag." + m + ".Key"),
                            text("TagSpecification." + n + ".Tag." + m + ".Value"));
                }
            }
        }
        return tags;
    }

    /** @param valueOf what a row has under a filter's name; null for a filter that does not exist */
    boolean matches(Map<String, String> tags, Function<String, @Nullable String> valueOf) {
        for (int n = 1; n <= MOST && form.containsKey("Filter." + n + ".Name"); n++) {
            String name = text("Filter." + n + ".Name");
            String value = name.startsWith("tag:") ? tags.getOrDefault(name.substring(4), "") : valueOf.apply(name);
            if (value == null) {
                throw new Ec2Error(400, "InvalidParameterValue", "The filter '" + name + "' is invalid");
            }
            if (!list("Filter." + n + ".Value").contains(value)) {
                return false;
            }
        }
        return true;
    }

    /** Everything asked, in one text: two requests with the same client token must have the same. */
    String fingerprint() {
        return SigV4.sha256(new java.util.TreeMap<>(form).toString().getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
}
