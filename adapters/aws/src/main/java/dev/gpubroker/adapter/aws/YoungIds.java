package dev.gpubroker.adapter.aws;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Ids that EC2 gave us a moment ago. Its lists lag behind its answers (EC2 developer guide, eventual consistency), so that
 * such an id being unknown proves nothing yet. A restart forgets them; the broker's settle window covers that.
 */
final class YoungIds {
    private static final int MOST = 10_000;

    private final Map<String, Instant> bornAt = new LinkedHashMap<>();
    private final InstantSource time;
    private final Duration youth;

    YoungIds(InstantSource time, Duration youth) {
        this.time = time;
        this.youth = youth;
    }

    synchronized void add(List<String> ids) {
        Instant now = time.instant();
        ids.forEach(id -> bornAt.put(id, now));
        bornAt.values().removeIf(born -> isOld(born, now));
        Iterator<String> oldest = bornAt.keySet().iterator();
        while (bornAt.size() > MOST) {
            oldest.next();
            oldest.remove();
        }
    }

    synchronized boolean contains(String id) {
        Instant born = bornAt.get(id);
        return born != null && !isOld(born, time.instant());
    }

    private boolean isOld(Instant born, Instant now) {
        return Duration.between(born, now).compareTo(youth) >= 0;
    }
}
