package dev.gpubroker.broker.request;

import java.util.Arrays;

/**
 * A phrase and its folded form: lower case, half-width, every multiplication sign {@code ×}, every dash {@code -}. Both
 * have the same number of code points, so a position in one is a position in the other.
 */
final class PhraseText {
    private static final String MULTIPLICATION = "×✕✖╳⨯*∗＊";
    private static final String DASHES = "-‐‑‒–—−－";

    private final int[] said;
    private final int[] folded;

    PhraseText(String phrase) {
        said = phrase.codePoints().toArray();
        folded = Arrays.stream(said).map(PhraseText::fold).toArray();
        foldTimes();
    }

    String folded() {
        return new String(folded, 0, folded.length);
    }

    /** The caller's own words from the first position to the last, both included. */
    String said(int first, int last) {
        return new String(said, first, last - first + 1);
    }

    /** The same in half-width letters and digits, their case kept. */
    String halfWidth(int first, int last) {
        return said(first, last)
                .codePoints()
                .map(PhraseText::halfWidth)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    /** The folded code point at a position; a space beyond the ends. */
    int at(int position) {
        return position < 0 || position >= folded.length ? ' ' : folded[position];
    }

    private static int halfWidth(int c) {
        return c >= 0xFF01 && c <= 0xFF5E ? c - 0xFF01 + '!' : c;
    }

    private static int fold(int said) {
        int c = halfWidth(said);
        if (MULTIPLICATION.indexOf(c) >= 0) {
            return '×';
        }
        if (DASHES.indexOf(c) >= 0) {
            return '-';
        }
        if (c == '～' || c == '〜') {
            return '~';
        }
        if (c == '，') {
            return ',';
        }
        return c == '：' ? ':' : Character.toLowerCase(c);
    }

    /** The letter x is a multiplication sign in {@code 8xA100}, {@code 8 x A100}, {@code A100 x8}, not in {@code RTX} or {@code 7900XT}. */
    private void foldTimes() {
        for (int i = 0; i < folded.length; i++) {
            if (folded[i] != 'x') {
                continue;
            }
            boolean afterDigit = isDigit(at(i - 1));
            boolean startsWord = !isWord(at(i - 1));
            boolean alone = startsWord && !isWord(at(i + 1));
            boolean beforeNumber = startsWord && wordIsNumber(i + 1);
            boolean betweenNumberAndName = afterDigit && isWord(at(i + 1)) && !endsInXt(i) && numberBefore(i);
            if (alone || beforeNumber || betweenNumberAndName || (afterDigit && !isWord(at(i + 1)))) {
                folded[i] = '×';
            }
        }
    }

    /** Whether only digits stand between the last sign, space or × and this position: {@code 8x}, not {@code rx7900x}. */
    private boolean numberBefore(int position) {
        int i = position - 1;
        while (isDigit(at(i))) {
            i--;
        }
        return !isWord(at(i)) || wordIsNumber(position + 1);
    }

    private boolean wordIsNumber(int position) {
        int i = position;
        while (isDigit(at(i))) {
            i++;
        }
        return i > position && !isWord(at(i));
    }

    private boolean endsInXt(int position) {
        int i = position + 1;
        if (at(i) != 't') {
            return false;
        }
        return !isWord(at(i + 1)) || (at(i + 1) == 'x' && !isWord(at(i + 2)));
    }

    static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    static boolean isWord(int c) {
        return isDigit(c) || (c >= 'a' && c <= 'z') || c == '_';
    }
}
