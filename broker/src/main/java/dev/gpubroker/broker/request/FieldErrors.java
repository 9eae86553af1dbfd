package dev.gpubroker.broker.request;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects what is wrong with a request, so that the caller hears all of it at once. */
final class FieldErrors {
    private final List<FieldError> errors = new ArrayList<>();
    private final Map<String, Object> extra = new LinkedHashMap<>();

    void add(String field, String code, String detail, String detailZh) {
        FieldError error = new FieldError(field, code, detail, detailZh);
        if (!errors.contains(error)) {
            errors.add(error);
        }
    }

    /** A further member of the problem document; the first of a name stays. */
    void extra(String name, Object value) {
        extra.putIfAbsent(name, value);
    }

    void addAll(RequestProblem problem) {
        problem.errors().forEach(error -> add(error.field(), error.code(), error.detail(), error.detailZh()));
        problem.extra().forEach(this::extra);
    }

    int size() {
        return errors.size();
    }

    boolean isEmpty() {
        return errors.isEmpty();
    }

    boolean mentions(String field) {
        return errors.stream().anyMatch(error -> error.field().equals(field));
    }

    RequestProblem problem() {
        return RequestProblem.of(errors, extra);
    }

    void throwIfAny() {
        if (!errors.isEmpty()) {
            throw problem();
        }
    }
}
