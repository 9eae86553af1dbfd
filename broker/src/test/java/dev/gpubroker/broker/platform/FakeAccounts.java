package dev.gpubroker.broker.platform;

import dev.gpubroker.broker.config.Caps;
import dev.gpubroker.broker.config.MachineSettings;
import dev.gpubroker.broker.config.Purchases;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Accounts on fake adapters, named by their platform, and lanes to them. */
public final class FakeAccounts {
    private final List<ManagedAccount> accounts = new ArrayList<>();
    private final Map<String, Standing> standings = new HashMap<>();
    private final MemoryStore store = new MemoryStore();

    public FakeAccounts with(FakeAdapter adapter, String... regions) {
        return add(adapter, true, regions);
    }

    /** One whose rate of calls is limited. */
    public FakeAccounts withReal(FakeAdapter adapter, String... regions) {
        return add(adapter, false, regions);
    }

    /** One whose settings say something of its machines. */
    public FakeAccounts withMachines(FakeAdapter adapter, MachineSettings machines) {
        String id = adapter.capabilities().platform();
        accounts.add(new ManagedAccount(
                id, id, List.of("here"), true, adapter, adapter.capabilities(), Duration.ofMillis(1_500), machines));
        standings.put(id, new Standing(Purchases.AUTO, Caps.NONE, null));
        return this;
    }

    private FakeAccounts add(FakeAdapter adapter, boolean simulated, String... regions) {
        String id = adapter.capabilities().platform();
        accounts.add(new ManagedAccount(
                id,
                id,
                regions.length == 0 ? List.of("here") : List.of(regions),
                simulated,
                adapter,
                adapter.capabilities(),
                Duration.ofMillis(1_500)));
        standings.put(id, new Standing(Purchases.AUTO, Caps.NONE, null));
        return this;
    }

    public Accounts accounts() {
        return Accounts.of(accounts, store, standings);
    }

    public Platforms lanes(Vertx vertx) {
        return lanes(vertx, Clock.systemUTC(), Limits.USUAL);
    }

    Lanes lanes(Vertx vertx, Clock wall, Limits limits) {
        return new Lanes(vertx, accounts(), InstantSource.system(), wall, limits);
    }

    /** What would be in the database. */
    static final class MemoryStore implements AccountStore {
        final Map<String, Standing> stored = new HashMap<>();
        final List<Entry> saved = new ArrayList<>();

        @Override
        public Future<List<String>> save(List<Entry> entries) {
            entries.forEach(entry -> {
                saved.add(entry);
                stored.put(entry.id(), new Standing(entry.purchases(), entry.caps(), null));
            });
            return Future.succeededFuture(List.of());
        }

        @Override
        public Future<Map<String, Standing>> standings() {
            return Future.succeededFuture(Map.copyOf(stored));
        }

        @Override
        public Future<List<String>> withOpenClaims() {
            return Future.succeededFuture(List.of());
        }
    }
}
