package dev.gpubroker.broker.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gpubroker.adapter.spi.AccountSettings;
import dev.gpubroker.adapter.spi.AdapterFactory;
import dev.gpubroker.adapter.spi.Money;
import dev.gpubroker.adapter.spi.PlatformAdapter;
import dev.gpubroker.broker.config.Account;
import dev.gpubroker.broker.config.Caps;
import dev.gpubroker.broker.config.Purchases;
import dev.gpubroker.broker.config.Secret;
import dev.gpubroker.broker.config.Settings;
import dev.gpubroker.broker.config.StartException;
import dev.gpubroker.broker.database.TestDatabase;
import dev.gpubroker.broker.inventory.Snapshot.AccountView;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

final class AccountsTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Caps CAPS = new Caps(Money.of("500.00", "CNY"), null, Money.of("9000.00", "CNY"), 3);

    private final List<AccountSettings> made = new ArrayList<>();
    private final PgAccountStore store = new PgAccountStore(DATABASE.database());

    @Test
    void anAccountOfTheSettingsIsStoredAndSeen() {
        Accounts accounts = open(List.of(account("real-1", Purchases.OBSERVE, CAPS)), List.of());

        AccountView view = accounts.view(accounts.find("real-1").orElseThrow());
        assertThat(view.purchases()).isEqualTo("observe");
        assertThat(view.buys()).isFalse();
        assertThat(view.simulated()).isFalse();
        assertThat(accounts.standing("real-1").caps()).isEqualTo(CAPS);
        AccountSettings settings = made.get(0);
        assertThat(settings.installation()).isEqualTo("inst0001");
        assertThat(settings.queryTimeout()).isEqualTo(Duration.ofMillis(1_800));
        assertThat(settings.claimTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(settings.credential("key")).isEqualTo("k");
    }

    @Test
    void everySimulatedPlatformGetsAnAccountThatBuysWithoutCaps() {
        SimulatedEndpoint endpoint = new SimulatedEndpoint(
                "fake", URI.create("http://127.0.0.1:9"), Map.of("key", new Secret("sim")), Map.of("image", "i"));
        SimulatedEndpoint unknown =
                new SimulatedEndpoint("nobody", URI.create("http://127.0.0.1:9"), Map.of(), Map.of());

        Accounts accounts = open(List.of(), List.of(endpoint, unknown));

        AccountView view = accounts.view(accounts.find("fake-sim").orElseThrow());
        assertThat(view.buys()).isTrue();
        assertThat(view.simulated()).isTrue();
        assertThat(accounts.standing("fake-sim").caps()).isEqualTo(Caps.NONE);
        assertThat(accounts.all()).hasSize(1);
        AccountSettings settings = made.get(0);
        assertThat(settings.endpoint()).isEqualTo(endpoint.url());
        assertThat(settings.queryTimeout()).isEqualTo(Duration.ofMillis(1_500));
        assertThat(settings.claimTimeout()).isEqualTo(Duration.ofSeconds(4));
        assertThat(settings.regions()).containsExactly("default-region");
        assertThat(settings.option("image", "")).isEqualTo("i");
    }

    @Test
    void anAccountThatIsStoppedDoesNotBuy() {
        Accounts accounts = open(List.of(account("stopped-1", Purchases.AUTO, Caps.NONE)), List.of());
        ManagedAccount account = accounts.find("stopped-1").orElseThrow();
        assertThat(accounts.view(account).buys()).isTrue();

        DATABASE.execute("UPDATE account SET stopped_why = 'a machine nobody knows' WHERE account_id = 'stopped-1'");
        await(accounts.refresh());

        assertThat(accounts.view(account).buys()).isFalse();
        assertThat(accounts.standing("stopped-1").stopped()).isEqualTo("a machine nobody knows");
        open(List.of(account("stopped-1", Purchases.AUTO, Caps.NONE)), List.of());
        await(accounts.refresh());
        assertThat(accounts.view(account).buys())
                .as("a restart is no look by a person")
                .isFalse();
    }

    @Test
    void aMissingCredentialIsNamedWithItsAccount() {
        Account lacking =
                new Account("poor", "fake", List.of("r"), Map.of(), Map.of(), Purchases.OBSERVE, Caps.NONE, null);

        assertThatThrownBy(() -> open(List.of(lacking), List.of()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("'poor'")
                .hasMessageContaining("'key'");
    }

    @Test
    void settingsThatAnAdapterRefusesAreNamedWithTheirAccount() {
        Account odd = new Account(
                "odd",
                "fake",
                List.of("r"),
                Map.of("key", new Secret("k")),
                Map.of("refuse", "yes"),
                Purchases.OBSERVE,
                Caps.NONE,
                null);

        assertThatThrownBy(() -> open(List.of(odd), List.of()))
                .isInstanceOf(StartException.class)
                .hasMessage("Account 'odd' (fake) cannot be used: set the option image.");
    }

    @Test
    void aPlatformWithoutAdapterIsNamedWithThoseThereAre() {
        Account lost =
                new Account("lost", "nobody", List.of("r"), Map.of(), Map.of(), Purchases.OBSERVE, Caps.NONE, null);

        assertThatThrownBy(() -> open(List.of(lost), List.of()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("'nobody'")
                .hasMessageContaining("fake");
    }

    @Test
    void capsOfAnotherCurrencyOrOfNothingAreRefused() {
        Caps dollars = new Caps(Money.of("10.00", "USD"), null, null, null);
        Caps none = new Caps(null, null, null, 0);

        assertThatThrownBy(() -> open(List.of(account("usd", Purchases.AUTO, dollars)), List.of()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("caps.perBooking of account 'usd' is in USD");
        assertThatThrownBy(() -> open(List.of(account("zero", Purchases.AUTO, none)), List.of()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("caps.openClaims of account 'zero'");
    }

    @Test
    void anIdNeverMovesToAnotherPlatform() {
        open(List.of(account("moved", Purchases.OBSERVE, Caps.NONE)), List.of());
        DATABASE.execute("UPDATE account SET platform = 'elsewhere' WHERE account_id = 'moved'");

        assertThatThrownBy(() -> open(List.of(account("moved", Purchases.AUTO, Caps.NONE)), List.of()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("[moved]");
        assertThat(await(store.standings())).containsEntry("moved", new Standing(Purchases.OBSERVE, Caps.NONE, null));
    }

    @Test
    void modesAndCapsFollowTheSettings(@TempDir Path folder) throws Exception {
        Accounts accounts = open(List.of(account("tuned", Purchases.OBSERVE, Caps.NONE)), List.of());

        await(accounts.reload(settings(folder, "purchases: auto, caps: {perDay: 100 CNY}")));
        assertThat(accounts.view(accounts.find("tuned").orElseThrow()).buys()).isTrue();
        assertThat(accounts.standing("tuned").caps().perDay()).isEqualTo(Money.of("100.00", "CNY"));

        assertThatThrownBy(() -> await(accounts.reload(settings(folder, "caps: {perDay: 100 USD}"))))
                .isInstanceOf(StartException.class);
        assertThat(accounts.view(accounts.find("tuned").orElseThrow()).buys()).isTrue();
    }

    /** O-13: what runs there must be followed and given back, so the account stays until the next start. */
    @Test
    void anAccountThatLeavesTheSettingsIsKeptWhileTheBrokerRuns(@TempDir Path folder) throws Exception {
        Accounts accounts = open(List.of(account("leaving", Purchases.AUTO, Caps.NONE)), List.of());
        Path file = folder.resolve("gpu-broker.yaml");
        Files.writeString(file, "accounts: []\n");

        await(accounts.reload(Settings.load(file, Map.of())));

        assertThat(accounts.find("leaving")).isPresent();
    }

    /** O-13: its machines would run and bill on, followed by nobody. */
    @Test
    void aStartWithoutAnAccountThatMayHoldMachinesIsRefusedUnlessItIsSaidToBeLeft() {
        open(List.of(account("holding", Purchases.AUTO, Caps.NONE)), List.of());
        DATABASE.execute("INSERT INTO team (team_id, name) VALUES ('left', 'left') ON CONFLICT DO NOTHING");
        DATABASE.execute("""
                INSERT INTO reservation (reservation_id, team_id, owner, state, request, during, model, gpu_count, labels,
                                         terms, explanation, created_at, updated_at)
                VALUES ('rsv_held', 'left', 'me', 'active', '{}', tstzrange(now(), now() + interval '1 day'), 'A100', 8,
                        '{}', '{}', '[]', now(), now())""");
        DATABASE.execute("""
                INSERT INTO claim (claim_key, reservation_id, attempt, unit, account_id, platform, region, request, amount,
                                   currency, state, intended_at)
                VALUES ('gb-held-claim-1-0-x', 'rsv_held', 1, 0, 'holding', 'fake', 'r', '{}', 1, 'CNY', 'claimed', now())""");

        assertThatThrownBy(() -> open(List.of(), List.of()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("holding")
                .hasMessageContaining("accountsLeft");
        assertThat(open(List.of(), List.of("holding"), List.of()).all()).isEmpty();
        DATABASE.execute("DELETE FROM claim WHERE reservation_id = 'rsv_held'");
        assertThat(open(List.of(), List.of()).all()).as("all released").isEmpty();
    }

    // ---- helpers ---------------------------------------------------------------------------------

    private static Settings settings(Path folder, String more) throws Exception {
        Path file = folder.resolve("gpu-broker.yaml");
        Files.writeString(file, "accounts: [{id: tuned, platform: fake, regions: [r], " + more + "}]\n");
        return Settings.load(file, Map.of());
    }

    private static Account account(String id, Purchases purchases, Caps caps) {
        return new Account(id, "fake", List.of("r"), Map.of("key", new Secret("k")), Map.of(), purchases, caps, null);
    }

    private Accounts open(List<Account> accounts, List<SimulatedEndpoint> endpoints) {
        return open(accounts, List.of(), endpoints);
    }

    private Accounts open(List<Account> accounts, List<String> left, List<SimulatedEndpoint> endpoints) {
        Vertx vertx = DATABASE.vertx();
        AccountMaker maker = new AccountMaker(List.of(new FakeFactory()), "inst0001", InstantSource.system());
        return await(Accounts.open(vertx, store, maker, accounts, left, endpoints));
    }

    private final class FakeFactory implements AdapterFactory {
        @Override
        public String platform() {
            return "fake";
        }

        @Override
        public List<String> credentialNames() {
            return List.of("key");
        }

        @Override
        public List<String> defaultRegions() {
            return List.of("default-region");
        }

        @Override
        public PlatformAdapter create(AccountSettings settings) {
            if (settings.options().containsKey("refuse")) {
                throw new IllegalArgumentException("set the option image");
            }
            made.add(settings);
            return FakeAdapter.selling("fake");
        }
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof StartException known ? known : new IllegalStateException(e);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
