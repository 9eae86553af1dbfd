package dev.gpubroker.broker.platform;

import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.adapter.spi.SupportsBalance;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What accounts have left on their platforms. */
public final class Balances {
    private static final Logger LOG = LoggerFactory.getLogger(Balances.class);

    private final Platforms platforms;
    private final Duration deadline;

    /** @param deadline after which a silent platform shows no balance */
    public Balances(Platforms platforms, Duration deadline) {
        this.platforms = platforms;
        this.deadline = deadline;
    }

    /** Empty where the platform has no such call, does not allow it or is silent. */
    public Future<Optional<Money>> of(String account) {
        List<String> regions = platforms.regions(account);
        if (regions.isEmpty()) {
            return Future.succeededFuture(Optional.empty());
        }
        return platforms
                .call(account, regions.get(0), Operation.BALANCE, Balances::read)
                .timeout(deadline.toMillis(), TimeUnit.MILLISECONDS)
                .recover(fault -> {
                    LOG.debug("no balance of {}: {}", account, fault.toString());
                    return Future.succeededFuture(Optional.empty());
                });
    }

    private static Optional<Money> read(PlatformAdapter adapter) {
        return adapter instanceof SupportsBalance teller ? Optional.of(teller.balance()) : Optional.empty();
    }
}
