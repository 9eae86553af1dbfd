package dev.gpubroker.broker.catalogue;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import dev.gpubroker.broker.catalogue.NameIndex.Family;
import dev.gpubroker.broker.catalogue.NameIndex.Word;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * All GPU models that we know, and what their names mean. Immutable and safe to share; a look-up is a few hash probes.
 *
 * <p>Facts: {@code catalogue/gpu-models.yaml}, each with its source and date.
 */
public final class GpuCatalogue {
    private final Map<String, GpuModel> models = new LinkedHashMap<>();
    private final Map<String, List<GpuModel>> families = new LinkedHashMap<>();
    private final NameIndex names;
    private final Suggestions suggestions;

    private GpuCatalogue(List<Word> words, List<Family> named, List<GpuModel> all) {
        for (GpuModel model : all) {
            if (models.put(model.id(), model) != null) {
                throw new IllegalStateException("listed twice: " + model.id());
            }
        }
        families.putAll(all.stream().collect(groupingBy(GpuModel::family, LinkedHashMap::new, toList())));
        named.stream().filter(f -> !f.includes().isEmpty()).forEach(f -> families.put(f.id(), members(f)));
        names = new NameIndex(words, described(named));
        Map<String, String> spellings = new LinkedHashMap<>();
        families.keySet().forEach(family -> spellings.put(ModelNames.key(family), family));
        named.forEach(f -> f.aliases().forEach(alias -> spellings.putIfAbsent(ModelNames.key(alias), f.id())));
        all.forEach(m -> {
            spellings.putIfAbsent(ModelNames.key(m.id()), m.id());
            m.aliases().forEach(alias -> spellings.putIfAbsent(ModelNames.key(alias), m.id()));
        });
        suggestions = new Suggestions(spellings, this::find);
    }

    /** The catalogue that ships with the broker; read once. */
    public static GpuCatalogue shipped() {
        return Shipped.CATALOGUE;
    }

    /** A catalogue of these models only, without vendor words and further family names. */
    public static GpuCatalogue of(List<GpuModel> models) {
        return new GpuCatalogue(List.of(), List.of(), models);
    }

    /**
     * What a name means, or empty if it is not a whole name that we know. Case, spaces, hyphens, vendor words and full-width
     * letters do not matter: {@code 4090}, {@code GeForce RTX 4090}, {@code NVIDIA A100-SXM4-80GB}, {@code A100 80GB},
     * {@code H100 SXM5}, {@code 昇腾910B}. A part of a name is no name: {@code A100-8}, {@code 4090M}, {@code NVIDIA}.
     */
    public Optional<Match> find(String text) {
        return names.find(text);
    }

    public Optional<GpuModel> model(String exactId) {
        return Optional.ofNullable(models.get(exactId));
    }

    /** The exact models of a family or exact id as {@link Match#canonical()} gives it; empty if there is no such thing. */
    public List<GpuModel> variants(String canonical) {
        GpuModel exact = models.get(canonical);
        return exact != null ? List.of(exact) : families.getOrDefault(canonical, List.of());
    }

    /**
     * Every canonical name that may mean one of these: {@code A100} and {@code A100-SXM4-80GB} for either of them.
     *
     * @param canonical families and exact ids; others mean themselves
     */
    public Set<String> namesOf(Collection<String> canonical) {
        Set<String> exact = canonical.stream()
                .flatMap(name -> variants(name).stream())
                .map(GpuModel::id)
                .collect(Collectors.toSet());
        Set<String> all = new LinkedHashSet<>(canonical);
        all.addAll(exact);
        families.forEach((family, members) -> {
            if (members.stream().anyMatch(member -> exact.contains(member.id()))) {
                all.add(family);
            }
        });
        return all;
    }

    /** All exact models, in catalogue order. */
    public List<GpuModel> models() {
        return List.copyOf(models.values());
    }

    /** Up to five canonical names close to a text that is none, closest first; for error messages. */
    public List<String> suggest(String text) {
        return suggestions.closest(text);
    }

    /** Every known name without separators and vendor words, as {@link #find} takes it; in no order. */
    public Set<String> modelTokens() {
        return names.keys();
    }

    /**
     * The nominal size that a reported one stands for. Reports differ from what is sold: error correction takes a sixteenth,
     * decimal and binary units are mixed, fractions are cut off; so 8.5 % less and 3 % more still count as the same.
     * 79 and 81 are 80; 40 never is; an H200 with 150 where 141 is nominal is a mismatch.
     *
     * @param canonical family or exact id
     * @param reportedGb as the platform counts it
     * @return the nearest nominal size of its variants, or empty: a mismatch, to be looked at by a person
     */
    public OptionalInt nominalMemoryGb(String canonical, int reportedGb) {
        return nominalMemoryOfMib(canonical, reportedGb * 1024L);
    }

    /** As {@link #nominalMemoryGb}, of a size in MiB. */
    public OptionalInt nominalMemoryOfMib(String canonical, long reportedMib) {
        return variants(canonical).stream()
                .mapToInt(GpuModel::memoryGb)
                .filter(gb -> reportedMib * 1000 >= gb * 1024L * 915 && reportedMib * 1000 <= gb * 1024L * 1030)
                .boxed()
                .min((a, b) -> Long.compare(Math.abs(a * 1024L - reportedMib), Math.abs(b * 1024L - reportedMib)))
                .map(OptionalInt::of)
                .orElseGet(OptionalInt::empty);
    }

    private List<GpuModel> members(Family family) {
        List<GpuModel> members = new ArrayList<>();
        family.includes().forEach(id -> members.addAll(families.getOrDefault(id, List.of())));
        return List.copyOf(members);
    }

    private Map<Family, List<GpuModel>> described(List<Family> named) {
        Map<String, Family> byId = new HashMap<>();
        named.forEach(family -> byId.put(family.id(), family));
        Map<Family, List<GpuModel>> described = new LinkedHashMap<>();
        families.forEach((id, variants) -> {
            Family plain = new Family(id, List.of(), false, List.of());
            described.put(byId.getOrDefault(id, plain), variants);
        });
        named.stream()
                .filter(family -> !families.containsKey(family.id()))
                .findAny()
                .ifPresent(stray -> {
                    throw new IllegalStateException("a family without models: " + stray.id());
                });
        return described;
    }

    private record File(List<Word> words, List<Family> families, List<GpuModel> models) {}

    private static final class Shipped {
        static final GpuCatalogue CATALOGUE = load();

        private static GpuCatalogue load() {
            File file = DataFile.read("gpu-models.yaml", File.class);
            return new GpuCatalogue(file.words(), file.families(), file.models());
        }
    }
}
