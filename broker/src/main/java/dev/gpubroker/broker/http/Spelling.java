package dev.gpubroker.broker.http;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds what somebody may have meant. */
final class Spelling {
    private static final int MOST_EDITS = 2;
    private static final int LONGEST = 40;

    private Spelling() {}

    /** The known name at most two edits away, the closest and then the first; null if there is none. */
    static @Nullable String closest(String name, Collection<String> known) {
        String best = null;
        int fewest = MOST_EDITS + 1;
        for (String candidate : known) {
            int edits = edits(name.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            if (edits < fewest && edits < candidate.length()) {
                best = candidate;
                fewest = edits;
            }
        }
        return best;
    }

    /** Insertions, deletions and replacements between two words; anything large if one of them is long. */
    private static int edits(String a, String b) {
        if (a.length() > LONGEST || b.length() > LONGEST) {
            return Integer.MAX_VALUE;
        }
        int[] above = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, Math.min(above[j], row[j - 1]) + 1);
            }
            above = row;
        }
        return above[b.length()];
    }
}
