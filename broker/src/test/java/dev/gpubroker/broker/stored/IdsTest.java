package dev.gpubroker.broker.stored;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class IdsTest {
    private static final Instant WHEN = Instant.parse("2026-11-30T10:00:00Z");

    @Test
    void idsSortByCreationAndAreTwentySixCharactersBehindTheirPrefix() {
        String first = Ids.next("rsv", WHEN);
        String later = Ids.next("rsv", WHEN.plusMillis(1));

        assertThat(first).matches("rsv_[0-9a-hjkmnp-tv-z]{26}").isLessThan(later);
    }

    @Test
    void idsOfOneMillisecondDiffer() {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            ids.add(Ids.next("rsv", WHEN));
        }
        assertThat(ids).hasSize(10_000);
    }
}
