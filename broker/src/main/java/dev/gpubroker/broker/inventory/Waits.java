package dev.gpubroker.broker.inventory;

import dev.gpubroker.adapter.spi.Flavor;
import java.util.Map;
import java.util.Optional;

/** Waits seen so far: a fixed picture. */
public final class Waits {
    static final Waits NONE = new Waits(Map.of());

    private final Map<Key, Wait> seen;

    /** One flavor of one account in one region. */
    record Key(String account, String region, Flavor flavor) {}

    Waits(Map<Key, Wait> seen) {
        this.seen = Map.copyOf(seen);
    }

    /** Empty when none has ended yet. */
    public Optional<Wait> of(String account, String region, Flavor flavor) {
        return Optional.ofNullable(seen.get(new Key(account, region, flavor)));
    }
}
