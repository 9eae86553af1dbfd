package dev.gpubroker.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SimTableTest {
    @Test
    void aRowIsReadAsItWasWritten() {
        SimStore store = SimStore.inMemory();
        SimInstance row = new SimInstance(
                "i-1",
                "sku",
                "A100-SXM4-80GB",
                8,
                null,
                Map.of("tag", "value"),
                "running",
                Instant.parse("2026-11-01T02:00:00Z"),
                null,
                Map.of("attribute", "value"));
        SimTable<SimInstance> before = new SimTable<>(store, "aws", "instance", SimInstance.class);
        before.put(row.id(), row);
        store.commit("aws", before.takeChanges());

        assertThat(new SimTable<>(store, "aws", "instance", SimInstance.class).all())
                .containsExactly(row);
    }

    @Test
    void whatCouldNotBeWrittenIsWrittenWithTheNextChange() {
        SimStore store = SimStore.inMemory();
        SimTable<Integer> table = new SimTable<>(store, "aws", "stock", Integer.class);
        table.put("sku", 3);
        table.notWritten(table.takeChanges());

        store.commit("aws", table.takeChanges());

        assertThat(store.load("aws", "stock")).containsEntry("sku", "3");
    }
}
