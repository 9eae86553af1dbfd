package dev.gpubroker.broker.platform;

import dev.gpubroker.adapter.spi.PlatformFault;
import dev.gpubroker.broker.inventory.Snapshot.AccountView;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Calls adapters on bounded lanes. Reads for plans and everything else have a lane each, so that a platform whose prices
 * hang can still be given its machines back. All waits here are in wall time.
 */
public final class Lanes implements Platforms {
    private final Vertx vertx;
    private final Accounts accounts;
    private final InstantSource businessTime;
    private final Clock wall;
    private final Limits limits;
    private final Map<String, Lane> lanes = new ConcurrentHashMap<>();
    private final Map<String, Pace> paces = new ConcurrentHashMap<>();
    private final Map<GateKey, Gate> gates = new ConcurrentHashMap<>();
    private final Map<String, LastCall> lastCalls = new ConcurrentHashMap<>();

    private record GateKey(String account, String region, Operation operation) {}

    /** @param fault what the last call said if it failed, else null */
    private record LastCall(
            @org.jspecify.annotations.Nullable Instant answeredAt,
            @org.jspecify.annotations.Nullable String fault) {}

    /** @param wall for breakers, pauses and time budgets */
    public Lanes(Vertx vertx, Accounts accounts, InstantSource businessTime, Clock wall) {
        this(vertx, accounts, businessTime, wall, Limits.USUAL);
    }

    Lanes(Vertx vertx, Accounts accounts, InstantSource businessTime, Clock wall, Limits limits) {
        this.vertx = vertx;
        this.accounts = accounts;
        this.businessTime = businessTime;
        this.wall = wall;
        this.limits = limits;
    }

    @Override
    public List<AccountView> accounts() {
        return accounts.all().stream().map(accounts::view).toList();
    }

    @Override
    public Optional<AccountView> account(String accountId) {
        return accounts.find(accountId).map(accounts::view);
    }

    @Override
    public List<String> regions(String accountId) {
        return accounts.find(accountId).map(ManagedAccount::regions).orElse(List.of());
    }

    @Override
    public <T> Future<T> call(String accountId, String region, Operation operation, PlatformCall<T> call) {
        ManagedAccount account = accounts.find(accountId).orElse(null);
        if (account == null) {
            return Future.failedFuture(new PlatformBusy("there is no account " + accountId + " in the settings"));
        }
        Instant started = wall.instant();
        Future<T> first = once(account, region, operation, call);
        if (!operation.isRead()) {
            return first;
        }
        return first.recover(fault -> mayRepeat(fault, started, account)
                ? once(account, region, operation, call)
                        .recover(second -> Future.failedFuture(second instanceof PlatformBusy ? fault : second))
                : Future.failedFuture(fault));
    }

    /** A read that failed fast is sent once more; one that used up half of its time is not. */
    private boolean mayRepeat(Throwable fault, Instant started, ManagedAccount account) {
        return fault instanceof PlatformFault known
                && (known.kind() == PlatformFault.Kind.UNREACHABLE || known.kind() == PlatformFault.Kind.PLATFORM_ERROR)
                && Duration.between(started, wall.instant()).multipliedBy(2).compareTo(account.queryTimeout()) <= 0;
    }

    private <T> Future<T> once(ManagedAccount account, String region, Operation operation, PlatformCall<T> call) {
        Gate gate = gate(account, region, operation);
        String shut = gate.enter();
        if (shut != null) {
            return Future.failedFuture(new PlatformBusy(shut));
        }
        Lane lane = lane(account, operation);
        if (!lane.enter()) {
            gate.turnedRound();
            return Future.failedFuture(new PlatformBusy(
                    account.platform() + " has " + limits.underWay() + " calls under way already, its limit"));
        }
        Duration wait = pace(account).turn(operation);
        if (wait.isNegative()) {
            lane.leave();
            gate.turnedRound();
            return Future.failedFuture(new PlatformBusy("account " + account.id() + " has used up its calls, "
                    + account.capabilities().callsPerSecond().toPlainString() + " a second"));
        }
        Instant entered = wall.instant();
        return after(wait)
                .compose(turn -> lane.run(() -> run(account, gate, operation, entered, call)))
                .onComplete(done -> lane.leave());
    }

    private Future<?> after(Duration wait) {
        return wait.isZero()
                ? Future.succeededFuture()
                : vertx.timer(Math.max(1, wait.plusNanos(999_999).toMillis()), TimeUnit.MILLISECONDS);
    }

    /** On a thread of the lane. */
    private <T> T run(ManagedAccount account, Gate gate, Operation operation, Instant entered, PlatformCall<T> call) {
        Instant begun = wall.instant();
        if (operation.isPurchase() && begun.isAfter(entered.plus(limits.longestWaitToSend()))) {
            gate.turnedRound();
            throw new PlatformBusy(account.platform() + " was too busy to be called in time; nothing was sent");
        }
        T answer;
        try {
            answer = call.on(account.adapter());
        } catch (RuntimeException | Error fault) {
            gate.failed(Duration.between(begun, wall.instant()), fault);
            lastCalls.compute(
                    account.id(),
                    (id, last) ->
                            new LastCall(last == null ? null : last.answeredAt(), String.valueOf(fault.getMessage())));
            throw fault;
        }
        gate.answered(Duration.between(begun, wall.instant()), answer);
        lastCalls.put(account.id(), new LastCall(businessTime.instant(), null));
        return answer;
    }

    private Gate gate(ManagedAccount account, String region, Operation operation) {
        return gates.computeIfAbsent(
                new GateKey(account.id(), region, operation),
                key -> new Gate(
                        operation.wireName() + " of " + account.id() + " in " + region, operation, limits, wall));
    }

    private Lane lane(ManagedAccount account, Operation operation) {
        return lanes.computeIfAbsent(
                account.platform() + (operation.isForPlans() ? "-plans" : "-claims"),
                name -> new Lane(vertx, name, limits));
    }

    private Pace pace(ManagedAccount account) {
        return paces.computeIfAbsent(
                account.id(),
                id -> account.simulated()
                        ? Pace.unlimited()
                        : Pace.of(id, account.capabilities().callsPerSecond(), limits.longestRateWait()));
    }

    @Override
    public void halfOpenBreakers() {
        gates.values().forEach(Gate::halfOpen);
    }

    /** How the calls of every account go, in the order of their ids. */
    public List<AccountHealth> health() {
        return accounts.all().stream().map(this::health).toList();
    }

    private AccountHealth health(ManagedAccount account) {
        Map<String, BreakerState> notClosed = new TreeMap<>();
        gates.forEach((key, gate) -> {
            if (key.account().equals(account.id()) && gate.state() != BreakerState.CLOSED) {
                notClosed.put(key.region() + " " + key.operation().wireName(), gate.state());
            }
        });
        BreakerState worst = notClosed.values().stream()
                .max(java.util.Comparator.naturalOrder())
                .orElse(BreakerState.CLOSED);
        LastCall last = lastCalls.getOrDefault(account.id(), new LastCall(null, null));
        return new AccountHealth(
                account.id(),
                account.platform(),
                accounts.view(account).purchases(),
                worst,
                notClosed,
                last.answeredAt(),
                last.fault());
    }

    /** Lets no further call in and frees the threads when those under way have ended. */
    public Future<Void> stop() {
        return Future.join(lanes.values().stream().map(Lane::close).toList()).mapEmpty();
    }
}
