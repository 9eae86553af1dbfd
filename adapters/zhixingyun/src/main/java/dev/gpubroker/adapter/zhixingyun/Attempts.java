package dev.gpubroker.adapter.zhixingyun;

import dev.gpubroker.adapter.spi.ClaimKey;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What this process itself sent and saw answered. Only narrows a search: after a restart it is empty, and the search says
 * "cannot tell" more often, never less.
 */
final class Attempts {
    private static final int MOST = 2_000;
    /** Their clock against ours. */
    private static final Duration SKEW = Duration.ofMinutes(10);

    private final Map<ClaimKey, Sent> sent = bounded();
    private final Map<String, Mark> owners = bounded();
    private boolean extUidSeen;

    private record Sent(String gpuType, int cards, Instant at) {}

    synchronized void sending(ClaimKey key, String gpuType, int cards, Instant at) {
        sent.putIfAbsent(key, new Sent(ZhixingyunMapping.plain(gpuType), cards, at));
    }

    synchronized void answered(String machine, Mark mark) {
        owners.put(machine, mark);
    }

    synchronized Optional<Mark> owner(Machine machine) {
        return machine.mark().or(() -> Optional.ofNullable(owners.get(machine.name())));
    }

    /** Whether the platform has ever shown an {@code ext_uid} in a list: then a machine without one was not bought by us. */
    synchronized boolean showsExtUid(Iterable<Machine> listed) {
        for (Machine machine : listed) {
            extUidSeen |= !machine.extUid().isEmpty();
        }
        return extUidSeen;
    }

    /** Whether the machine may be what an attempt brought; yes for an attempt that this process knows nothing of. */
    synchronized boolean mayBeOf(ClaimKey key, Machine machine) {
        Sent attempt = sent.get(key);
        if (attempt == null) {
            return true;
        }
        boolean sameModel = machine.gpuType().isEmpty()
                || ZhixingyunMapping.plain(machine.gpuType()).equals(attempt.gpuType());
        boolean sameCount = machine.gpuNum() == 0 || machine.gpuNum() == attempt.cards();
        boolean notOlder = machine.createdAt() == null
                || !machine.createdAt().isBefore(attempt.at().minus(SKEW));
        return sameModel && sameCount && notOlder;
    }

    private static <K, V> Map<K, V> bounded() {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > MOST;
            }
        };
    }
}
