package dev.gpubroker.broker.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.StringLength;

class GpuNamesPropertyTest {
    private final GpuCatalogue catalogue = GpuCatalogue.shipped();

    @Property
    void everyIdFindsItsModelHoweverItIsWritten(@ForAll("models") GpuModel model, @ForAll("writings") Writing writing) {
        assertThat(catalogue.find(writing.of(model.id())))
                .hasValueSatisfying(match -> assertThat(match.canonical()).isEqualTo(model.id()));
    }

    @Property
    void everyAliasFindsItsModelAndNoOther(@ForAll("models") GpuModel model, @ForAll("writings") Writing writing) {
        assertThat(model.aliases())
                .allSatisfy(alias -> assertThat(catalogue.find(writing.of(alias)))
                        .hasValueSatisfying(
                                match -> assertThat(match.variants()).containsExactly(model)));
    }

    @Property
    void everyFamilyFindsAllItsVariants(@ForAll("models") GpuModel model, @ForAll("writings") Writing writing) {
        assertThat(catalogue.find(writing.of(model.family())))
                .hasValueSatisfying(match ->
                        assertThat(match.variants()).containsExactlyElementsOf(catalogue.variants(model.family())));
    }

    /** Whole names only: more digits or letters make another name or none, and never the same one. */
    @Property
    void aLongerNameIsNeverTheShorterOne(
            @ForAll("models") GpuModel model, @ForAll @StringLength(min = 1, max = 3) String more) {
        if (more.chars().allMatch(Character::isLetterOrDigit)) {
            catalogue
                    .find(model.id() + more)
                    .ifPresent(match -> assertThat(match.canonical()).isNotEqualTo(model.id()));
        }
    }

    @Property
    void aMatchNamesWhatVariantsReturns(@ForAll("models") GpuModel model) {
        for (String token : catalogue.modelTokens()) {
            Match match = catalogue.find(token).orElseThrow();
            assertThat(catalogue.variants(match.canonical())).containsAll(match.variants());
        }
        assertThat(catalogue.model(model.id())).contains(model);
    }

    @Property
    void anyTextAtAllIsAnswered(@ForAll String text) {
        catalogue.find(text).ifPresent(match -> assertThat(match.variants()).isNotEmpty());
        assertThat(catalogue.suggest(text)).hasSizeLessThanOrEqualTo(5);
    }

    @Property
    void theNominalSizeIsItsOwn(@ForAll("models") GpuModel model) {
        assertThat(catalogue.nominalMemoryGb(model.id(), model.memoryGb())).hasValue(model.memoryGb());
        assertThat(catalogue.nominalMemoryGb(model.id(), model.memoryGb() / 2)).isEmpty();
        assertThat(catalogue.nominalMemoryGb(model.id(), model.memoryGb() * 2)).isEmpty();
    }

    @Provide
    Arbitrary<GpuModel> models() {
        return Arbitraries.of(GpuCatalogue.shipped().models());
    }

    @Provide
    Arbitrary<Writing> writings() {
        return Arbitraries.of(Writing.values());
    }

    enum Writing {
        AS_IS {
            @Override
            String of(String name) {
                return name;
            }
        },
        LOWER {
            @Override
            String of(String name) {
                return name.toLowerCase(Locale.ROOT);
            }
        },
        UPPER {
            @Override
            String of(String name) {
                return name.toUpperCase(Locale.ROOT);
            }
        },
        SPACED {
            @Override
            String of(String name) {
                return " " + name.replace('-', ' ') + " ";
            }
        },
        UNDERLINED {
            @Override
            String of(String name) {
                return name.replace('-', '_');
            }
        },
        OTHER_DASH {
            @Override
            String of(String name) {
                return name.replace('-', '–');
            }
        };

        abstract String of(String name);
    }
}
