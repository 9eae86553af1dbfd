package dev.gpubroker.broker.request;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A request that cannot be taken as it stands. Carries everything that was found wrong, not only the first thing; the
 * http layer turns it into problem+json of type {@code urn:gpu-broker:problem:<code>}. Nothing has been stored.
 */
public final class RequestProblem extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Codes that stand for the whole problem when all its errors share one; anything else is {@code invalid_request}. */
    private static final Set<String> OF_THEIR_OWN = Set.of(
            "no_such_date",
            "in_the_past",
            "beyond_horizon",
            "end_before_start",
            "time_zone_unknown",
            "not_understood",
            "unknown_model",
            "unknown_compliance",
            "unknown_platform",
            "unknown_field",
            "shape_impossible");

    private final String code;
    private final int status;
    private final String detailZh;
    private final transient List<FieldError> errors;
    private final transient Map<String, Object> extra;

    RequestProblem(
            String code, int status, String detail, String detailZh, List<FieldError> errors, Map<String, ?> extra) {
        super(detail);
        this.code = code;
        this.status = status;
        this.detailZh = detailZh;
        this.errors = List.copyOf(errors);
        this.extra = Collections.unmodifiableMap(new LinkedHashMap<>(extra));
    }

    /** A 400 for these errors, which must not be empty. */
    static RequestProblem of(List<FieldError> errors, Map<String, ?> extra) {
        String first = errors.get(0).code();
        boolean shared = OF_THEIR_OWN.contains(first)
                && errors.stream().allMatch(error -> error.code().equals(first));
        return new RequestProblem(
                shared ? first : "invalid_request",
                400,
                errors.stream().map(FieldError::detail).distinct().collect(Collectors.joining(" ")),
                errors.stream().map(FieldError::detailZh).distinct().collect(Collectors.joining()),
                errors,
                extra);
    }

    /** Stable: {@code not_understood}, {@code no_such_date}, {@code needs_confirmation} …, else {@code invalid_request}. */
    public String code() {
        return code;
    }

    /** 400, or 422 where the request is well formed but has to be confirmed. */
    public int status() {
        return status;
    }

    /** What is wrong and what the caller can do, in English. */
    public String detail() {
        return String.valueOf(getMessage());
    }

    /** The same in Chinese. */
    public String detailZh() {
        return detailZh;
    }

    /** The members at fault, in the order in which they were found; empty where none is. */
    public List<FieldError> errors() {
        return errors;
    }

    /**
     * Further members of the problem document, ready for Jackson: {@code readings} (with {@code needs_confirmation}; with
     * {@code in_the_past} the nearest future reading), {@code lastBookable}, {@code suggestions}, {@code tokens}
     * {@code [{text, position}]}, {@code known}.
     */
    public Map<String, Object> extra() {
        return extra;
    }
}
