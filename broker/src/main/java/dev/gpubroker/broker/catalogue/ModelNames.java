package dev.gpubroker.broker.catalogue;

import java.text.Normalizer;
import java.util.Locale;

/** Reduces spellings of one name to one key, and nothing more: a key is then looked up whole. */
final class ModelNames {
    /** Longer texts are not names. */
    static final int MAX_LENGTH = 64;

    private ModelNames() {}

    /**
     * Upper case, full-width letters made narrow, and without separators, except that a separator between two digits stays
     * as a hyphen: {@code A100-80GB} keeps it, or {@code A10 080} and {@code A100-80} would be the same name.
     *
     * @return the key, empty for texts that cannot be a name
     */
    static String key(String text) {
        if (text.length() > MAX_LENGTH) {
            return "";
        }
        String wide = Normalizer.normalize(text, Normalizer.Form.NFKC).toUpperCase(Locale.ROOT);
        StringBuilder key = new StringBuilder(wide.length());
        boolean separated = false;
        for (int i = 0; i < wide.length(); i++) {
            char c = wide.charAt(i);
            if (isSeparator(c)) {
                separated = true;
                continue;
            }
            if (separated && key.length() > 0 && isDigit(c) && isDigit(key.charAt(key.length() - 1))) {
                key.append('-');
            }
            separated = false;
            key.append(c);
        }
        return key.toString();
    }

    private static boolean isSeparator(char c) {
        return Character.isWhitespace(c)
                || Character.isSpaceChar(c)
                || Character.getType(c) == Character.DASH_PUNCTUATION
                || c == '_'
                || c == '('
                || c == ')';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
