package dev.gpubroker.adapter.spi;

import java.util.List;

/**
 * What a claim became on the platform; enough to ask for it and to give it back.
 *
 * @param kind the adapter's own word: {@code instance}, {@code block}, {@code pool}, {@code job}
 * @param ids one or more ids of that kind; for a batch of machines all of them
 */
public record PlatformRef(String region, String kind, List<String> ids) {
    public PlatformRef {
        ids = List.copyOf(ids);
        if (ids.isEmpty()) {
            throw new IllegalArgumentException("a reference names at least one id");
        }
    }
}
