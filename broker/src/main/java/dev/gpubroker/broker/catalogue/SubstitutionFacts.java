package dev.gpubroker.broker.catalogue;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which model may stand in for which, with the same number of GPUs, and how much longer a run then takes.
 *
 * <p>Facts: {@code catalogue/substitutions.yaml}, which says how its ratios were derived.
 */
public final class SubstitutionFacts {
    private final List<Fact> facts;

    private SubstitutionFacts(List<Fact> facts) {
        this.facts = List.copyOf(facts);
    }

    /**
     * One model in another's place.
     *
     * @param from a family or exact id that was asked for
     * @param to an exact id that may stand in
     * @param expectedSlowdown run-time ratio, at least 1: 1.30 = 30 % longer
     * @param note what a reader should know, in English, or null
     * @param noteZh the same in Chinese
     */
    public record Fact(
            String from,
            String to,
            BigDecimal expectedSlowdown,
            Basis basis,
            Provenance provenance,
            @Nullable String note,
            @Nullable String noteZh) {
        public Fact {
            if (expectedSlowdown.compareTo(BigDecimal.ONE) < 0) {
                throw new IllegalArgumentException("no stand-in is promised to be faster: " + from + " to " + to);
            }
        }
    }

    /** How a ratio is known. The wire name is the constant in lower case. */
    public enum Basis {
        MEASURED,
        ESTIMATED;

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static SubstitutionFacts shipped() {
        File file = DataFile.read("substitutions.yaml", File.class);
        List<Fact> facts = new ArrayList<>();
        for (Row row : file.substitutions()) {
            Provenance provenance = row.provenance() == null ? file.provenance() : row.provenance();
            facts.add(new Fact(
                    row.from(), row.to(), row.expectedSlowdown(), row.basis(), provenance, row.note(), row.noteZh()));
        }
        return of(facts);
    }

    public static SubstitutionFacts of(List<Fact> facts) {
        return new SubstitutionFacts(facts);
    }

    /** All of it, in file order. */
    public List<Fact> all() {
        return facts;
    }

    /** What may stand in for a model: facts of its exact id and of its family. */
    public List<Fact> from(GpuModel asked) {
        return facts.stream().filter(fact -> isAbout(fact, asked)).toList();
    }

    /** The fact about one pair; one about the exact id goes before one about the family. */
    public Optional<Fact> find(GpuModel asked, GpuModel standIn) {
        List<Fact> found = from(asked).stream()
                .filter(fact -> fact.to().equals(standIn.id()))
                .toList();
        return found.stream()
                .filter(fact -> fact.from().equals(asked.id()))
                .findFirst()
                .or(() -> found.stream().findFirst());
    }

    private static boolean isAbout(Fact fact, GpuModel asked) {
        return fact.from().equals(asked.id()) || fact.from().equals(asked.family());
    }

    private record File(Provenance provenance, List<Row> substitutions) {}

    private record Row(
            String from,
            String to,
            BigDecimal expectedSlowdown,
            Basis basis,
            @Nullable Provenance provenance,
            @Nullable String note,
            @Nullable String noteZh) {}
}
