package dev.gpubroker.broker.config;

import static java.util.Map.entry;
import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sun.misc.Signal;

/**
 * The settings in force. On SIGHUP they are read again; policy, notifications, webhooks, purchase modes and caps change at once, the
 * rest keeps its old value until a restart, and the log says so. Settings that cannot be read change nothing.
 */
public final class SettingsReloader {
    private static final Logger LOG = LoggerFactory.getLogger(SettingsReloader.class);
    /** What only a restart changes. Accounts are compared one by one. */
    private static final Map<String, Function<Settings, @Nullable Object>> FIXED = Map.ofEntries(
            entry("secretKey", Settings::secretKey),
            entry("otherSecretKey", Settings::otherSecretKey),
            entry("port", Settings::port),
            entry("bind", Settings::bind),
            entry("publicUrl", Settings::publicUrl),
            entry("databaseUrl", Settings::database),
            entry("data", Settings::data),
            entry("adminToken", Settings::adminToken),
            entry("timeZone", Settings::timeZone),
            entry("simulators", Settings::simulators),
            entry("demoClock", Settings::demoClock),
            entry("accountsLeft", Settings::accountsLeft));

    private final Supplier<Settings> reader;
    private final List<Consumer<Settings>> listeners = new CopyOnWriteArrayList<>();
    private volatile Settings current;

    /**
     * @param first the settings of the start
     * @param reader reads them afresh
     */
    public SettingsReloader(Settings first, Supplier<Settings> reader) {
        this.current = requireNonNull(first, "first");
        this.reader = requireNonNull(reader, "reader");
    }

    public Settings current() {
        return current;
    }

    /** Calls {@code listener} with the new settings after each change, on the thread that reloads. */
    public void onChange(Consumer<Settings> listener) {
        listeners.add(listener);
    }

    /** Reloads on SIGHUP from now on. */
    public void listenForHangup() {
        Signal.handle(new Signal("HUP"), signal -> {
            try {
                reload();
            } catch (StartException e) {
                LOG.error("Settings stay as they are. {}", e.getMessage());
            } catch (RuntimeException e) {
                LOG.error("Settings stay as they are: reading them failed", e);
            }
        });
    }

    /**
     * Reads the settings and puts in force what may change while the broker runs.
     *
     * @return names of the settings that differ but need a restart, sorted, may be empty
     * @throws StartException if they cannot be read; then nothing has changed
     */
    public synchronized List<String> reload() {
        Settings read = reader.get();
        Settings before = current;
        List<String> needRestart = needRestart(before, read);
        Settings merged = merge(before, read);
        if (!merged.equals(before)) {
            current = merged;
            listeners.forEach(listener -> listener.accept(merged));
        }
        LOG.info("Settings read again: {}", merged.equals(before) ? "nothing to change" : "changes are in force");
        if (!needRestart.isEmpty()) {
            LOG.warn("These settings change at the next start only: {}", String.join(", ", needRestart));
        }
        return needRestart;
    }

    private static Settings merge(Settings before, Settings read) {
        Map<String, Account> byId = byId(read);
        List<Account> accounts = before.accounts().stream()
                .map(account -> {
                    Account other = byId.get(account.id());
                    return other == null ? account : account.reloadedFrom(other);
                })
                .toList();
        return new Settings(
                before.port(),
                before.bind(),
                before.publicUrl(),
                before.database(),
                before.data(),
                before.adminToken(),
                before.timeZone(),
                before.simulators(),
                before.demoClock(),
                accounts,
                before.accountsLeft(),
                read.notifications(),
                read.policy(),
                before.secretKey(),
                before.otherSecretKey(),
                read.webhooks(),
                before.machineLogin(),
                before.file());
    }

    private static List<String> needRestart(Settings before, Settings read) {
        List<String> changed = new ArrayList<>();
        FIXED.forEach((name, value) -> {
            if (!Objects.equals(value.apply(before), value.apply(read))) {
                changed.add(name);
            }
        });
        Map<String, Account> old = byId(before);
        Map<String, Account> fresh = byId(read);
        fresh.forEach((id, account) -> {
            Account known = old.get(id);
            if (known == null || !known.reloadedFrom(account).equals(account)) {
                changed.add("account " + id);
            }
        });
        old.keySet().stream().filter(id -> !fresh.containsKey(id)).forEach(id -> changed.add("account " + id));
        return changed.stream().sorted().toList();
    }

    private static Map<String, Account> byId(Settings settings) {
        return settings.accounts().stream().collect(Collectors.toMap(Account::id, Function.identity()));
    }
}
