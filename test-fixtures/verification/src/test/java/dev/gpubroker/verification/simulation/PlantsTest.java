package dev.gpubroker.verification.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A simulation that finds nothing proves little: it must find bugs that are put into the broker on purpose. */
@Execution(ExecutionMode.CONCURRENT)
class PlantsTest {
    private static final Path SOURCES = Path.of("../../broker/src/main/java");
    private static final Path DOCUMENT = Path.of("../../docs/verification.md");

    private final Greenhouse greenhouse = new Greenhouse(SOURCES, classPath(), TestServer.FOLDER.resolve("plants"));

    /** Surefire starts the JVM on one jar that names the others. */
    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    @TestFactory
    Stream<DynamicTest> theSimulationFinds() {
        return Plants.all().stream()
                .map(plant -> DynamicTest.dynamicTest(plant.name() + ": " + plant.what(), () -> isFound(plant)));
    }

    private void isFound(Plant plant) throws IOException, InterruptedException {
        Greenhouse.Harvest harvest = greenhouse.grow(plant, plant.seed(), Plant.TRIES, TestServer.SERVER);

        assertThat(harvest.isFound())
                .as("plant %s%n%s", plant.name(), harvest.output())
                .isTrue();
        System.out.println(harvest.row()); // What the document lists, to copy from here.
    }

    @Test
    void theDocumentListsEachOfThemWithItsSeed() throws IOException {
        String document = Files.readString(DOCUMENT);

        for (Plant plant : Plants.all()) {
            assertThat(document.lines())
                    .as("a row of %s", plant.name())
                    .anyMatch(line -> line.startsWith("| `" + plant.name() + "` | " + plant.what() + " | ")
                            && line.split(" \\| ")[3].equals(Long.toString(plant.seed())));
        }
    }
}
