package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

/**
 * One thing wrong with one field of a request.
 *
 * @param field the member as a path ({@code gpu.count}, {@code hosts[0].gpus}) or the bare name of a parameter; empty for the whole body
 * @param code stable, for programs: {@code required}, {@code unknown_field}, {@code type}, {@code minimum}, …
 * @param detail what is wrong, in English
 * @param detailZh the same in Chinese
 */
public record FieldError(String field, String code, String detail, String detailZh) {
    public FieldError {
        requireNonNull(field, "field");
        requireNonNull(code, "code");
        requireNonNull(detail, "detail");
        requireNonNull(detailZh, "detailZh");
    }
}
