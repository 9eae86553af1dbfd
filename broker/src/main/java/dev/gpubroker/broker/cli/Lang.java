package dev.gpubroker.broker.cli;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The language in which a person reads the answers. */
enum Lang {
    EN,
    ZH;

    private static final List<String> VARIABLES = List.of("GPU_BROKER_LANG", "LC_ALL", "LC_MESSAGES", "LANG");

    /** As said, else as the first variable says that names a language at all: {@code C} and {@code POSIX} name none. */
    static Lang of(@Nullable String said, Map<String, String> environment) {
        if (said != null) {
            return isChinese(said) ? ZH : EN;
        }
        for (String variable : VARIABLES) {
            String value = environment.getOrDefault(variable, "");
            if (!value.isBlank() && !value.equals("C") && !value.startsWith("C.") && !value.equals("POSIX")) {
                return isChinese(value) ? ZH : EN;
            }
        }
        return EN;
    }

    private static boolean isChinese(String language) {
        return language.toLowerCase(Locale.ROOT).startsWith("zh");
    }

    /** The text in this language; English where there is no Chinese one. */
    String pick(String english, @Nullable String chinese) {
        return this == ZH && chinese != null && !chinese.isBlank() ? chinese : english;
    }
}
