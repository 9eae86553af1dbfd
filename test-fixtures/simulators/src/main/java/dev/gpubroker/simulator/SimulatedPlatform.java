package dev.gpubroker.simulator;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One simulated platform. A subclass knows the wire format; this class knows stock, prices, faults, late effects and that
 * nothing is answered before it is written. All of it runs under one lock per platform.
 */
public abstract class SimulatedPlatform {
    /** Rows of {@link #accesses}: what stands behind the gateway, and the gateway itself. */
    private static final String BEHIND = "behind";

    private static final String GATEWAY = "gateway";
    /** Machines of a simulator are on this very computer and nowhere else. */
    protected static final String MACHINE_HOST = "127.0.0.1";

    protected final SimTable<SimInstance> instances;
    private final SimTable<Integer> stock;
    private final SimTable<String> prices;
    private final SimTable<Fault> faults;
    private final SimTable<LateCall> lateCalls;
    private final SimTable<SimAccess> accesses;

    private final String platform;
    private final List<SimSku> skus;
    private final SimStore store;
    private final List<SimTable<?>> tables = new ArrayList<>();
    private final InstantSource businessTime;
    private final InstantSource wallTime;
    private final Set<String> nonces = new HashSet<>();
    private volatile @org.jspecify.annotations.Nullable SimAccess access;
    private volatile SimWatcher watcher = (platform, operations, request) -> {};

    /** A request whose connection was closed and whose effect comes at {@code dueAt}. */
    record LateCall(Instant dueAt, SimRequest request) {}

    protected SimulatedPlatform(String platform, List<SimSku> skus, SimEnvironment environment) {
        this.platform = platform;
        this.skus = List.copyOf(skus);
        this.store = environment.store();
        this.businessTime = environment.businessTime();
        this.wallTime = environment.wallTime();
        this.instances = table("instance", SimInstance.class);
        this.stock = table("stock", Integer.class);
        this.prices = table("price", String.class);
        this.faults = table("fault", Fault.class);
        this.lateCalls = table("late", LateCall.class);
        this.accesses = table("access", SimAccess.class);
        this.access = accesses.get(BEHIND);
        for (SimSku sku : skus) {
            if (stock.get(sku.sku()) == null) {
                stock.put(sku.sku(), sku.nodes());
            }
        }
        commit();
    }

    /** A table of the subclass's own; to be made in its constructor or a field. */
    protected final <T> SimTable<T> table(String kind, Class<T> type) {
        SimTable<T> table = new SimTable<>(store, platform, kind, type);
        tables.add(table);
        return table;
    }

    // ---- what a subclass knows -----------------------------------------------------------------

    /** Which of {@link Fault#OPERATIONS} the request is; empty for calls that faults never hit, several where one call serves several. */
    protected abstract Set<String> operations(SimRequest request);

    /** A reply if signature, freshness or nonce is wrong. */
    protected abstract Optional<SimReply> refuse(SimRequest request, Instant wallNow);

    /** Does what the request says, at {@code now} in business time. */
    protected abstract SimReply serve(SimRequest request, Instant now);

    /** Moves the world to {@code now}: machines come up, timed ends pass. Called before every request; need not find anything to do. */
    protected abstract void settle(Instant now);

    /** The platform's way to say "too many calls". */
    protected abstract SimReply throttled(SimRequest request);

    /** The platform's error body for one of its codes; null = its internal error, with a 5xx status. */
    protected abstract SimReply error(SimRequest request, @org.jspecify.annotations.Nullable String code);

    /** Sets what is free now; platforms that sell windows override it and keep days. */
    protected void stockSet(SimSku sku, int nodes) {
        stock.put(sku.sku(), nodes);
    }

    // ---- for subclasses ---------------------------------------------------------------------------

    public final String platform() {
        return platform;
    }

    public final List<SimSku> skus() {
        return skus;
    }

    protected final Optional<SimSku> sku(String name) {
        return skus.stream().filter(sku -> sku.sku().equals(name)).findFirst();
    }

    protected final int free(String sku) {
        return stock.find(sku).orElse(0);
    }

    /** Takes machines out of stock (negative puts them back). */
    protected final void take(String sku, int nodes) {
        stock.put(sku, free(sku) - nodes);
    }

    /** Price of one machine for an hour, as a plain decimal. */
    protected final String hourly(SimSku sku) {
        return prices.find(sku.sku()).orElse(sku.hourly().toPlainString());
    }

    /** @return false if the nonce was seen before */
    protected final boolean isFresh(String nonce) {
        if (nonces.size() > 200_000) {
            nonces.clear(); // Bounds the memory; a replay that old fails by its date.
        }
        return nonces.add(nonce);
    }

    // ---- control ------------------------------------------------------------------------------------

    /**
     * Machines of one shape that are free now; every other shape of the model becomes 0.
     *
     * @throws NotSold if the platform does not sell the model or the shape
     */
    public final synchronized void setStock(String model, int gpusPerNode, int nodes) {
        List<SimSku> called = called(model);
        if (called.stream().noneMatch(sku -> sku.gpus() == gpusPerNode)) {
            throw notSold(model, gpusPerNode, called);
        }
        settleAll(businessTime.instant());
        Set<String> filled = new HashSet<>();
        for (SimSku sku : called) {
            boolean first = sku.gpus() == gpusPerNode && filled.add(sku.model());
            stockSet(sku, first ? nodes : 0);
        }
        commit();
    }

    /** @throws NotSold if the platform does not sell the model or the shape */
    public final synchronized void setHourly(String model, int gpusPerNode, String hourly) {
        List<SimSku> called = called(model);
        List<SimSku> shape =
                called.stream().filter(sku -> sku.gpus() == gpusPerNode).toList();
        if (shape.isEmpty()) {
            throw notSold(model, gpusPerNode, called);
        }
        shape.forEach(sku -> prices.put(sku.sku(), hourly));
        commit();
    }

    private List<SimSku> called(String model) {
        List<SimSku> called = skus.stream().filter(sku -> sku.isCalled(model)).toList();
        if (called.isEmpty()) {
            throw NotSold.model(
                    platform, model, skus.stream().map(SimSku::model).distinct().toList());
        }
        return called;
    }

    private NotSold notSold(String model, int gpusPerNode, List<SimSku> called) {
        List<String> shapes = called.stream()
                .map(sku -> sku.gpus() + "×" + sku.model())
                .distinct()
                .toList();
        return NotSold.shape(platform, model, gpusPerNode, shapes);
    }

    public final synchronized void addFault(Fault fault) {
        faults.put(String.format("%08d", faults.ids().size() + 1) + "-" + java.util.UUID.randomUUID(), fault);
        commit();
    }

    public final synchronized void clearFaults() {
        faults.ids().forEach(faults::remove);
        commit();
    }

    /** Lets the gateway lead to an SSH server; null closes it again. */
    public final synchronized void leadTo(@org.jspecify.annotations.Nullable SimAccess server) {
        if (server == null) {
            accesses.remove(BEHIND);
        } else {
            accesses.put(BEHIND, server);
        }
        access = server;
        commit();
    }

    /** What stands behind the gateway; null for nothing. */
    final @org.jspecify.annotations.Nullable SimAccess access() {
        return access;
    }

    /** Where machines answer SSH; 0 before the gateway was opened for the first time. */
    public final synchronized int gatewayPort() {
        return accesses.find(GATEWAY).map(SimAccess::port).orElse(0);
    }

    final synchronized void gatewayAt(int port) {
        accesses.put(GATEWAY, new SimAccess(MACHINE_HOST, port));
        commit();
    }

    /** Lets somebody see every request from now on. */
    public final void watch(SimWatcher newWatcher) {
        watcher = newWatcher;
    }

    /** Every machine ever, oldest first. */
    public final synchronized List<SimInstance> instances() {
        settleAll(businessTime.instant());
        commit();
        return instances.all().stream()
                .sorted(Comparator.comparing(SimInstance::createdAt).thenComparing(SimInstance::id))
                .toList();
    }

    /** Machines not gone. */
    public final int nodesTaken() {
        return (int) instances().stream().filter(SimInstance::isLive).count();
    }

    // ---- the exchange ---------------------------------------------------------------------------------

    /** What the server does with the connection. */
    sealed interface Verdict {
        record Answer(SimReply reply) implements Verdict {}

        record CloseAfter(Duration delay) implements Verdict {}
    }

    final synchronized Verdict receive(SimRequest request) {
        Instant now = businessTime.instant();
        settleAll(now);
        Optional<SimReply> refusal = refuse(request, wallTime.instant());
        if (refusal.isPresent()) {
            commit();
            return new Verdict.Answer(refusal.get());
        }
        Set<String> operations = operations(request);
        watcher.received(platform, operations, request);
        Verdict verdict = takeFault(operations)
                .map(fault -> play(fault, request, now))
                .orElseGet(() -> new Verdict.Answer(serve(request, now)));
        commit(); // Before the reply: what was answered survives kill -9.
        return verdict;
    }

    private Verdict play(Fault fault, SimRequest request, Instant now) {
        switch (fault.kind()) {
            case HANG:
                return new Verdict.CloseAfter(fault.delay());
            case RESET:
                return new Verdict.CloseAfter(Duration.ZERO);
            case LOSE_REPLY:
                serve(request, now);
                return new Verdict.CloseAfter(Duration.ZERO);
            case LATE:
                lateCalls.put(java.util.UUID.randomUUID().toString(), new LateCall(now.plus(fault.delay()), request));
                return new Verdict.CloseAfter(Duration.ZERO);
            case THROTTLE:
                return new Verdict.Answer(throttled(request));
            case ERROR:
                return new Verdict.Answer(error(request, fault.code()));
        }
        throw new IllegalStateException("no such fault: " + fault.kind());
    }

    private Optional<Fault> takeFault(Set<String> operations) {
        for (String id : faults.ids()) {
            Fault fault = faults.find(id).orElseThrow();
            if (operations.contains(fault.operation())) {
                if (fault.times() > 1) {
                    faults.put(id, fault.used());
                } else {
                    faults.remove(id);
                }
                return Optional.of(fault);
            }
        }
        return Optional.empty();
    }

    private void settleAll(Instant now) {
        record Due(String id, LateCall call) {}
        lateCalls.ids().stream()
                .map(id -> new Due(id, lateCalls.find(id).orElseThrow()))
                .filter(due -> !due.call().dueAt().isAfter(now))
                .sorted(Comparator.comparing(due -> due.call().dueAt()))
                .forEach(due -> {
                    settle(due.call().dueAt());
                    serve(due.call().request(), due.call().dueAt());
                    lateCalls.remove(due.id());
                });
        settle(now);
    }

    private void commit() {
        List<SimStore.Change> changes = new ArrayList<>();
        tables.forEach(table -> changes.addAll(table.takeChanges()));
        if (changes.isEmpty()) {
            return;
        }
        try {
            store.commit(platform, changes);
        } catch (RuntimeException fault) {
            // What happened has happened, also on a platform whose database is away: written with the next change.
            tables.forEach(table -> table.notWritten(changes));
            throw fault;
        }
    }

    /** The tags of a machine that hold its claim key, or null. */
    protected static @org.jspecify.annotations.Nullable String keyIn(Map<String, String> tags) {
        return tags.get(SimInstance.KEY_TAG);
    }
}
