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
import org.jspecify.annotations.Nullable;

/** {@code GET /v1/accounts}: what each account may spend and has left; never a credential. */
public final class AccountRoutes implements Routes {
    /** As for quotes: a platform that is silent then shows no balance and delays nobody. */
    private static final Duration DEADLINE = Duration.ofSeconds(2);

    private final Accounts accounts;
    private final Balances balances;

    public AccountRoutes(Accounts accounts, Platforms platforms) {
        this(accounts, platforms, DEADLINE);
    }

    AccountRoutes(Accounts accounts, Platforms platforms, Duration deadline) {
        this.accounts = accounts;
        this.balances = new Balances(platforms, deadline);
    }

    @Override
    public void addTo(RouteTable table) {
        table.on("listAccounts", this::listAccounts);
    }

    private Future<ApiReply> listAccounts(ApiRequest request) {
        List<Future<ObjectNode>> items = new ArrayList<>();
        for (ManagedAccount account : accounts.all()) {
            Future<Optional<Money>> balance = account.adapter() instanceof SupportsBalance
                    ? balances.of(account.id())
                    : Future.succeededFuture(Optional.empty());
            items.add(balance.map(known -> json(account, known.orElse(null))));
        }
        return Future.all(items)
                .map(all -> ApiReply.ok(
                        Map.of("items", items.stream().map(Future::result).toList())));
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
