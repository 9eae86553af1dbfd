package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.vertx.core.json.JsonObject;
import io.vertx.openapi.contract.MediaType;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The contract in three shapes: the bytes as published, what the router needs to know of each operation, and a copy
 * that Vert.x can load. Vert.x 5.0 refuses every media type but a few, and wants an absolute server address.
 */
public final class Contract {
    /** Where the build puts the contract. */
    public static final String RESOURCE = "/openapi/broker.yaml";

    private static final Set<String> METHODS =
            Set.of("get", "put", "post", "delete", "options", "head", "patch", "trace");
    /** Calls that book or spend. A contract can say so itself with {@code x-idempotency: required}. */
    private static final Set<String> SPENDING = Set.of("bookReservation", "acceptProposal");
    /** Longer than the deadline of any call that asks platforms. */
    private static final Duration USUAL_TIME = Duration.ofSeconds(60);
    /** A long poll of a minute, and the usual time for its answer. */
    private static final Duration POLL_TIME = Duration.ofSeconds(120);
    /** A walk of the demo clock settles each due instant on its way. */
    private static final Duration WALK_TIME = Duration.ofMinutes(10);

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private final byte[] published;
    private final Map<String, Object> document;
    private final Map<String, Operation> operations = new TreeMap<>();

    private final Map<String, Object> named;

    private Contract(byte[] published, Map<String, Object> document) {
        this.published = published;
        this.document = document;
        members(document.get("paths"))
                .forEach((path, item) -> members(item).forEach((method, operation) -> {
                    if (METHODS.contains(method)) {
                        add(path, method, members(operation), members(item));
                    }
                }));
        this.named = namedSchemas();
    }

    /** Reads the contract that the build packaged. */
    public static Contract packaged() {
        return ofResource(RESOURCE);
    }

    /** Reads a contract from the class path. */
    static Contract ofResource(String resource) {
        try (InputStream in = Contract.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("not on the class path: " + resource);
            }
            return of(in.readAllBytes());
        } catch (IOException e) {
            throw new IllegalStateException("cannot read " + resource, e);
        }
    }

    static Contract of(byte[] yaml) {
        try {
            return new Contract(yaml, YAML.readValue(yaml, new TypeReference<Map<String, Object>>() {}));
        } catch (IOException e) {
            throw new IllegalStateException("the contract is not YAML", e);
        }
    }

    /**
     * What the router needs to know of an operation beyond what Vert.x tells.
     *
     * @param open whether it needs no token
     * @param parameters of the path, the query and headers
     * @param bodyTypes media types of the request's body, lower case; empty if it takes none
     * @param timeout how long the handler may take
     */
    record Operation(
            String id,
            String method,
            String path,
            boolean open,
            List<Parameter> parameters,
            Set<String> bodyTypes,
            boolean bodyRequired,
            KeyRule keyRule,
            Duration timeout) {}

    /**
     * A parameter of an operation.
     *
     * @param in {@code path}, {@code query} or {@code header}
     * @param schema with local references unresolved
     * @param type of the schema, one of JSON's; of an array that of the whole
     */
    record Parameter(String name, String in, boolean required, Map<String, Object> schema, String type) {}

    /** Whether an operation takes an idempotency key. */
    enum KeyRule {
        NONE,
        OPTIONAL,
        REQUIRED
    }

    /** The contract as written. */
    public byte[] published() {
        return published.clone();
    }

    /** All operations by id. */
    Map<String, Operation> operations() {
        return Collections.unmodifiableMap(operations);
    }

    Operation operation(String id) {
        return requireNonNull(operations.get(id), () -> "no operation " + id);
    }

    /** The methods of the path that a request's path falls under, upper case; empty if there is none. */
    List<String> methodsAt(String requestPath) {
        return operations.values().stream()
                .filter(operation -> matches(operation.path(), requestPath))
                .map(Operation::method)
                .sorted()
                .toList();
    }

    /** The name of a body's schema in the copy for Vert.x. */
    static String bodySchema(Operation operation) {
        return "body." + operation.id();
    }

    /** The name of a parameter's schema in the copy for Vert.x. */
    static String parameterSchema(Operation operation, Parameter parameter) {
        return "parameter." + operation.id() + "." + parameter.in() + "." + parameter.name();
    }

    /**
     * A copy that Vert.x can load: JSON under other names is JSON, other media types are gone, security is ours. The
     * parameters and response headers are gone too, since Vert.x cannot read them where the machine's language is Turkish
     * ({@code "string".toUpperCase()}); their schemas and those of bodies are found by name instead.
     */
    JsonObject forVertx() {
        try {
            Map<String, Object> stripped = copy(document);
            members(members(stripped.get("components")).get("schemas")).putAll(copy(named));
            members(stripped.get("components")).remove("parameters");
            strip(stripped);
            stripped.put("servers", List.of(Map.of("url", "http://localhost")));
            return new JsonObject(ApiJson.mapper().writeValueAsString(stripped));
        } catch (IOException e) {
            throw new IllegalStateException("the contract cannot be copied", e);
        }
    }

    private Map<String, Object> namedSchemas() {
        Map<String, Object> schemas = new LinkedHashMap<>();
        for (Operation operation : operations.values()) {
            operation
                    .parameters()
                    .forEach(parameter -> schemas.put(parameterSchema(operation, parameter), parameter.schema()));
            Map<String, Object> item = members(members(document.get("paths")).get(operation.path()));
            Map<String, Object> body =
                    resolved(members(item.get(operation.method().toLowerCase(Locale.ROOT)))
                            .get("requestBody"));
            members(body.get("content"))
                    .forEach((type, media) ->
                            schemas.put(bodySchema(operation), members(media).get("schema")));
        }
        return schemas;
    }

    /** A schema by its name in the copy for Vert.x; with local references unresolved. */
    Map<String, Object> schema(String name) {
        Object own = named.get(name);
        return members(
                own != null
                        ? own
                        : members(members(document.get("components")).get("schemas"))
                                .get(name));
    }

    private static Map<String, Object> copy(Map<String, Object> original) throws IOException {
        return ApiJson.mapper().readValue(ApiJson.mapper().writeValueAsBytes(original), new TypeReference<>() {});
    }

    private void add(String path, String method, Map<String, Object> operation, Map<String, Object> pathItem) {
        String id = (String) requireNonNull(operation.get("operationId"), () -> method + " " + path + " has no id");
        Map<String, Object> body = resolved(operation.get("requestBody"));
        List<Parameter> parameters = Stream.of(pathItem, operation)
                .flatMap(declaring -> items(declaring.get("parameters")).stream())
                .map(this::parameter)
                .toList();
        Object security = operation.containsKey("security") ? operation.get("security") : document.get("security");
        Operation added = new Operation(
                id,
                method.toUpperCase(Locale.ROOT),
                path,
                items(security).isEmpty(),
                parameters,
                mediaTypes(body),
                Boolean.TRUE.equals(body.get("required")),
                keyRule(id, operation, parameters),
                timeout(path, parameters));
        if (operations.put(id, added) != null) {
            throw new IllegalStateException("two operations are called " + id);
        }
    }

    private static Duration timeout(String path, List<Parameter> parameters) {
        if (path.startsWith("/v1/demo/")) {
            return WALK_TIME;
        }
        boolean polls = parameters.stream().anyMatch(each -> each.name().equals("wait"));
        return polls ? POLL_TIME : USUAL_TIME;
    }

    private Parameter parameter(Object declared) {
        Map<String, Object> parameter = resolved(declared);
        Map<String, Object> schema = members(parameter.get("schema"));
        return new Parameter(
                (String) requireNonNull(parameter.get("name")),
                (String) requireNonNull(parameter.get("in")),
                Boolean.TRUE.equals(parameter.get("required")),
                schema,
                resolved(schema).get("type") instanceof String type ? type : "string");
    }

    private static Set<String> mediaTypes(Map<String, Object> body) {
        Set<String> types = new TreeSet<>();
        members(body.get("content")).keySet().forEach(type -> types.add(type.toLowerCase(Locale.ROOT)));
        return Collections.unmodifiableSet(types);
    }

    private KeyRule keyRule(String id, Map<String, Object> operation, List<Parameter> parameters) {
        if (SPENDING.contains(id) || "required".equals(operation.get("x-idempotency"))) {
            return KeyRule.REQUIRED;
        }
        boolean declared = parameters.stream()
                .anyMatch(parameter ->
                        parameter.in().equals("header") && parameter.name().equalsIgnoreCase("Idempotency-Key"));
        return declared ? KeyRule.OPTIONAL : KeyRule.NONE;
    }

    /** The object, or what its local {@code $ref} points to; an empty map for null. */
    Map<String, Object> resolved(@Nullable Object value) {
        Map<String, Object> object = members(value);
        if (!(object.get("$ref") instanceof String ref)) {
            return object;
        }
        Object target = document;
        for (String step : ref.replaceFirst("^#/", "").split("/", -1)) {
            target = requireNonNull(members(target).get(step), () -> "nothing at " + ref);
        }
        return members(target);
    }

    /** As {@link #resolved}, but members beside the {@code $ref} stay and win. */
    Map<String, Object> resolvedKeepingSiblings(@Nullable Object value) {
        Map<String, Object> merged = new LinkedHashMap<>(resolved(value));
        merged.putAll(members(value));
        return merged;
    }

    private static void strip(Map<String, Object> object) {
        // Lists and texts tell these members from properties of a schema that have the same names.
        object.computeIfPresent("security", (name, value) -> value instanceof List ? null : value);
        object.computeIfPresent("parameters", (name, value) -> value instanceof List ? null : value);
        if (object.get("description") instanceof String) {
            object.remove("headers");
        }
        Map<String, Object> content = members(object.get("content"));
        if (content.keySet().stream().anyMatch(key -> key.contains("/"))) {
            Map<String, Object> kept = new LinkedHashMap<>();
            content.forEach((type, media) -> {
                if (MediaType.isMediaTypeSupported(type)) {
                    kept.put(type, media);
                } else if (type.endsWith("+json")) {
                    kept.putIfAbsent(MediaType.APPLICATION_JSON, media);
                }
            });
            if (kept.isEmpty()) {
                object.remove("content");
            } else {
                object.put("content", kept);
            }
        }
        object.values().forEach(Contract::stripWithin);
        object.computeIfPresent("requestBody", (name, body) -> emptied(body) ? null : body);
    }

    private static boolean emptied(Object requestBody) {
        return !members(requestBody).containsKey("content")
                && !members(requestBody).containsKey("$ref");
    }

    private static void stripWithin(@Nullable Object value) {
        if (value instanceof Map) {
            strip(members(value));
        } else {
            items(value).forEach(Contract::stripWithin);
        }
    }

    private static boolean matches(String template, String path) {
        String[] expected = template.split("/", -1);
        String[] given = path.split("/", -1);
        if (expected.length != given.length) {
            return false;
        }
        for (int i = 0; i < expected.length; i++) {
            boolean parameter = expected[i].startsWith("{");
            if (parameter ? given[i].isEmpty() : !expected[i].equals(given[i])) {
                return false;
            }
        }
        return true;
    }

    @SuppressWarnings("unchecked") // YAML gives nothing but maps with text keys, lists and plain values.
    private static Map<String, Object> members(@Nullable Object value) {
        return value instanceof Map ? (Map<String, Object>) value : Map.of();
    }

    @SuppressWarnings("unchecked") // As above.
    private static List<Object> items(@Nullable Object value) {
        return value instanceof List ? (List<Object>) value : List.of();
    }
}
