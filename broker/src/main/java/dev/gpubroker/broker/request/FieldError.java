package dev.gpubroker.broker.request;

/**
 * What is wrong with one member of a request.
 *
 * @param field its path, such as {@code gpu.count} or {@code constraints.compliance}; {@code phrase} for a word of it
 * @param code stable, for programs
 * @param detail what is wrong and what would be right, in English
 * @param detailZh the same in Chinese
 */
public record FieldError(String field, String code, String detail, String detailZh) {}
