package dev.gpubroker.broker.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.http.VisibleText.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Holds every text of one operation's body to {@link VisibleText}, so that no field can forget it. The contract's
 * {@code x-text} says which ones may have several lines, or are scripts.
 */
final class TextCheck {
    /** Schemas lie within each other no deeper; more is one that holds itself. */
    private static final int DEEPEST = 12;

    private final Contract contract;
    private final Map<String, Kind> kinds = new HashMap<>();

    TextCheck(Contract contract, Map<String, Object> bodySchema) {
        this.contract = contract;
        read(bodySchema, "", 0);
    }

    private void read(Object within, String path, int depth) {
        if (depth > DEEPEST || !(within instanceof Map<?, ?>)) {
            return;
        }
        Map<String, Object> schema = contract.resolvedKeepingSiblings(within);
        if (schema.containsKey("x-text")) {
            kinds.put(path, Kind.of(schema.get("x-text")));
        }
        if (schema.get("properties") instanceof Map<?, ?> properties) {
            properties.forEach((name, member) -> read(member, path + "/" + name, depth + 1));
        }
        if (schema.containsKey("items")) {
            read(schema.get("items"), path, depth + 1);
        }
        for (String combining : List.of("allOf", "anyOf", "oneOf")) {
            if (schema.get(combining) instanceof List<?> branches) {
                branches.forEach(branch -> read(branch, path, depth + 1));
            }
        }
    }

    void check(JsonNode body, List<FieldError> errors) {
        check("", "", Kind.LINE, body, errors);
    }

    private void check(String field, String path, Kind around, JsonNode json, List<FieldError> errors) {
        Kind kind = kinds.getOrDefault(path, around);
        if (json.isObject()) {
            json.fields().forEachRemaining(member -> {
                String name = member.getKey();
                VisibleText.fault(field, name, Kind.LINE)
                        .ifPresentOrElse(
                                fault -> errors.add(named(fault)),
                                () -> check(
                                        field.isEmpty() ? name : field + "." + name,
                                        path + "/" + name,
                                        kind,
                                        member.getValue(),
                                        errors));
            });
        } else if (json.isArray()) {
            for (int i = 0; i < json.size(); i++) {
                check(field + "[" + i + "]", path, kind, json.get(i), errors);
            }
        } else if (json.isTextual()) {
            VisibleText.fault(field, json.textValue(), kind).ifPresent(errors::add);
        }
    }

    private static FieldError named(FieldError fault) {
        return new FieldError(
                fault.field(), fault.code(), "has a member whose name " + fault.detail(), "字段名" + fault.detailZh());
    }
}
