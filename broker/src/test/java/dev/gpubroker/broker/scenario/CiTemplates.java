package dev.gpubroker.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

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
        return new Yaml(new SafeConstructor(new LoaderOptions())).load(text(file));
    }
}
