package dev.gpubroker.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.OutputUnit;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.Operation;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ContractTest {
    private static final Pattern PARAGRAPH =
            Pattern.compile("(?m)^## `([a-z_]+)` · (\\d{3})\\n([^\\n]+)\\n([^\\n]+)\\n");
    private static final Pattern HAN = Pattern.compile("\\p{IsHan}");
    private static final Pattern CODE_IN_TEXT = Pattern.compile("`([a-z]+(?:_[a-z]+)+)`");

    private final Contract contract = Contract.read();

    @Test
    void vertxLoadsIt() throws Exception {
        Locale before = Locale.getDefault();
        Locale.setDefault(
                Locale.ROOT); // Vert.x 5.0 upper-cases names of types in the default locale, which fails in Turkish.
        Vertx vertx = Vertx.vertx();
        try {
            OpenAPIContract loaded = OpenAPIContract.from(vertx, contract.forVertx())
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);

            assertThat(loaded.operations())
                    .extracting(Operation::getOperationId)
                    .containsAll(operationIds());
        } finally {
            Locale.setDefault(before);
            vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void itHasEveryCallOfTheFirstRelease() {
        assertThat(operationIds())
                .containsExactlyInAnyOrder(
                        "interpretPhrase",
                        "quote",
                        "bookReservation",
                        "listReservations",
                        "readReservation",
                        "changeReservation",
                        "listReservationEvents",
                        "readAccess",
                        "readMe",
                        "writeMe",
                        "reportMachineReady",
                        "acceptProposal",
                        "declineProposal",
                        "quoteCancellation",
                        "cancelReservation",
                        "readAvailability",
                        "readCalendar",
                        "listGpuModels",
                        "listPlatforms",
                        "readPlatform",
                        "listAccounts",
                        "listPools",
                        "createPool",
                        "readPool",
                        "deletePool",
                        "listOutages",
                        "declareOutage",
                        "endOutage",
                        "listTriggers",
                        "createTrigger",
                        "readTrigger",
                        "deleteTrigger",
                        "listTriggerFirings",
                        "fireTriggerAgain",
                        "listWebhooks",
                        "createWebhook",
                        "readWebhook",
                        "changeWebhook",
                        "deleteWebhook",
                        "rotateWebhookSecret",
                        "listWebhookDeliveries",
                        "resendWebhookDelivery",
                        "readDemoClock",
                        "moveDemoClock",
                        "readStatus",
                        "listTasks",
                        "answerTask",
                        "createLease",
                        "listLeases",
                        "readLease",
                        "streamLease",
                        "endLease",
                        "beatLease",
                        "pausePurchases",
                        "resumePurchases",
                        "listTeams",
                        "createTeam",
                        "deleteTeam",
                        "listTokens",
                        "createToken",
                        "revokeToken",
                        "listTrustRules",
                        "createTrustRule",
                        "deleteTrustRule",
                        "createTicket",
                        "renewTicket",
                        "endTicket",
                        "readCaller",
                        "listAuditEvents",
                        "health",
                        "ready");
    }

    @Test
    void everyErrorIsAProblemDocument() {
        contract.eachOperation(operation -> {
            JsonObject responses = operation.getJsonObject("responses");
            String id = operation.getString("operationId");
            assertThat(responses.fieldNames()).as(id).contains("default");
            for (Map.Entry<String, Object> response : responses) {
                boolean success = response.getKey().startsWith("2");
                boolean notReady = id.equals("ready") && response.getKey().equals("503");
                if (!success && !notReady) {
                    JsonObject resolved = resolve((JsonObject) response.getValue());
                    assertThat(resolved.getJsonObject("content").fieldNames())
                            .as("%s %s", id, response.getKey())
                            .containsExactly("application/problem+json");
                }
            }
        });
    }

    @Test
    void everyBodyRefusesUnknownMembersAndBoundsWhatItTakes() {
        for (String name : schemasOfBodies()) {
            JsonObject schema = contract.schema(name);
            if ("object".equals(schema.getString("type"))) {
                assertThat(schema.getValue("additionalProperties"))
                        .as(name)
                        .isNotNull()
                        .isNotEqualTo(true);
            }
            assertThat(unbounded(name, schema)).isEmpty();
        }
    }

    @Test
    void aMisspeltMemberIsNamed() {
        JsonObject body = new JsonObject()
                .put("gpu", new JsonObject().put("model", "A100").put("count", 8))
                .put("start", "2026-12-20T00:00:00+08:00")
                .put("durration", "P5D");

        OutputUnit result = contract.checkAsWritten("BookingBody", body);

        assertThat(result.getValid()).isFalse();
        assertThat(result.getErrors())
                .anySatisfy(error -> assertThat(error.getInstanceLocation()).isEqualTo("#/durration"));
    }

    @Test
    void aCountThatIsNoCountIsRefusedOnItsField() {
        for (Object count : List.of(0, -1, 1.5, 1025, "8", "八点五")) {
            JsonObject gpu = new JsonObject().put("model", "A100").put("count", count);
            OutputUnit result = contract.checkAsWritten("BookingBody", new JsonObject().put("gpu", gpu));

            assertThat(result.getValid()).as("count %s", count).isFalse();
            assertThat(result.getErrors())
                    .anySatisfy(error -> assertThat(error.getInstanceLocation()).isEqualTo("#/gpu/count"));
        }
    }

    @Test
    void theNormalisedRequestCanBePostedAsItIs() {
        Set<String> answered =
                contract.schema("NormalisedRequest").getJsonObject("properties").fieldNames();
        Set<String> quoted =
                contract.schema("QuoteBody").getJsonObject("properties").fieldNames();
        Set<String> booked =
                contract.schema("BookingBody").getJsonObject("properties").fieldNames();

        assertThat(quoted).containsAll(answered);
        assertThat(booked).containsAll(quoted);
    }

    @Test
    void everyProblemCodeHasItsParagraphInBothLanguages() {
        List<MatchResult> paragraphs =
                PARAGRAPH.matcher(Contract.resource("problems.md")).results().toList();

        assertThat(paragraphs).extracting(each -> each.group(1)).containsExactlyInAnyOrderElementsOf(problemCodes());
        assertThat(paragraphs).allSatisfy(each -> {
            assertThat(HAN.matcher(each.group(4)).find()).as(each.group(1)).isTrue();
            assertThat(Integer.parseInt(each.group(2))).isBetween(400, 599);
        });
        assertThat(Contract.resource("problems.md").lines().filter(line -> line.startsWith("## ")))
                .hasSameSizeAs(paragraphs);
    }

    @Test
    void theAnswersNameOnlyCodesThatExist() {
        JsonObject responses = contract.tree().getJsonObject("components").getJsonObject("responses");
        for (Map.Entry<String, Object> response : responses) {
            String description = ((JsonObject) response.getValue()).getString("description");
            List<String> named = CODE_IN_TEXT
                    .matcher(description)
                    .results()
                    .map(each -> each.group(1))
                    .toList();
            assertThat(problemCodes()).as(response.getKey()).containsAll(named);
        }
    }

    @Test
    void noTextWasReadAsABoolean() {
        List<String> wrong = new ArrayList<>();
        textsThatAreNone("#", contract.tree(), wrong);
        assertThat(wrong).isEmpty();
    }

    private List<String> operationIds() {
        List<String> ids = new ArrayList<>();
        contract.eachOperation(operation -> ids.add(operation.getString("operationId")));
        return ids;
    }

    private List<String> problemCodes() {
        return contract
                .schema("Problem")
                .getJsonObject("properties")
                .getJsonObject("code")
                .getJsonArray("examples")
                .stream()
                .map(String.class::cast)
                .toList();
    }

    private JsonObject resolve(JsonObject node) {
        String ref = node.getString("$ref");
        return ref == null
                ? node
                : contract.tree()
                        .getJsonObject("components")
                        .getJsonObject("responses")
                        .getJsonObject(ref.substring(ref.lastIndexOf('/') + 1));
    }

    /** Names of the schemas that request bodies are made of. */
    private Set<String> schemasOfBodies() {
        Set<String> names = new LinkedHashSet<>();
        contract.eachOperation(operation -> {
            if (operation.containsKey("requestBody")) {
                collectRefs(operation.getJsonObject("requestBody"), names);
            }
        });
        return names;
    }

    private void collectRefs(Object node, Set<String> names) {
        if (node instanceof JsonArray list) {
            list.forEach(each -> collectRefs(each, names));
        } else if (node instanceof JsonObject object) {
            for (Map.Entry<String, Object> entry : object) {
                if (entry.getKey().equals("$ref")) {
                    String name = ((String) entry.getValue()).substring("#/components/schemas/".length());
                    if (names.add(name)) {
                        collectRefs(contract.schema(name), names);
                    }
                } else {
                    collectRefs(entry.getValue(), names);
                }
            }
        }
    }

    private static List<String> unbounded(String where, JsonObject schema) {
        List<String> found = new ArrayList<>();
        String type = schema.getValue("type") instanceof String single ? single : "";
        boolean bounded = switch (type) {
            case "string" ->
                schema.containsKey("maxLength") || schema.containsKey("enum") || schema.containsKey("pattern");
            case "integer", "number" -> schema.containsKey("minimum") && schema.containsKey("maximum");
            case "array" -> schema.containsKey("maxItems");
            default -> true;
        };
        if (!bounded) {
            found.add(where);
        }
        if (schema.getValue("items") instanceof JsonObject items) {
            found.addAll(unbounded(where + "[]", items));
        }
        if (schema.getValue("additionalProperties") instanceof JsonObject values) {
            found.addAll(unbounded(where + ".*", values));
        }
        for (Map.Entry<String, Object> member : schema.getJsonObject("properties", new JsonObject())) {
            found.addAll(unbounded(where + "." + member.getKey(), (JsonObject) member.getValue()));
        }
        return found;
    }

    private static void textsThatAreNone(String where, Object node, List<String> wrong) {
        if (node instanceof JsonArray list) {
            for (int i = 0; i < list.size(); i++) {
                textsThatAreNone(where + "/" + i, list.getValue(i), wrong);
            }
        } else if (node instanceof JsonObject object) {
            for (Map.Entry<String, Object> entry : object) {
                String here = where + "/" + entry.getKey();
                boolean text = Set.of("description", "summary", "title").contains(entry.getKey());
                boolean member = where.endsWith("/properties");
                if (text && !member && !(entry.getValue() instanceof String)) {
                    wrong.add(here);
                }
                if (entry.getKey().equals("enum")) {
                    ((JsonArray) entry.getValue())
                            .stream().filter(Boolean.class::isInstance).forEach(each -> wrong.add(here));
                }
                textsThatAreNone(here, entry.getValue(), wrong);
            }
        }
    }
}
