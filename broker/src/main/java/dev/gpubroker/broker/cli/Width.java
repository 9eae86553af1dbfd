package dev.gpubroker.broker.cli;

/** Text on a terminal, measured in columns: a Chinese character takes two, a combining mark none. */
final class Width {
    private Width() {}

    /** Columns that the text takes on one line. */
    static int of(String text) {
        return text.codePoints().map(Width::of).sum();
    }

    private static int of(int point) {
        int type = Character.getType(point);
        if (type == Character.NON_SPACING_MARK
                || type == Character.ENCLOSING_MARK
                || type == Character.FORMAT
                || type == Character.CONTROL) {
            return 0;
        }
        return isWide(point) ? 2 : 1;
    }

    /** Wide and full-width characters of Unicode's East Asian Width; ambiguous ones such as × count as narrow. */
    private static boolean isWide(int point) {
        return point >= 0x1100
                && (point <= 0x115F
                        || within(point, 0x2E80, 0x303E)
                        || within(point, 0x3041, 0x4DBF)
                        || within(point, 0x4E00, 0xA4CF)
                        || within(point, 0xA960, 0xA97C)
                        || within(point, 0xAC00, 0xD7A3)
                        || within(point, 0xF900, 0xFAFF)
                        || within(point, 0xFE30, 0xFE6F)
                        || within(point, 0xFF01, 0xFF60)
                        || within(point, 0xFFE0, 0xFFE6)
                        || within(point, 0x1F300, 0x1F64F)
                        || within(point, 0x1F680, 0x1F6FF)
                        || within(point, 0x1F900, 0x1F9FF)
                        || within(point, 0x20000, 0x3FFFD));
    }

    private static boolean within(int point, int first, int last) {
        return first <= point && point <= last;
    }

    /** The text with blanks behind it up to that many columns. */
    static String pad(String text, int columns) {
        return text + " ".repeat(Math.max(0, columns - of(text)));
    }

    /** The text, cut to at most that many columns; what is cut ends in {@code …}. */
    static String cut(String text, int columns) {
        if (of(text) <= columns) {
            return text;
        }
        StringBuilder kept = new StringBuilder();
        int used = 1;
        for (int point : text.codePoints().toArray()) {
            used += of(point);
            if (used > columns) {
                break;
            }
            kept.appendCodePoint(point);
        }
        return columns < 1 ? "" : kept.append('…').toString();
    }

    /** Without control characters, line ends apart: a title must not move the cursor of whoever reads it. */
    static String clean(String text) {
        StringBuilder cleaned = new StringBuilder(text.length());
        text.codePoints()
                .map(point -> point == '\t' || Character.getType(point) == Character.LINE_SEPARATOR ? ' ' : point)
                .filter(point -> point == '\n' || !Character.isISOControl(point))
                .forEach(cleaned::appendCodePoint);
        return cleaned.toString();
    }
}
