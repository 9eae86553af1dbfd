package dev.gpubroker.broker.request;

import java.util.List;

/** Numbers as people write them: 12, 十二, twelve. */
final class Numerals {
    private static final String DIGITS = "〇一二三四五六七八九";
    private static final List<String> ENGLISH = List.of(
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty");

    private Numerals() {}

    /** The number, or {@link Integer#MAX_VALUE} for one of more than nine digits. */
    static int parse(String text) {
        if (text.charAt(0) >= '0' && text.charAt(0) <= '9') {
            String digits = text.replaceFirst("^0+(?=.)", "");
            return digits.length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(digits);
        }
        if (text.charAt(0) < 0x80) {
            return text.equals("thirty") ? 30 : ENGLISH.indexOf(text);
        }
        return chinese(text);
    }

    /** Four digits read one by one: 二〇二六. */
    static int chineseDigits(String text) {
        return text.chars().map(Numerals::digit).reduce(0, (number, digit) -> number * 10 + digit);
    }

    private static int chinese(String text) {
        int total = 0;
        int digit = 0;
        for (int i = 0; i < text.length(); i++) {
            int unit = unit(text.charAt(i));
            if (unit == 1) {
                digit = digit(text.charAt(i));
            } else {
                total += (digit == 0 ? 1 : digit) * unit;
                digit = 0;
            }
        }
        return total + digit;
    }

    private static int unit(char c) {
        return switch (c) {
            case '千' -> 1000;
            case '百' -> 100;
            case '十' -> 10;
            default -> 1;
        };
    }

    private static int digit(int c) {
        return c == '零' ? 0 : c == '两' || c == '俩' ? 2 : DIGITS.indexOf(c);
    }
}
