package dev.gpubroker.broker.platform;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.broker.config.Account;
import dev.gpubroker.broker.config.Caps;
import dev.gpubroker.broker.config.MachineSettings;
import dev.gpubroker.broker.config.Purchases;
import dev.gpubroker.broker.config.Secret;
import dev.gpubroker.broker.config.StartException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the adapters of all accounts, or says in words for whoever starts the broker why one cannot be made. */
final class AccountMaker {
    private static final Logger LOG = LoggerFactory.getLogger(AccountMaker.class);
    /** Within the 2 s of a quote; a simulator on loopback needs far less. */
    private static final Duration SIMULATED_QUERY = Duration.ofMillis(1_500);

    private static final Duration SIMULATED_CLAIM = Duration.ofSeconds(4);
    /** Within the 2 s of a quote, with a moment left to make the answer of what came. */
    private static final Duration REAL_QUERY = Duration.ofMillis(1_800);
    /** Purchases on real platforms take seconds; cutting one short only makes its outcome unknown. */
    private static final Duration REAL_CLAIM = Duration.ofSeconds(30);

    private final Map<String, AdapterFactory> factories = new TreeMap<>();
    private final String installation;
    private final InstantSource businessTime;

    AccountMaker(List<AdapterFactory> factories, String installation, InstantSource businessTime) {
        factories.forEach(factory -> this.factories.put(factory.platform(), factory));
        this.installation = installation;
        this.businessTime = businessTime;
    }

    /** An account and what its settings say of spending. */
    record Made(ManagedAccount account, Purchases purchases, Caps caps) {}

    /** @throws StartException naming account and setting */
    List<Made> make(List<Account> accounts, List<SimulatedEndpoint> endpoints) {
        Map<String, Made> made = new TreeMap<>();
        for (Account account : accounts) {
            made.put(account.id(), real(account));
        }
        for (SimulatedEndpoint endpoint : endpoints) {
            AdapterFactory factory = factories.get(endpoint.platform());
            if (factory == null) {
                LOG.warn("no account on the simulated {}: its adapter is not there", endpoint.platform());
                continue;
            }
            Made simulated = simulated(endpoint, factory);
            if (made.put(simulated.account().id(), simulated) != null) {
                throw new StartException("Account '" + simulated.account().id() + "' has the id that the simulated "
                        + endpoint.platform() + " needs. Give it another id.");
            }
        }
        return List.copyOf(made.values());
    }

    private Made real(Account account) {
        AdapterFactory factory = factories.get(account.platform());
        if (factory == null) {
            throw new StartException("Account '" + account.id() + "' is on platform '" + account.platform()
                    + "', for which there is no adapter. There are: " + String.join(", ", factories.keySet()) + ".");
        }
        TreeSet<String> missing = new TreeSet<>(factory.credentialNames());
        account.credentials().forEach((name, secret) -> {
            if (!secret.value().isBlank()) {
                missing.remove(name);
            }
        });
        if (!missing.isEmpty()) {
            throw new StartException("Account '" + account.id() + "' (" + account.platform()
                    + ") lacks the credential '" + String.join("', '", missing)
                    + "'. Write it under credentials as {env: NAME_OF_VARIABLE} or {file: /path/to/file}.");
        }
        boolean simulated = !account.isReal();
        AccountSettings settings = new AccountSettings(
                account.id(),
                installation,
                account.regions(),
                account.endpoint(),
                plain(account.credentials()),
                account.options(),
                simulated ? SIMULATED_QUERY : REAL_QUERY,
                simulated ? SIMULATED_CLAIM : REAL_CLAIM,
                simulated,
                businessTime);
        return new Made(managed(factory, settings, account.machines()), account.purchases(), account.caps());
    }

    private Made simulated(SimulatedEndpoint endpoint, AdapterFactory factory) {
        AccountSettings settings = new AccountSettings(
                endpoint.platform() + "-sim",
                installation,
                factory.defaultRegions(),
                endpoint.url(),
                plain(endpoint.credentials()),
                endpoint.options(),
                SIMULATED_QUERY,
                SIMULATED_CLAIM,
                true,
                businessTime);
        return new Made(managed(factory, settings, MachineSettings.NONE), Purchases.AUTO, Caps.NONE);
    }

    private static ManagedAccount managed(AdapterFactory factory, AccountSettings settings, MachineSettings machines) {
        PlatformAdapter adapter;
        try {
            adapter = factory.create(settings);
        } catch (IllegalArgumentException unusable) { // Its message says what to set, and never a value.
            throw new StartException(
                    "Account '" + settings.id() + "' (" + factory.platform() + ") cannot be used: "
                            + unusable.getMessage() + ".",
                    unusable);
        }
        return new ManagedAccount(
                settings.id(),
                factory.platform(),
                settings.regions(),
                settings.simulated(),
                adapter,
                adapter.capabilities(),
                settings.queryTimeout(),
                machines);
    }

    private static Map<String, String> plain(Map<String, Secret> secrets) {
        return secrets.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().value()));
    }

    /** The caps an account can have: above zero and in the currency of its platform. */
    static List<String> wrongCaps(String id, String currency, Caps caps) {
        List<String> wrong = new ArrayList<>();
        Map<String, dev.gpubroker.adapter.spi.Money> amounts = new TreeMap<>();
        put(amounts, "perBooking", caps.perBooking());
        put(amounts, "perDay", caps.perDay());
        put(amounts, "perMonth", caps.perMonth());
        amounts.forEach((name, money) -> {
            if (!money.currency().getCurrencyCode().equals(currency)) {
                wrong.add("caps." + name + " of account '" + id + "' is in "
                        + money.currency().getCurrencyCode() + "; its platform's prices are in " + currency);
            } else if (money.amount().signum() <= 0) {
                wrong.add("caps." + name + " of account '" + id
                        + "' must be above 0; to buy nothing set purchases: observe");
            }
        });
        if (caps.openClaims() != null && caps.openClaims() < 1) {
            wrong.add("caps.openClaims of account '" + id
                    + "' must be at least 1; to buy nothing set purchases: observe");
        }
        return wrong;
    }

    private static void put(
            Map<String, dev.gpubroker.adapter.spi.Money> amounts,
            String name,
            dev.gpubroker.adapter.spi.@org.jspecify.annotations.Nullable Money money) {
        if (money != null) {
            amounts.put(name, money);
        }
    }
}
