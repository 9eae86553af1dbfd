package dev.gpubroker.broker.http;

import static dev.gpubroker.broker.http.TestServer.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.gpubroker.broker.http.Contract.KeyRule;
import dev.gpubroker.broker.http.Contract.Operation;
import dev.gpubroker.broker.request.Limits;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.openapi.contract.OpenAPIContract;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The contract that is published, as the router sees it. */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // All is made before the first test.
class PackagedContractTest {
    private static final String WHOLE = """
            {"gpu": {"model": "A100", "count": 16, "nodes": 2, "memoryGb": 80, "formFactor": "sxm"},
             "start": "2026-12-20T00:00", "duration": "P5D", "timeZone": "Asia/Shanghai",
             "constraints": {"platforms": ["aliyun"], "compliance": ["cn-mlps-3"], "singleNode": false,
                             "security": {"encryptedDisks": true}},
             "substitution": {"mode": "auto", "models": ["RTX4090"], "maxSlowdown": 1.30},
             "onUnavailable": "queue", "maxTotal": {"amount": "20000.00", "currency": "CNY"},
             "title": "微调 7B", "labels": {"project": "llm"}, "atEnd": {"keep": "none"}}""";

    private final Vertx vertx = Vertx.vertx();
    private final Contract contract = Contract.packaged();
    private OpenAPIContract loaded;

    @BeforeAll
    void load() {
        loaded = await(OpenAPIContract.from(vertx, contract.forVertx()));
    }

    @AfterAll
    void stop() {
        await(vertx.close());
    }

    @Test
    void vertxKnowsEveryOperation() {
        assertThat(loaded.operations())
                .extracting(io.vertx.openapi.contract.Operation::getOperationId)
                .containsExactlyInAnyOrderElementsOf(contract.operations().keySet());
    }

    @Test
    void everyOperationCanBeChecked() {
        assertThat(contract.operations().values())
                .allSatisfy(operation -> assertThat(check(operation)).isNotNull());
    }

    /** Whoever asks for a ticket has no token of ours yet, nor has a machine; the one in the body is checked. */
    @Test
    void onlyProbesTheExchangeForATicketAndTheCallOfMachinesAreOpen() {
        assertThat(contract.operations().values())
                .filteredOn(Operation::open)
                .extracting(Operation::path)
                .containsExactlyInAnyOrder("/healthz", "/readyz", "/v1/tickets", "/v1/machines/ready");
    }

    @Test
    void whatBooksOrSpendsNeedsAKey() {
        assertThat(contract.operations().values())
                .filteredOn(operation -> operation.keyRule() == KeyRule.REQUIRED)
                .extracting(Operation::id)
                .contains("bookReservation", "acceptProposal");
    }

    @Test
    void everyPathIsUnderV1OrAProbe() {
        assertThat(contract.operations().values())
                .extracting(Operation::path)
                .allMatch(path -> path.startsWith("/v1/")
                        || List.of("/healthz", "/readyz").contains(path));
    }

    @Test
    void aWholeRequestPassesAndATypoInEachPartIsNamed() {
        Operation book = contract.operation("bookReservation");

        assertThat(check(book, WHOLE)).isEmpty();
        for (Map.Entry<String, String> typo : Map.of(
                        "memoryGb", "gpu.memory",
                        "singleNode", "constraints.single",
                        "encryptedDisks", "constraints.security.encrypted",
                        "maxSlowdown", "substitution.slowdown",
                        "onUnavailable", "unavailable")
                .entrySet()) {
            String wrong = typo.getValue().replaceFirst(".*[.]", "");
            assertThatThrownBy(() -> check(book, WHOLE.replace(typo.getKey(), wrong)))
                    .isInstanceOfSatisfying(ApiProblem.class, refusal -> {
                        assertThat(refusal.problem().code()).isEqualTo("unknown_field");
                        assertThat(refusal.problem().errors())
                                .extracting(FieldError::field)
                                .containsExactly(typo.getValue());
                    });
        }
    }

    @Test
    void aLabelThatIsNoTextIsRefusedAsAWrongValueNotAsAnUnknownName() {
        Operation book = contract.operation("bookReservation");
        for (String value : List.of("1", "null", "{}", "[]")) {
            assertThatThrownBy(() -> check(book, WHOLE.replace("\"llm\"", value)))
                    .isInstanceOfSatisfying(ApiProblem.class, refusal -> {
                        assertThat(refusal.problem().code()).isEqualTo("invalid_request");
                        assertThat(refusal.problem().errors())
                                .containsExactly(new FieldError("labels.project", "type", "must be text", "必须是文本"));
                    });
        }
    }

    @Test
    void theContractTakesLabelsUpToWhatTheBrokerTakes() {
        Map<String, Object> labels = contract.schema("Labels");

        assertThat(labels.get("maxProperties")).isEqualTo(Limits.MAX_LABELS);
        assertThat(labels.get("propertyNames")).isEqualTo(Map.of("minLength", 1, "maxLength", Limits.MAX_LABEL_KEY));
        assertThat(labels.get("additionalProperties"))
                .isEqualTo(Map.of("type", "string", "maxLength", Limits.MAX_LABEL_VALUE));
    }

    private Map<String, JsonNode> check(Operation operation, String body) {
        return check(operation)
                .check(
                        Map.of(),
                        MultiMap.caseInsensitiveMultiMap(),
                        MultiMap.caseInsensitiveMultiMap(),
                        BodyJson.read(body.getBytes(StandardCharsets.UTF_8)));
    }

    private RequestCheck check(Operation operation) {
        return new RequestCheck(contract, operation, loaded.getSchemaRepository());
    }
}
