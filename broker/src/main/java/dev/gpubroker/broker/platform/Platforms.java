package dev.gpubroker.broker.platform;

import dev.gpubroker.broker.inventory.Snapshot.AccountView;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/** The only way to an adapter: bounded, broken when it fails, never blocking the caller. */
public interface Platforms {
    /** Accounts in the order of their ids. */
    List<AccountView> accounts();

    Optional<AccountView> account(String accountId);

    /** Regions of an account, in order of preference. */
    List<String> regions(String accountId);

    /**
     * Runs a call on the account's lane. Fails with {@link dev.gpubroker.adapter.spi.PlatformFault} as the adapter threw
     * it, or {@link PlatformBusy} when the lane is full, the breaker open or the rate used up: then nothing was sent.
     */
    <T> Future<T> call(String accountId, String region, Operation operation, PlatformCall<T> call);

    /** Lets every open breaker try again at once: business time jumped, wall time did not. */
    void halfOpenBreakers();
}
