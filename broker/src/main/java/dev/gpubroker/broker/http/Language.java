package dev.gpubroker.broker.http;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The languages in which texts for people exist. */
public enum Language {
    ENGLISH,
    CHINESE;

    /** Picks from an {@code Accept-Language} header; English when it is absent, unreadable or asks for neither. */
    public static Language ofHeader(@Nullable String acceptLanguage) {
        if (acceptLanguage == null) {
            return ENGLISH;
        }
        try {
            List<Locale> offered = List.of(Locale.ENGLISH, Locale.CHINESE);
            Locale best = Locale.lookup(Locale.LanguageRange.parse(acceptLanguage), offered);
            return Locale.CHINESE.equals(best) ? CHINESE : ENGLISH;
        } catch (IllegalArgumentException unreadable) {
            return ENGLISH;
        }
    }

    /** The text in this language. */
    public String pick(String english, String chinese) {
        return this == CHINESE ? chinese : english;
    }
}
