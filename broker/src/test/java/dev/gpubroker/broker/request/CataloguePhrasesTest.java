package dev.gpubroker.broker.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.broker.catalogue.CatalogueNames;
import dev.gpubroker.broker.catalogue.GpuCatalogue;
import dev.gpubroker.broker.request.BookingRequest.Gpu;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Phrases read with the names that the broker ships. */
class CataloguePhrasesTest {
    private static final GpuCatalogue CATALOGUE = GpuCatalogue.shipped();
    private static final PhraseReader READER = new PhraseReader(new CatalogueNames(CATALOGUE));

    private static Interpretation read(String phrase) {
        Phrases usual = Phrases.usual();
        return READER.read(phrase, usual.zone(), usual.now());
    }

    private static Gpu gpu(String words) {
        Interpretation read = read(words + " from Dec 20 for 5 days");
        assertThat(read.needsConfirmation())
                .as("%s: %s", words, read.readings())
                .isFalse();
        return read.request().gpu();
    }

    @Test
    void theMissionIsTheSameInBothLanguages() {
        String english = RequestJson.withoutPhrase(
                        read("8×A100 for 5 days from the 20th").request())
                .toString();

        assertThat(RequestJson.withoutPhrase(read("8卡A100 从20号开始租5天").request()).toString())
                .isEqualTo(english)
                .contains("\"gpu\":{\"model\":\"A100\",\"count\":8}");
        assertThat(read("8×A100 for 5 days from the 20th").needsConfirmation()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"8×A100 80GB", "8×A100-80GB", "8卡A100 80G显存", "8×A100 80G", "A100-80G*8", "A100 80GB ×8"})
    void aMemoryIsKeptWhereverItIsSaid(String words) {
        assertThat(gpu(words)).isEqualTo(new Gpu("A100", 8, null, 80, null));
    }

    @Test
    void aFormFactorIsKeptWhereverItIsSaid() {
        assertThat(gpu("8×H100 SXM").formFactor())
                .satisfiesAnyOf(
                        form -> assertThat(form).isEqualTo("sxm"),
                        form -> assertThat(gpu("8×H100 SXM").model()).isEqualTo("H100-SXM5-80GB"));
        assertThat(gpu("8×A100 SXM").formFactor()).isEqualTo("sxm");
        assertThat(gpu("8卡A100 PCIe").formFactor()).isEqualTo("pcie");
    }

    @Test
    void aBodysModelMaySayItsMemoryTooAndMustNotContradictIt() {
        RequestNormaliser normaliser = new RequestNormaliser(new CatalogueNames(CATALOGUE), Phrases.KNOWN);
        ObjectNode body =
                RequestJson.withoutPhrase(read("8×A100 from Dec 20 for 5 days").request());
        ObjectNode gpu = (ObjectNode) body.get("gpu");
        Phrases usual = Phrases.usual();

        gpu.put("model", "a100 80gb");
        assertThat(normaliser.normalise(body, usual.zone(), usual.now()).gpu())
                .isEqualTo(new Gpu("A100", 8, null, 80, null));

        gpu.put("memoryGb", 40);
        RequestProblem problem =
                catchThrowableOfType(RequestProblem.class, () -> normaliser.normalise(body, usual.zone(), usual.now()));
        assertThat(problem.errors()).extracting(FieldError::field).containsExactly("gpu.memoryGb");
    }

    @ParameterizedTest
    @CsvSource({
        "4090, RTX4090",
        "RTX 4090, RTX4090",
        "GeForce RTX 4090, RTX4090",
        "RTX 4090 D, RTX4090D",
        "4090D, RTX4090D",
        "A100-SXM4-80GB, A100-SXM4-80GB",
        "H20, H20",
        "910B4-1, Ascend-910B4-1"
    })
    void namesAreTheCataloguesOwn(String name, String model) {
        assertThat(gpu("8×" + name).model()).startsWith(model);
        assertThat(gpu(name + " 8卡").model()).startsWith(model);
    }

    @Test
    void everyIdAndAliasOfTheCatalogueCanBeSaidInAPhrase() {
        for (String name : CATALOGUE.models().stream()
                .flatMap(model -> Stream.concat(Stream.of(model.id(), model.family()), model.aliases().stream()))
                .distinct()
                .toList()) {
            for (String phrase : List.of("8×" + name, "8卡" + name, name + " 8卡", "8x " + name, "8 " + name)) {
                Interpretation read = read(phrase + " from Dec 20 for 5 days");
                assertThat(read.request().gpu().count()).as(phrase).isEqualTo(8);
                assertThat(CATALOGUE.variants(read.request().gpu().model()))
                        .as(phrase)
                        .containsAnyElementsOf(
                                CATALOGUE.find(name).orElseThrow().variants());
            }
        }
    }

    @Test
    void a910BAsksForItsMemory() {
        Interpretation read = read("2×910B from Dec 20 for 5 days");

        assertThat(read.needsConfirmation()).isTrue();
        assertThat(read.readings())
                .extracting(reading -> reading.request().gpu().memoryGb())
                .containsExactly(32, 64);
        assertThat(gpu("2×910B 64GB").memoryGb()).isEqualTo(64);
    }

    @ParameterizedTest
    @ValueSource(strings = {"A100-8:8", "8×4090M", "8×A1000", "8×RTX 4090 Laptop", "8×NVIDIA"})
    void whatIsNoModelIsNamed(String words) {
        RequestProblem problem =
                catchThrowableOfType(RequestProblem.class, () -> read(words + " from Dec 20 for 5 days"));

        assertThat(problem).isNotNull();
        assertThat(problem.code()).isEqualTo("not_understood");
    }

    @Test
    void aMixedUpCountAndModelComesWithSuggestions() {
        RequestProblem problem =
                catchThrowableOfType(RequestProblem.class, () -> read("A100-8:8 from Dec 20 for 5 days"));

        assertThat(problem.extra().get("suggestions")).asString().contains("A100");
    }
}
