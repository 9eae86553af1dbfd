package dev.gpubroker.broker.catalogue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * All names, spelled out beforehand: a look-up is whole or fails, never a part of a name. Every family name is listed alone
 * and with each memory size and form factor that its variants have, so {@code A100 80GB} is a key and {@code A100-8} is none.
 */
final class NameIndex {
    private static final Pattern FORM = Pattern.compile("-(SXM\\d?|PCIE|NVL)(?:-|$)");

    private final Map<String, Match> byKey = new HashMap<>();
    private final List<Word> words;

    /**
     * A word that stands before or after names but belongs to none: a vendor, a brand, "GPU".
     *
     * @param vendor names of this vendor only; null = any
     * @param formFactor names of this form factor only; null = any
     * @param notFormFactor never names of this form factor
     */
    record Word(
            String word,
            @Nullable String vendor,
            @Nullable String formFactor,
            @Nullable String notFormFactor) {
        boolean fits(GpuModel model) {
            return (vendor == null || vendor.equals(model.vendor()))
                    && (formFactor == null || formFactor.equals(model.formFactor()))
                    && (notFormFactor == null || !notFormFactor.equals(model.formFactor()));
        }
    }

    /** A family with names of its own or made of other families. */
    record Family(String id, List<String> aliases, @Nullable Boolean askMemory, List<String> includes) {
        boolean sizesMatter() {
            return Boolean.TRUE.equals(askMemory);
        }
    }

    NameIndex(List<Word> words, Map<Family, List<GpuModel>> families) {
        this.words = words.stream()
                .map(w -> new Word(ModelNames.key(w.word()), w.vendor(), w.formFactor(), w.notFormFactor()))
                .toList();
        families.forEach(this::add);
    }

    Optional<Match> find(String text) {
        return find(ModelNames.key(text), List.of());
    }

    /** Strips at most four words; a name that itself begins with such a word is found before it is stripped. */
    private Optional<Match> find(String key, List<Word> stripped) {
        if (key.isEmpty()) {
            return Optional.empty();
        }
        Match match = byKey.get(key);
        if (match != null
                && stripped.stream().allMatch(w -> match.variants().stream().allMatch(w::fits))) {
            return Optional.of(match);
        }
        if (stripped.size() == 4) {
            return Optional.empty();
        }
        for (Word word : words) {
            String rest = without(key, word.word());
            if (rest != null) {
                List<Word> more = new ArrayList<>(stripped);
                more.add(word);
                Optional<Match> found = find(rest, more);
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    private static @Nullable String without(String key, String word) {
        if (key.startsWith(word)) {
            return key.substring(word.length());
        }
        return key.endsWith(word) ? key.substring(0, key.length() - word.length()) : null;
    }

    /** Every key that is a name, for tests and for readers that scan text. */
    Set<String> keys() {
        return Set.copyOf(byKey.keySet());
    }

    private void add(Family family, List<GpuModel> variants) {
        Set<String> names = new LinkedHashSet<>(family.aliases());
        names.add(family.id());
        boolean single = variants.size() == 1;
        for (GpuModel variant : variants) {
            Set<String> own = new LinkedHashSet<>(variant.aliases());
            own.add(variant.id());
            if (single) {
                names.addAll(own);
            } else if (family.includes().isEmpty()) {
                own.forEach(name -> put(name, family, List.of(variant), null, null));
            }
        }
        for (String name : names) {
            put(name, family, variants, null, null);
            sizes(name, family, variants, null);
            forms(variants).forEach((form, some) -> {
                String formFactor = some.get(0).formFactor();
                put(name + " " + form, family, some, null, formFactor);
                sizes(name + " " + form, family, some, formFactor);
                some.forEach(model -> put(
                        name + " " + model.memoryGb() + "GB " + form,
                        family,
                        some.stream()
                                .filter(m -> m.memoryGb() == model.memoryGb())
                                .toList(),
                        model.memoryGb(),
                        formFactor));
            });
        }
    }

    private void sizes(String name, Family family, List<GpuModel> variants, @Nullable String formFactor) {
        variants.stream().map(GpuModel::memoryGb).distinct().forEach(gb -> {
            List<GpuModel> some =
                    variants.stream().filter(m -> m.memoryGb() == gb).toList();
            put(name + " " + gb + "GB", family, some, gb, formFactor);
            put(name + " " + gb + "G", family, some, gb, formFactor);
        });
    }

    /** What the variants' ids say of their form, {@code SXM4} also as {@code SXM}. */
    private static Map<String, List<GpuModel>> forms(List<GpuModel> variants) {
        Map<String, List<GpuModel>> forms = new HashMap<>();
        for (GpuModel model : variants) {
            Matcher form = FORM.matcher(model.id());
            if (form.find()) {
                forms.computeIfAbsent(form.group(1), f -> new ArrayList<>()).add(model);
                if (form.group(1).matches("SXM\\d")) {
                    forms.computeIfAbsent("SXM", f -> new ArrayList<>()).add(model);
                }
            }
        }
        return forms;
    }

    private void put(
            String name,
            Family family,
            List<GpuModel> variants,
            @Nullable Integer memoryGb,
            @Nullable String formFactor) {
        Match match = variants.size() == 1
                ? new Match(variants.get(0).id(), variants, null, null, family.sizesMatter())
                : new Match(family.id(), variants, memoryGb, formFactor, family.sizesMatter());
        Match before = byKey.putIfAbsent(ModelNames.key(name), match);
        if (before != null && !before.variants().equals(variants)) {
            throw new IllegalStateException(
                    "'" + name + "' would mean both " + before.canonical() + " and " + match.canonical());
        }
    }
}
