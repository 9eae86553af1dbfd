package dev.gpubroker.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.OutputUnit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Examples are named {@code <schema>.<case>.json}. */
class ExamplesTest {
    private final Contract contract = Contract.read();

    static Stream<String> examples() throws IOException {
        try (Stream<Path> files = Files.list(Contract.FOLDER.resolve("examples"))) {
            List<String> names = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".json"))
                    .sorted()
                    .toList();
            return names.stream();
        }
    }

    @ParameterizedTest
    @MethodSource("examples")
    void itFitsItsSchema(String name) {
        String schema = name.substring(0, name.indexOf('.'));
        OutputUnit result = contract.check(schema, read(name));

        assertThat(result.getErrors() == null ? List.of() : result.getErrors())
                .as(name)
                .allSatisfy(error -> assertThat(error.toJson()).isNull());
        assertThat(result.getValid()).isTrue();
    }

    @Test
    void bothLanguagesOfTheMissionSentenceMeanTheSame() {
        assertThat(withoutWords(read("Interpretation.en.json")))
                .isEqualTo(withoutWords(read("Interpretation.zh.json")));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void aTotalIsTheSumOfItsKnownLines(String name) {
        eachPriced(read(name), priced -> {
            JsonObject total = priced.getJsonObject("total");
            java.math.BigDecimal sum = priced.getJsonArray("lines").stream()
                    .map(line -> ((JsonObject) line).getJsonObject("amount"))
                    .filter(amount -> amount != null)
                    .map(amount -> new java.math.BigDecimal(amount.getString("amount")))
                    .reduce(java.math.BigDecimal.ZERO, java.math.BigDecimal::add);
            assertThat(new java.math.BigDecimal(total.getString("amount"))).isEqualByComparingTo(sum);
        });
    }

    private static JsonObject read(String name) {
        return new JsonObject(Contract.text(Contract.FOLDER.resolve("examples").resolve(name)));
    }

    private static JsonObject withoutWords(JsonObject interpretation) {
        JsonObject request = interpretation.getJsonObject("request");
        request.remove("phrase");
        return request;
    }

    private static void eachPriced(Object node, java.util.function.Consumer<JsonObject> visitor) {
        if (node instanceof JsonArray list) {
            list.forEach(each -> eachPriced(each, visitor));
        } else if (node instanceof JsonObject object) {
            if (object.containsKey("total") && object.containsKey("lines")) {
                visitor.accept(object);
            }
            for (Map.Entry<String, Object> entry : object) {
                eachPriced(entry.getValue(), visitor);
            }
        }
    }
}
