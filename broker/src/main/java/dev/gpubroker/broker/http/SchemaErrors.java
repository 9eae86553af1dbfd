package dev.gpubroker.broker.http;

import io.vertx.json.schema.OutputUnit;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Turns what the JSON Schema validator of Vert.x says into one error for each bad field, in words of ours. The validator
 * also reports every schema around a violation, and calls a known member unknown once its value is wrong; both are
 * left out here.
 */
final class SchemaErrors {
    /** Keywords that only say that something inside them is wrong. */
    private static final Set<String> AROUND = Set.of(
            "$ref",
            "properties",
            "patternProperties",
            "propertyNames",
            "items",
            "prefixItems",
            "allOf",
            "if",
            "dependentSchemas",
            "unevaluatedItems");
    /** Keywords with branches, of which none fits; what each branch misses would only confuse. */
    private static final Set<String> BRANCHING = Set.of("anyOf", "oneOf");

    private static final Pattern MISSING =
            Pattern.compile("(?:does not have required property|but does not have) \"(.*)\"$", Pattern.DOTALL);
    private static final Pattern UNKNOWN = Pattern.compile(
            "^Property \"(.*)\" does not match (?:additional|unevaluated) properties schema$", Pattern.DOTALL);
    private static final int LONGEST_NAME = 100;

    private final Contract contract;
    private final Map<String, Object> schema;
    private final String root;
    private final Map<String, FieldError> byField = new LinkedHashMap<>();

    private SchemaErrors(Contract contract, Map<String, Object> schema, String root) {
        this.contract = contract;
        this.schema = schema;
        this.root = root;
    }

    /**
     * The errors of one value, in the order found, one for each field.
     *
     * @param schemaName under which the contract knows the schema
     * @param root the field that the value itself is; empty for a body
     */
    static List<FieldError> of(Contract contract, String schemaName, String root, OutputUnit result) {
        List<OutputUnit> units = result.getErrors();
        if (Boolean.TRUE.equals(result.getValid()) || units == null) {
            return List.of();
        }
        SchemaErrors errors = new SchemaErrors(contract, contract.schema(schemaName), root);
        errors.read(units);
        return List.copyOf(errors.byField.values());
    }

    private void read(List<OutputUnit> units) {
        List<String> branchings = new ArrayList<>();
        for (OutputUnit unit : units) {
            String location = unit.getKeywordLocation();
            String keyword = location.substring(location.lastIndexOf('/') + 1);
            if (branchings.stream().anyMatch(location::startsWith)) {
                continue;
            }
            if (BRANCHING.contains(keyword)) {
                branchings.add(location + "/");
            }
            if (!AROUND.contains(keyword)) {
                read(unit, keyword);
            }
        }
        if (byField.isEmpty()) { // A schema of `false`, which has no keyword that could complain.
            add(new FieldError(root, "not_allowed", "is not allowed", "不允许"));
        }
    }

    private void read(OutputUnit unit, String keyword) {
        String field = field(unit.getInstanceLocation());
        Map<String, Object> around = schemaAround(unit.getKeywordLocation());
        switch (keyword) {
            case "required", "dependentRequired" -> {
                Matcher missing = MISSING.matcher(unit.getError());
                String name = missing.find() ? missing.group(1) : "?";
                add(new FieldError(member(field, name), "required", "is required", "必填"));
            }
            case "additionalProperties", "unevaluatedProperties" -> {
                if (around.get(keyword) instanceof Map) {
                    return; // Any name may stand there; what is wrong with its value follows.
                }
                Matcher unknown = UNKNOWN.matcher(unit.getError());
                String name = unknown.find() ? unknown.group(1) : "?";
                Set<String> known = memberNames(around, new LinkedHashSet<>(), 0);
                if (!known.contains(name)) {
                    add(unknown(member(field(parent(unit.getInstanceLocation())), name), name, known));
                }
            }
            default -> add(Violations.describe(field, keyword, around.get(keyword)));
        }
    }

    private void add(FieldError error) {
        byField.putIfAbsent(error.field(), error);
    }

    static FieldError unknown(String field, String name, Collection<String> known) {
        String close = Spelling.closest(name, known);
        return new FieldError(
                field,
                "unknown_field",
                "is not known" + (close == null ? "" : "; did you mean " + close + "?"),
                "未知" + (close == null ? "" : "，是否应为 " + close + "？"));
    }

    /** The schema that holds the keyword at this place; empty if it cannot be found. */
    private Map<String, Object> schemaAround(String keywordLocation) {
        Object at = schema;
        String[] steps = keywordLocation.split("/", -1);
        for (int i = 1; i < steps.length - 1; i++) {
            if (steps[i].equals("$ref")) {
                at = contract.resolved(at);
            } else if (at instanceof Map<?, ?> map) {
                at = map.get(unescaped(steps[i]));
            } else if (at instanceof List<?> list && steps[i].matches("\\d{1,9}")) {
                int index = Integer.parseInt(steps[i]);
                at = index < list.size() ? list.get(index) : null;
            }
        }
        return at instanceof Map<?, ?> ? contract.resolvedKeepingSiblings(at) : Map.of();
    }

    private Set<String> memberNames(@Nullable Object within, Set<String> names, int depth) {
        if (depth < 20 && within instanceof Map<?, ?> map) {
            if (map.get("$ref") instanceof String) {
                memberNames(contract.resolved(map), names, depth + 1);
            }
            if (map.get("properties") instanceof Map<?, ?> properties) {
                properties.keySet().forEach(name -> names.add(String.valueOf(name)));
            }
            for (String combining : List.of("allOf", "anyOf", "oneOf")) {
                if (map.get(combining) instanceof List<?> branches) {
                    branches.forEach(branch -> memberNames(branch, names, depth + 1));
                }
            }
            for (String conditional : List.of("if", "then", "else")) {
                memberNames(map.get(conditional), names, depth + 1);
            }
        }
        return names;
    }

    /** A place in the value as a path: {@code #/hosts/0/gpus} is {@code hosts[0].gpus}. */
    private String field(String instanceLocation) {
        StringBuilder field = new StringBuilder(root);
        String[] steps = instanceLocation.split("/", -1);
        for (int i = 1; i < steps.length; i++) {
            if (steps[i].matches("\\d+")) {
                field.append('[').append(steps[i]).append(']');
            } else {
                field.append(field.isEmpty() ? "" : ".").append(shortened(unescaped(steps[i])));
            }
        }
        return field.toString();
    }

    private static String member(String parent, String name) {
        return parent.isEmpty() ? shortened(name) : parent + "." + shortened(name);
    }

    private static String parent(String location) {
        return location.substring(0, location.lastIndexOf('/'));
    }

    private static String shortened(String name) {
        return name.codePointCount(0, name.length()) <= LONGEST_NAME
                ? name
                : name.substring(0, name.offsetByCodePoints(0, LONGEST_NAME)) + "…";
    }

    private static String unescaped(String step) {
        String decoded = step;
        try {
            decoded = URLDecoder.decode(step.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) { // The validator writes control characters with one digit.
            decoded = step;
        }
        return decoded.replace("~1", "/").replace("~0", "~");
    }
}
