package dev.gpubroker.broker.platform;

import static java.util.Objects.requireNonNull;

import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.broker.config.Account;
import dev.gpubroker.broker.config.Caps;
import dev.gpubroker.broker.config.Purchases;
import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.config.StartException;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.inventory.Snapshot.AccountView;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Our accounts: those of the settings and one on each simulated platform, each with its adapter, and what each may spend.
 * Adapters are made once; purchase modes and caps may change, here or through another broker, and are read again every few
 * seconds. That is for plans only: the last look before a purchase goes to the database.
 */
public final class Accounts implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Accounts.class);
    /** How old the picture of modes may be that plans are made on. */
    private static final long REFRESH_MILLIS = 5_000;

    private static final Standing NOTHING_KNOWN = new Standing(Purchases.OBSERVE, Caps.NONE, null);

    private final Map<String, ManagedAccount> accounts = new TreeMap<>();
    private final AccountStore store;
    private volatile Map<String, Standing> standings = Map.of();

    private Accounts(List<ManagedAccount> accounts, AccountStore store) {
        accounts.forEach(account -> this.accounts.put(account.id(), account));
        this.store = store;
    }

    /**
     * Makes every account's adapter and stores what it may spend. Adapters may read files: not for an event loop.
     *
     * @param endpoints simulated platforms, each of which gets an account {@code <platform>-sim} that buys without caps
     * @param installation id that marks everything bought
     * @return fails with {@link StartException} that names the account and what it lacks
     */
    public static Future<Accounts> open(
            Vertx vertx,
            Database database,
            Settings settings,
            List<SimulatedEndpoint> endpoints,
            String installation,
            InstantSource businessTime) {
        return vertx.executeBlocking(() -> Providers.of(AdapterFactory.class))
                .compose(factories -> open(
                        vertx,
                        new PgAccountStore(database),
                        new AccountMaker(factories, installation, businessTime),
                        settings.accounts(),
                        settings.accountsLeft(),
                        endpoints));
    }

    static Future<Accounts> open(
            Vertx vertx,
            AccountStore store,
            AccountMaker maker,
            List<Account> accounts,
            List<String> left,
            List<SimulatedEndpoint> endpoints) {
        return vertx.executeBlocking(() -> maker.make(accounts, endpoints)).compose(made -> {
            Accounts opened =
                    new Accounts(made.stream().map(AccountMaker.Made::account).toList(), store);
            return opened.save(made.stream()
                            .map(each -> opened.entry(each.account(), each.purchases(), each.caps()))
                            .toList())
                    .compose(saved -> opened.refuseToForget(left))
                    .compose(warned -> opened.refresh())
                    .map(opened);
        });
    }

    /** Accounts that buy, for tests of what stands on them. */
    static Accounts of(List<ManagedAccount> accounts, AccountStore store, Map<String, Standing> standings) {
        Accounts made = new Accounts(accounts, store);
        made.standings = Map.copyOf(standings);
        return made;
    }

    private AccountStore.Entry entry(ManagedAccount account, Purchases purchases, Caps caps) {
        String currency = account.capabilities().currency();
        List<String> wrong = AccountMaker.wrongCaps(account.id(), currency, caps);
        if (!wrong.isEmpty()) {
            throw new StartException("Correct the settings: " + String.join("; ", wrong) + ".");
        }
        return new AccountStore.Entry(account.id(), account.platform(), account.simulated(), currency, purchases, caps);
    }

    private Future<Void> save(List<AccountStore.Entry> entries) {
        return store.save(entries).compose(mismatched -> {
            if (mismatched.isEmpty()) {
                return Future.succeededFuture();
            }
            return Future.failedFuture(new StartException("The accounts " + mismatched
                    + " are in the ledger for another platform. Give each of them a new id."));
        });
    }

    /** Machines of an account that is not there can be neither followed nor given back: they would run and bill on. */
    private Future<Void> refuseToForget(List<String> left) {
        return store.withOpenClaims().compose(ids -> {
            List<String> lost =
                    ids.stream().filter(id -> !accounts.containsKey(id)).toList();
            List<String> unsaid = lost.stream().filter(id -> !left.contains(id)).toList();
            if (!unsaid.isEmpty()) {
                return Future.failedFuture(new StartException("The accounts " + unsaid
                        + " may hold machines and are not in the settings. Put them back until everything is released; or, if"
                        + " their machines have been dealt with on the platform, name them under 'accountsLeft'."));
            }
            lost.forEach(id -> LOG.error(
                    "Account {} may hold machines and was left: nothing of it is followed or given back.", id));
            return Future.succeededFuture();
        });
    }

    /** Takes purchase modes and caps from settings that were read again; wrong ones change nothing and are logged. */
    public Future<Void> reload(Settings settings) {
        List<AccountStore.Entry> entries = new ArrayList<>();
        try {
            for (Account account : settings.accounts()) {
                ManagedAccount known = accounts.get(account.id());
                if (known != null) {
                    entries.add(entry(known, account.purchases(), account.caps()));
                }
            }
        } catch (StartException wrong) {
            LOG.error("Purchase modes and caps stay as they are. {}", wrong.getMessage());
            return Future.failedFuture(wrong);
        }
        entries.sort(java.util.Comparator.comparing(AccountStore.Entry::id));
        return save(entries).compose(saved -> refresh());
    }

    /** Reads again what accounts may spend, every few seconds from now on. */
    public Accounts keepFresh(Vertx vertx) {
        vertx.setPeriodic(
                REFRESH_MILLIS,
                timer -> refresh()
                        .onFailure(fault ->
                                LOG.warn("what accounts may spend is not known afresh: {}", fault.toString())));
        return this;
    }

    /** Reads what accounts may spend now. */
    public Future<Void> refresh() {
        return store.standings()
                .onSuccess(read -> standings = Map.copyOf(new HashMap<>(read)))
                .mapEmpty();
    }

    List<ManagedAccount> all() {
        return List.copyOf(accounts.values());
    }

    Optional<ManagedAccount> find(String id) {
        return Optional.ofNullable(accounts.get(id));
    }

    Standing standing(String id) {
        return requireNonNull(standings.getOrDefault(id, NOTHING_KNOWN));
    }

    AccountView view(ManagedAccount account) {
        Standing standing = standing(account.id());
        return new AccountView(
                account.id(),
                account.platform(),
                account.capabilities(),
                account.simulated(),
                standing.buys(),
                standing.purchases().name().toLowerCase(Locale.ROOT),
                account.machines());
    }

    /** Closes every adapter. Blocks. */
    @Override
    public void close() {
        for (ManagedAccount account : accounts.values()) {
            try {
                account.adapter().close();
            } catch (RuntimeException fault) {
                LOG.warn("the adapter of {} does not close: {}", account.id(), fault.toString());
            }
        }
    }
}
