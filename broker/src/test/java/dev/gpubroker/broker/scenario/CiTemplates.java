package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The files of {@code deploy/ci}, read as each CI system reads them: what a runner would run, and in which environment. */
final class CiTemplates {
    static final Path FOLDER = Path.of("../deploy/ci").toAbsolutePath().normalize();
    private static final Pattern INPUT = Pattern.compile("\\$\\{\\{ inputs\\.([a-z-]+) }}");
    private static final Pattern OUTPUT = Pattern.compile("\\$\\{\\{ steps\\.lease\\.outputs\\.(\\w+) }}");
    private static final Pattern FIELD = Pattern.compile("(\\w+): '(GPU_\\w+)'");

    private CiTemplates() {}

    record Step(String script, Map<String, String> environment) {}

    // ---- GitHub

    /** The step of the composite action, for these values of {@code with}. */
    @SuppressWarnings("unchecked")
    static Step github(Map<String, String> with) {
        Map<String, Object> action = yaml("github/action.yml");
        Map<String, Object> inputs = (Map<String, Object>) action.get("inputs");
        assertThat(inputs.keySet()).containsAll(with.keySet());
        Map<String, Object> runs = (Map<String, Object>) action.get("runs");
        assertThat(runs.get("using")).isEqualTo("composite");
        List<Map<String, Object>> steps = (List<Map<String, Object>>) runs.get("steps");
        assertThat(steps).hasSize(1);
        assertThat(steps.get(0).get("shell")).isEqualTo("bash");
        Map<String, String> environment = new LinkedHashMap<>();
        ((Map<String, String>) steps.get(0).get("env")).forEach((name, text) -> {
            Matcher input = INPUT.matcher(text);
            assertThat(input.matches()).as(text).isTrue();
            assertThat(inputs).containsKey(input.group(1));
            Object usual = ((Map<String, Object>) inputs.get(input.group(1))).getOrDefault("default", "");
            environment.put(name, with.getOrDefault(input.group(1), usual.toString()));
        });
        return new Step((String) steps.get(0).get("run"), environment);
    }

    /** What the action says of itself to later steps, from what the step wrote. */
    @SuppressWarnings("unchecked")
    static Map<String, String> githubOutputs(Path written) throws IOException {
        Map<String, String> values = new TreeMap<>();
        Files.readAllLines(written).forEach(line -> values.put(line.split("=", 2)[0], line.split("=", 2)[1]));
        Map<String, String> outputs = new TreeMap<>();
        ((Map<String, Map<String, String>>) yaml("github/action.yml").get("outputs")).forEach((name, output) -> {
            Matcher value = OUTPUT.matcher(output.get("value"));
            assertThat(value.matches()).isTrue();
            outputs.put(name, values.get(value.group(1)));
        });
        return outputs;
    }

    // ---- GitLab

    @SuppressWarnings("unchecked")
    static Map<String, Object> gitlabJob(String name) {
        return (Map<String, Object>) yaml("gitlab/gpu-broker.yml").get(name);
    }

    /** The script of a hidden job, its lines one after another as the runner joins them. */
    @SuppressWarnings("unchecked")
    static Step gitlab(String name) {
        Map<String, Object> job = gitlabJob(name);
        return new Step(String.join("\n", (List<String>) job.get("script")), (Map<String, String>)
                job.getOrDefault("variables", Map.of()));
    }

    /** What GitLab replaces, as Gitlab::Ci::Config::Interpolation::Block finds it. */
    private static final Pattern BLOCK = Pattern.compile("\\$\\[\\[\\s*(\\S.*?\\S)\\s*]]");

    private static final Pattern VARIABLE = Pattern.compile("\\$([A-Za-z_]\\w*)");

    /**
     * The jobs that a component makes of these inputs. As GitLab does it: inputs are checked by the header, then pasted into the
     * text below it, texts as they are and everything else as JSON, and only then is that read as YAML.
     */
    @SuppressWarnings("unchecked")
    static Map<String, Object> component(String name, Map<String, ?> with) {
        String[] parts = text("gitlab/templates/" + name + ".yml").split("(?m)^---\\n", 2);
        Map<String, Map<String, Object>> inputs = ((Map<String, Map<String, Map<String, Object>>>)
                        (Object) parsed(parts[0]).get("spec"))
                .get("inputs");
        assertThat(inputs.keySet()).containsAll(with.keySet());
        Map<String, Object> values = new TreeMap<>();
        inputs.forEach((input, rules) -> values.put(input, checked(input, rules, with.get(input))));
        String pasted = BLOCK.matcher(parts[1]).replaceAll(block -> {
            String[] access = block.group(1).split("\\.", 2);
            assertThat(access[0]).isEqualTo("inputs");
            assertThat(values).containsKey(access[1]);
            return Matcher.quoteReplacement(asText(values.get(access[1])));
        });
        return parsed(pasted);
    }

    private static Object checked(String input, Map<String, Object> rules, @Nullable Object given) {
        if (given == null && !rules.containsKey("default")) {
            throw new IllegalArgumentException("`" + input + "` input: required value has not been provided");
        }
        Object value = given == null ? rules.get("default") : given;
        boolean fits = switch (rules.getOrDefault("type", "string").toString()) {
            case "number" -> value instanceof Number;
            case "array" -> value instanceof List;
            case "string" -> value instanceof String;
            default -> false;
        };
        Object pattern = rules.get("regex");
        if (!fits
                || (pattern != null
                        && !Pattern.compile(pattern.toString())
                                .matcher(value.toString())
                                .find())) {
            throw new IllegalArgumentException("`" + input + "` input: provided value is not taken");
        }
        return value;
    }

    private static String asText(Object value) {
        try {
            return value instanceof String text ? text : new ObjectMapper().writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A job of a component as a runner gets it, with variables of the project to put in. */
    @SuppressWarnings("unchecked")
    static Step componentJob(Map<String, Object> job, Map<String, String> project) {
        Map<String, String> environment = new LinkedHashMap<>();
        ((Map<String, Object>) job.get("variables")).forEach((name, value) -> {
            if (value instanceof Map<?, ?> detailed) {
                assertThat(detailed.get("expand")).isEqualTo(false);
                environment.put(name, String.valueOf(detailed.get("value")));
            } else {
                environment.put(
                        name,
                        VARIABLE.matcher(value.toString())
                                .replaceAll(each -> Matcher.quoteReplacement(project.getOrDefault(each.group(1), ""))));
            }
        });
        return new Step(String.join("\n", (List<String>) job.get("script")), environment);
    }

    // ---- Jenkins

    /** What the step of the shared library runs, and which variable each of its fields becomes. */
    static Step jenkins() {
        Matcher field = FIELD.matcher(text("jenkins/vars/gpuBrokerLease.groovy"));
        Map<String, String> variables = new TreeMap<>();
        while (field.find()) {
            variables.put(field.group(1), field.group(2));
        }
        return new Step(text("jenkins/resources/gpu-broker.sh"), variables);
    }

    static String text(String file) {
        try {
            return Files.readString(FOLDER.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Object> yaml(String file) {
        return parsed(text(file));
    }

    private static Map<String, Object> parsed(String text) {
        return new Yaml(new SafeConstructor(new LoaderOptions())).load(text);
    }
}
