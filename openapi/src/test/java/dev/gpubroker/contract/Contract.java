package dev.gpubroker.contract;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import io.vertx.openapi.contract.MediaType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The contract as the build packages it, with what tests ask of it. */
final class Contract {
    static final Path FOLDER = Path.of("").toAbsolutePath();

    private static final TypeReference<Map<String, Object>> TREE = new TypeReference<>() {};

    private final JsonObject tree;

    private Contract(JsonObject tree) {
        this.tree = tree;
    }

    static Contract read() {
        try {
            Map<String, Object> yaml = new ObjectMapper(new YAMLFactory()).readValue(resource("broker.yaml"), TREE);
            return new Contract(new JsonObject(new ObjectMapper().writeValueAsString(yaml)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Text of a file that the jar carries under {@code /openapi/}. */
    static String resource(String name) {
        try (var in = Contract.class.getResourceAsStream("/openapi/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    JsonObject tree() {
        return tree;
    }

    JsonObject schemas() {
        return tree.getJsonObject("components").getJsonObject("schemas");
    }

    JsonObject schema(String name) {
        JsonObject schema = schemas().getJsonObject(name);
        if (schema == null) {
            throw new IllegalArgumentException("the contract has no schema " + name);
        }
        return schema;
    }

    /** Calls the visitor with every operation of every path. */
    void eachOperation(Consumer<JsonObject> visitor) {
        for (Map.Entry<String, Object> path : tree.getJsonObject("paths")) {
            for (Map.Entry<String, Object> method : (JsonObject) path.getValue()) {
                if (method.getValue() instanceof JsonObject operation) {
                    visitor.accept(operation);
                }
            }
        }
    }

    /** Vert.x 5.0 refuses a contract that names a media type which it cannot decode: a copy without those. */
    JsonObject forVertx() {
        JsonObject copy = tree.copy();
        stripContent(copy);
        return copy;
    }

    /** Checks a value against a schema; answers may not have members that the contract does not describe. */
    OutputUnit check(String schema, Object value) {
        JsonObject strict = tree.copy();
        strict.getJsonObject("components")
                .getJsonObject("schemas")
                .forEach(each -> close((JsonObject) each.getValue()));
        return validate(strict, schema, value);
    }

    /** Checks a value exactly as the contract says. */
    OutputUnit checkAsWritten(String schema, Object value) {
        return validate(tree, schema, value);
    }

    private static OutputUnit validate(JsonObject contract, String schema, Object value) {
        JsonObject root = new JsonObject()
                .put("$schema", Draft.DRAFT202012.getIdentifier())
                .put("$ref", "#/components/schemas/" + schema)
                .put("components", contract.getJsonObject("components"));
        JsonSchemaOptions options = new JsonSchemaOptions()
                .setBaseUri("urn:gpu-broker")
                .setDraft(Draft.DRAFT202012)
                .setOutputFormat(OutputFormat.Basic);
        return Validator.create(JsonSchema.of(root), options).validate(value);
    }

    private static void close(JsonObject schema) {
        if (schema.containsKey("properties") && !schema.containsKey("additionalProperties")) {
            schema.put("additionalProperties", false);
        }
    }

    private static void stripContent(Object node) {
        if (node instanceof JsonArray list) {
            list.forEach(Contract::stripContent);
        } else if (node instanceof JsonObject object) {
            if (object.getValue("content") instanceof JsonObject content) {
                for (String type : List.copyOf(content.fieldNames())) {
                    if (!MediaType.isMediaTypeSupported(type)) {
                        content.remove(type);
                    }
                }
                if (content.isEmpty()) {
                    object.remove("content");
                }
            }
            object.forEach(entry -> stripContent(entry.getValue()));
        }
    }
}
