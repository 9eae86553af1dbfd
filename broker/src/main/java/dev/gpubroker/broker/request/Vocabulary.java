package dev.gpubroker.broker.request;

import java.util.List;
import java.util.Locale;

/** The words worth suggesting for one that was mistyped. */
final class Vocabulary {
    private static final List<String> WORDS = List.of(
            "today",
            "tomorrow",
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sunday",
            "january",
            "february",
            "march",
            "april",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
            "hours",
            "days",
            "weeks",
            "months",
            "from",
            "starting",
            "until",
            "nodes",
            "cards",
            "gpus",
            "next",
            "noon");

    /** Words that differ by a letter or two; two at most. */
    List<String> close(String said) {
        String word = said.toLowerCase(Locale.ROOT);
        int allowed = word.length() < 4 ? 0 : word.length() < 6 ? 1 : 2;
        return WORDS.stream()
                .filter(known -> distance(word, known) <= allowed)
                .limit(2)
                .toList();
    }

    private static int distance(String left, String right) {
        int[] row = new int[right.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int above = row[j];
                int changed = diagonal + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(changed, Math.min(above, row[j - 1]) + 1);
                diagonal = above;
            }
        }
        return row[row.length - 1];
    }
}
