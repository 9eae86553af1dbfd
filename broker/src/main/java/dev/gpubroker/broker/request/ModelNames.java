package dev.gpubroker.broker.request;

import java.util.List;
import java.util.Optional;

/** The GPU names that the catalogue knows, as far as reading a request needs them. */
public interface ModelNames {
    /**
     * The model that this whole text names ({@code A100}, {@code RTX 4090 D}, {@code Ascend-910B4-1}, {@code 昇腾910B}),
     * whatever its case, spaces and hyphens; empty if none. Never a part of the text: {@code A100-8} is no A100 and
     * {@code 4090M} no RTX 4090.
     */
    Optional<ModelName> find(String text);

    /** Spellings close to a text that names no model, best first, few; may be empty. */
    List<String> suggest(String text);
}
