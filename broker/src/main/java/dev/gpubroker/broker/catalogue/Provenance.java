package dev.gpubroker.broker.catalogue;

import static java.util.Objects.requireNonNull;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Where a fact comes from; every fact of the catalogue has one, and it is shown wherever the fact is shown.
 *
 * @param source what was read
 * @param date when it was published or looked up: {@code 2026-03} or {@code 2026-11-30}
 * @param status how good the source is
 */
public record Provenance(String source, String date, Status status) {
    private static final Pattern DATE = Pattern.compile("\\d{4}-\\d{2}(-\\d{2})?");

    public Provenance {
        requireNonNull(status, "status");
        if (source.isBlank() || !DATE.matcher(date).matches()) {
            throw new IllegalArgumentException("a fact names its source and date: '" + source + "', '" + date + "'");
        }
    }

    /** The wire name is the constant in lower case. */
    public enum Status {
        /** Printed by the vendor or platform itself, read in the original or a copy of it. */
        VENDOR_SHEET,
        /** Said by somebody else: another page, a project's device list, a platform's API about a vendor's part. */
        THIRD_PARTY,
        /** A claim of the market report of March 2026, not measured by us. */
        FIELD_REPORT,
        /** Believed, but no source was read, or the figure was derived. */
        UNVERIFIED;

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
