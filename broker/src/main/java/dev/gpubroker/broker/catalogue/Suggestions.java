package dev.gpubroker.broker.catalogue;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Finds names that a mistaken text may have meant: what its beginning names, then what begins with it or is
 * few letters away. */
final class Suggestions {
    private static final int MOST = 5;

    private final Map<String, String> spellings;
    private final Function<String, Optional<Match>> find;

    /** @param spellings key of each name to the canonical name that is shown for it */
    Suggestions(Map<String, String> spellings, Function<String, Optional<Match>> find) {
        this.spellings = spellings;
        this.find = find;
    }

    List<String> closest(String text) {
        if (text.length() > ModelNames.MAX_LENGTH) {
            return List.of();
        }
        Set<String> found = new LinkedHashSet<>();
        beginnings(text, found);
        byDistance(text, found);
        return found.stream().limit(MOST).toList();
    }

    /** {@code A100-8:8} begins with A100: the family and its variants were probably meant. */
    private void beginnings(String text, Set<String> found) {
        for (int end = text.length(); end > 1; end--) {
            if (end < text.length() && Character.isLetterOrDigit(text.charAt(end))) {
                continue;
            }
            Optional<Match> match = find.apply(text.substring(0, end));
            if (match.isPresent()) {
                found.add(match.get().canonical());
                match.get().variants().forEach(model -> found.add(model.id()));
                return;
            }
        }
    }

    private void byDistance(String text, Set<String> found) {
        String wanted = bare(ModelNames.key(text));
        if (wanted.length() < 2) {
            return;
        }
        int most = Math.max(1, Math.min(3, wanted.length() / 3));
        Map<String, Integer> distances = new HashMap<>();
        spellings.forEach((key, canonical) -> {
            String name = bare(key);
            int distance = wanted.length() >= 4 && name.startsWith(wanted) ? 1 : distance(wanted, name);
            if (distance <= most) {
                distances.merge(canonical, distance, Math::min);
            }
        });
        distances.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue()
                        .thenComparing(Map.Entry.comparingByKey(Comparator.naturalOrder())))
                .forEach(entry -> found.add(entry.getKey()));
    }

    private static String bare(String key) {
        return key.replace("-", "");
    }

    /** Levenshtein's: letters to insert, drop or change. */
    private static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(change, 1 + Math.min(previous[j], current[j - 1]));
            }
            previous = current;
        }
        return previous[b.length()];
    }
}
