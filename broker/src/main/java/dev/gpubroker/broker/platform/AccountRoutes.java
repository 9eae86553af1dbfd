package dev.gpubroker.broker.platform;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.SupportsBalance;
import dev.gpubroker.broker.http.ApiReply;
import dev.gpubroker.broker.http.ApiRequest;
import dev.gpubroker.broker.http.RouteTable;
import dev.gpubroker.broker.http.Routes;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code GET /v1/accounts}: what each account may spend and has left; never a credential. */
public final class AccountRoutes implements Routes {
    private static final Logger LOG = LoggerFactory.getLogger(AccountRoutes.class);
    /** As for quotes: a platform that is silent then shows no balance and delays nobody. */
    private static final Duration DEADLINE = Duration.ofSeconds(2);

    private final Accounts accounts;
    private final Platforms platforms;
    private final Duration deadline;

    public AccountRoutes(Accounts accounts, Platforms platforms) {
        this(accounts, platforms, DEADLINE);
    }

    AccountRoutes(Accounts accounts, Platforms platforms, Duration deadline) {
        this.accounts = accounts;
        this.platforms = platforms;
        this.deadline = deadline;
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("listAccounts", this::listAccounts);
    }

    private Future<ApiReply> listAccounts(ApiRequest request) {
        List<Future<ObjectNode>> items = new ArrayList<>();
        for (ManagedAccount account : accounts.all()) {
            items.add(balance(account).map(balance -> json(account, balance.orElse(null))));
        }
        return Future.all(items)
                .map(all -> ApiReply.ok(
                        Map.of("items", items.stream().map(Future::result).toList())));
    }

    /** Empty where the platform has no such call, does not allow it or is silent. */
    private Future<Optional<Money>> balance(ManagedAccount account) {
        if (!(account.adapter() instanceof SupportsBalance)) {
            return Future.succeededFuture(Optional.empty());
        }
        return platforms
                .call(account.id(), account.regions().get(0), Operation.BALANCE, AccountRoutes::balance)
                .timeout(deadline.toMillis(), TimeUnit.MILLISECONDS)
                .recover(fault -> {
                    LOG.debug("no balance of {}: {}", account.id(), fault.toString());
                    return Future.succeededFuture(Optional.empty());
                });
    }

    private static Optional<Money> balance(dev.gpubroker.adapter.spi.PlatformAdapter adapter) {
        return adapter instanceof SupportsBalance teller ? Optional.of(teller.balance()) : Optional.empty();
    }

    private ObjectNode json(ManagedAccount account, @Nullable Money balance) {
        Standing standing = accounts.standing(account.id());
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", account.id());
        json.put("platform", account.platform());
        account.regions().forEach(json.putArray("regions")::add);
        json.put("purchases", standing.purchases().name().toLowerCase(Locale.ROOT));
        json.put("simulated", account.simulated());
        ObjectNode caps = json.putObject("caps");
        putMoney(caps, "perBooking", standing.caps().perBooking());
        putMoney(caps, "perDay", standing.caps().perDay());
        putMoney(caps, "perMonth", standing.caps().perMonth());
        caps.put("openClaims", standing.caps().openClaims());
        putMoney(json, "balance", balance);
        json.putArray("quota");
        json.put("proven", account.simulated() ? "simulator" : null);
        json.put("stopped", standing.stopped());
        return json;
    }

    private static void putMoney(ObjectNode json, String member, @Nullable Money money) {
        if (money == null) {
            json.putNull(member);
        } else {
            json.putObject(member)
                    .put("amount", money.amount().toPlainString())
                    .put("currency", money.currency().getCurrencyCode());
        }
    }
}
