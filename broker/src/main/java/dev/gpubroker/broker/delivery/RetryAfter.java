package dev.gpubroker.broker.delivery;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How long a receiver asks to be left alone: RFC 9110, 10.2.3, in seconds or as a date. Pure. */
final class RetryAfter {
    /** Who asks for more is asked again after a day all the same: it may be a slip, and the news grows old. */
    static final Duration LONGEST = Duration.ofDays(1);

    /** Too many requests, and out of service. GitHub's limits answer 403 with the header too. */
    private static final Set<Integer> STATUSES = Set.of(403, 429, 503);

    private static final Pattern SECONDS = Pattern.compile("\\d+");
    /** A day has 86400; longer numbers need not be read. */
    private static final int MOST_DIGITS = 6;

    private RetryAfter() {}

    /**
     * Never negative nor longer than {@link #LONGEST}; empty if nothing is asked, or nothing that can be read.
     *
     * @param status of the answer; null if there was none
     * @param header as it came
     */
    static Optional<Duration> of(@Nullable Integer status, @Nullable String header, Instant now) {
        if (status == null || header == null || !STATUSES.contains(status)) {
            return Optional.empty();
        }
        String text = header.strip();
        if (SECONDS.matcher(text).matches()) {
            String digits = text.replaceFirst("^0+(?=.)", "");
            return Optional.of(
                    digits.length() > MOST_DIGITS ? LONGEST : bounded(Duration.ofSeconds(Long.parseLong(digits))));
        }
        try {
            Instant until = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text));
            return Optional.of(bounded(Duration.between(now, until)));
        } catch (DateTimeException notADate) {
            return Optional.empty(); // The two older forms of a date among them, which nobody may send any more.
        }
    }

    private static Duration bounded(Duration asked) {
        if (asked.isNegative()) {
            return Duration.ZERO;
        }
        return asked.compareTo(LONGEST) > 0 ? LONGEST : asked;
    }
}
