package dev.gpubroker.broker.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every problem that the broker can answer is one that the contract names; that each of those has its paragraph is tested there. */
final class ProblemCodesTest {
    private static final Path SOURCES = Path.of("src", "main", "java");
    private static final Pattern MADE =
            Pattern.compile("(?:Problem\\.of|new Problem|new ApiProblem)\\(\\s*\\d{3},\\s*\"([a-z_]+)\"");

    @Test
    void everyCodeThatIsAnsweredStandsInTheContract() throws IOException {
        JsonNode contract = new YAMLMapper().readTree(Contract.packaged().published());
        Set<String> named = new TreeSet<>();
        contract.at("/components/schemas/Problem/properties/code/examples").forEach(code -> named.add(code.asText()));

        assertThat(answered()).hasSizeGreaterThan(20).isSubsetOf(named);
    }

    private static Set<String> answered() throws IOException {
        Set<String> codes = new TreeSet<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                MADE.matcher(Files.readString(file)).results().forEach(made -> codes.add(made.group(1)));
            }
        }
        return codes;
    }
}
