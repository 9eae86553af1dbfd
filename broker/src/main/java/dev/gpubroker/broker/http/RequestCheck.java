package dev.gpubroker.broker.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.gpubroker.broker.http.Contract.Operation;
import dev.gpubroker.broker.http.Contract.Parameter;
import io.vertx.core.MultiMap;
import io.vertx.json.schema.SchemaRepository;
import io.vertx.json.schema.Validator;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Checks requests of one operation against the contract and names everything that is wrong at once. */
final class RequestCheck {
    /** Where Vert.x keeps the schemas of the contract it has loaded. */
    private static final String SCHEMAS = "app://#/components/schemas/";

    private static final JsonNodeFactory NODES = JsonNodeFactory.withExactBigDecimals(true);
    private static final String WHOLE_NUMBER = "-?(0|[1-9][0-9]{0,30})";
    private static final String DECIMAL = WHOLE_NUMBER + "(\\.[0-9]{1,30})?";

    private final Contract contract;
    private final Operation operation;
    private final Set<String> queryNames;
    private final Map<Parameter, Validator> parameterChecks = new LinkedHashMap<>();
    private final @Nullable Validator bodyCheck;
    private final TextCheck textCheck;

    RequestCheck(Contract contract, Operation operation, SchemaRepository schemas) {
        this.contract = contract;
        this.operation = operation;
        for (Parameter parameter : operation.parameters()) {
            String name = Contract.parameterSchema(operation, parameter);
            parameterChecks.put(parameter, schemas.validator(SCHEMAS + name));
        }
        this.queryNames = operation.parameters().stream()
                .filter(parameter -> parameter.in().equals("query"))
                .map(Parameter::name)
                .collect(Collectors.toSet());
        this.bodyCheck =
                operation.bodyTypes().isEmpty() ? null : schemas.validator(SCHEMAS + Contract.bodySchema(operation));
        this.textCheck = new TextCheck(
                contract, operation.bodyTypes().isEmpty() ? Map.of() : contract.schema(Contract.bodySchema(operation)));
    }

    /**
     * The query's values as the contract types them, with its defaults.
     *
     * @throws ApiProblem 400 naming every field that is wrong
     */
    Map<String, JsonNode> check(Map<String, String> path, MultiMap query, MultiMap headers, @Nullable JsonNode body) {
        List<FieldError> errors = new ArrayList<>();
        Map<String, JsonNode> typed = new HashMap<>();
        for (String name : query.names()) {
            if (!queryNames.contains(name)) {
                errors.add(SchemaErrors.unknown(name, name, queryNames));
            }
        }
        parameterChecks.forEach((parameter, validator) -> {
            JsonNode value = value(parameter, path, query, headers, errors);
            if (value != null) {
                String schema = Contract.parameterSchema(operation, parameter);
                errors.addAll(SchemaErrors.of(
                        contract, schema, parameter.name(), validator.validate(BodyJson.forValidator(value))));
                if (parameter.in().equals("query")) {
                    typed.put(parameter.name(), value);
                }
            }
        });
        checkBody(body, errors);
        if (!errors.isEmpty()) {
            throw new ApiProblem(Problem.invalid(errors));
        }
        return typed;
    }

    private void checkBody(@Nullable JsonNode body, List<FieldError> errors) {
        if (body == null) {
            if (operation.bodyRequired()) {
                errors.add(new FieldError("", "required", "is required", "必填"));
            }
        } else if (bodyCheck != null) {
            errors.addAll(SchemaErrors.of(
                    contract, Contract.bodySchema(operation), "", bodyCheck.validate(BodyJson.forValidator(body))));
            textCheck.check(body, errors);
        } else if (body.isObject()) {
            body.fieldNames().forEachRemaining(name -> errors.add(SchemaErrors.unknown(name, name, Set.of())));
        } else {
            errors.add(new FieldError("", "not_allowed", "is not allowed here", "此操作不接受请求体"));
        }
    }

    private @Nullable JsonNode value(
            Parameter parameter, Map<String, String> path, MultiMap query, MultiMap headers, List<FieldError> errors) {
        List<String> given = switch (parameter.in()) {
            case "path" -> path.containsKey(parameter.name()) ? List.of(path.get(parameter.name())) : List.of();
            case "query" -> query.getAll(parameter.name());
            default -> headers.getAll(parameter.name());
        };
        boolean list = parameter.type().equals("array");
        if (given.isEmpty()) {
            if (parameter.required()) {
                errors.add(new FieldError(parameter.name(), "required", "is required", "必填"));
            }
            Object otherwise = parameter.schema().get("default");
            return otherwise == null ? null : ApiJson.mapper().valueToTree(otherwise);
        }
        if (given.stream().anyMatch(BodyJson::isBad)) {
            errors.add(new FieldError(parameter.name(), "characters", "has characters that are not text", "含有非法字符"));
            return null;
        }
        if (!list && given.size() > 1) {
            errors.add(new FieldError(parameter.name(), "repeated", "is given more than once", "重复给出"));
            return null;
        }
        if (!list) {
            return typed(given.get(0), parameter.type());
        }
        ArrayNode items = NODES.arrayNode();
        String itemType =
                contract.resolved(parameter.schema().get("items")).get("type") instanceof String type ? type : "string";
        given.stream()
                .flatMap(each -> List.of(each.split(",", -1)).stream())
                .forEach(each -> items.add(typed(each, itemType)));
        return items;
    }

    /** The text as a value of this type; left as text if it is none, so that the schema says so. */
    private static JsonNode typed(String text, String type) {
        if (type.equals("integer") && text.matches(WHOLE_NUMBER)) {
            BigInteger number = new BigInteger(text);
            if (number.bitLength() < 32) {
                return NODES.numberNode(number.intValue());
            }
            return number.bitLength() < 64 ? NODES.numberNode(number.longValue()) : NODES.numberNode(number);
        }
        if (type.equals("number") && text.matches(DECIMAL)) {
            return NODES.numberNode(new BigDecimal(text));
        }
        if (type.equals("boolean") && (text.equals("true") || text.equals("false"))) {
            return NODES.booleanNode(text.equals("true"));
        }
        return NODES.textNode(text);
    }
}
