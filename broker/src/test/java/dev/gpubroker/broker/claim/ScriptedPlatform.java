package dev.gpubroker.broker.claim;

import dev.gpubroker.adapter.spi.Capabilities;
import dev.gpubroker.adapter.spi.ClaimKey;
import dev.gpubroker.adapter.spi.ClaimOutcome;
import dev.gpubroker.adapter.spi.ClaimRequest;
import dev.gpubroker.adapter.spi.ClaimStatus;
import dev.gpubroker.adapter.spi.Finding;
import dev.gpubroker.adapter.spi.Holding;
import dev.gpubroker.adapter.spi.OfferQuery;
import dev.gpubroker.adapter.spi.Offers;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.adapter.spi.PlatformRef;
import dev.gpubroker.adapter.spi.Price;
import dev.gpubroker.adapter.spi.PriceQuery;
import dev.gpubroker.adapter.spi.ReleaseProgress;
import dev.gpubroker.adapter.spi.SupportsLaunch;
import dev.gpubroker.broker.inventory.Snapshot.AccountView;
import dev.gpubroker.broker.platform.Operation;
import dev.gpubroker.broker.platform.PlatformCall;
import dev.gpubroker.broker.platform.Platforms;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** A platform that answers as a test says, and notes what it was asked. */
final class ScriptedPlatform implements Platforms, PlatformAdapter, SupportsLaunch {
    static final String ACCOUNT = "scripted";
    static final String REGION = "r1";

    /** What was called, in order: {@code claim}, {@code find}, {@code status}, {@code list}, {@code release}. */
    final List<String> calls = new ArrayList<>();

    Function<ClaimRequest, ClaimOutcome> onClaim = request -> new ClaimOutcome.Unknown(request.key());
    BiFunction<PlatformRef, ClaimRequest, ClaimOutcome> onLaunch =
            (ref, request) -> new ClaimOutcome.Claimed(ref, request.window());
    Supplier<Finding> onFind = Finding.NotListed::new;
    Supplier<ClaimStatus> onStatus = () -> new ClaimStatus(ClaimStatus.Phase.RUNNING, null, List.of(), "running");
    Supplier<List<Holding>> onList = List::of;
    Supplier<ReleaseProgress> onRelease = ReleaseProgress.Gone::new;
    private final Capabilities capabilities;

    ScriptedPlatform(Capabilities capabilities) {
        this.capabilities = capabilities;
    }

    static ClaimStatus status(ClaimStatus.Phase phase) {
        return new ClaimStatus(phase, null, List.of(), phase.name());
    }

    static PlatformRef ref(String id) {
        return new PlatformRef(REGION, "instance", List.of(id));
    }

    long timesCalled(String operation) {
        return calls.stream().filter(operation::equals).count();
    }

    @Override
    public List<AccountView> accounts() {
        return List.of(new AccountView(ACCOUNT, "scripted", capabilities, true, true, "auto"));
    }

    @Override
    public Optional<AccountView> account(String accountId) {
        return accounts().stream().filter(each -> each.id().equals(accountId)).findFirst();
    }

    @Override
    public List<String> regions(String accountId) {
        return List.of(REGION);
    }

    @Override
    public <T> Future<T> call(String accountId, String region, Operation operation, PlatformCall<T> call) {
        try {
            return Future.succeededFuture(call.on(this));
        } catch (Exception fault) {
            return Future.failedFuture(fault);
        }
    }

    @Override
    public void halfOpenBreakers() {}

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public Offers offers(OfferQuery query) {
        return Offers.none();
    }

    @Override
    public List<Price> price(PriceQuery query) {
        return List.of();
    }

    @Override
    public ClaimOutcome claim(ClaimRequest request) {
        calls.add("claim");
        return onClaim.apply(request);
    }

    @Override
    public ClaimOutcome launch(PlatformRef bought, ClaimRequest request) {
        calls.add("launch");
        return onLaunch.apply(bought, request);
    }

    @Override
    public ClaimStatus status(PlatformRef ref) {
        calls.add("status");
        return onStatus.get();
    }

    @Override
    public Finding find(ClaimKey key) {
        calls.add("find");
        return onFind.get();
    }

    @Override
    public List<Holding> list(String installation) {
        calls.add("list");
        return onList.get();
    }

    @Override
    public ReleaseProgress release(PlatformRef ref) {
        calls.add("release");
        return onRelease.get();
    }
}
