package dev.gpubroker.broker.http;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The one rule for text that people see: every character shows, and shows where it stands. Characters that turn the direction
 * of writing make a title read otherwise than it is kept; those without a shape make two names look the same. Pure.
 */
public final class VisibleText {
    private static final int JOINER = 0x200D;
    private static final int EMOJI_STYLE = 0xFE0F;
    private static final int REPLACEMENT = 0xFFFD;
    private static final String BLANK_SHAPES = "\u115F\u1160\u3164\uFFA0\u2800\u034F\u180B\u180C\u180D\u17B4\u17B5";

    private VisibleText() {}

    /** What a text may hold beside visible characters. */
    public enum Kind {
        /** Nothing: names, titles, labels. */
        LINE,
        /** Tabs and line ends: notes, phrases, public keys. */
        LINES,
        /** Whatever its interpreter takes: a script is run and not read out. */
        SCRIPT;

        /** Of the contract's {@code x-text}; a line where it says nothing. */
        static Kind of(@Nullable Object named) {
            return named == null
                    ? LINE
                    : Map.of("lines", LINES, "script", SCRIPT).getOrDefault(named, LINE);
        }
    }

    /** What is wrong with the text of this field; empty if nothing is. Half of a character pair is not looked for. */
    public static Optional<FieldError> fault(String field, String text, Kind kind) {
        int before = -1;
        int place = 0;
        for (int at = 0; at < text.length(); at += Character.charCount(before)) {
            int point = text.codePointAt(at);
            place++;
            if (!isAllowed(point, before, kind)) {
                String code = "U+%04X".formatted(point);
                return Optional.of(new FieldError(
                        field,
                        "characters",
                        "has " + code + " at character " + place + ", which cannot be seen; leave it out",
                        "第 " + place + " 个字符 " + code + " 不可见，请去掉"));
            }
            before = point;
        }
        return Optional.empty();
    }

    /** The text as a line that shows: what would not, and half of a character pair, becomes U+FFFD. For text that others made. */
    public static String shown(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        int before = -1;
        for (int at = 0; at < text.length(); at += Character.charCount(before)) {
            int point = text.codePointAt(at);
            boolean half = Character.getType(point) == Character.SURROGATE;
            shown.appendCodePoint(half || !isAllowed(point, before, Kind.LINE) ? REPLACEMENT : point);
            before = point;
        }
        return shown.toString();
    }

    private static boolean isAllowed(int point, int before, Kind kind) {
        if (kind == Kind.SCRIPT) {
            return true;
        }
        return switch (Character.getType(point)) {
            case Character.CONTROL -> kind == Kind.LINES && (point == '\n' || point == '\r' || point == '\t');
            case Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
            // A family is three pictures and two joiners.
            case Character.FORMAT -> point == JOINER && isPicture(before);
            default -> BLANK_SHAPES.indexOf(point) < 0;
        };
    }

    private static boolean isPicture(int point) {
        return point == EMOJI_STYLE
                || (point >= 0
                        && (Character.getType(point) == Character.OTHER_SYMBOL
                                || Character.getType(point) == Character.MODIFIER_SYMBOL));
    }
}
