package dev.gpubroker.broker.config;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.gpubroker.broker.config.Notifications.Smtp;
import dev.gpubroker.broker.config.Notifications.Tls;
import dev.gpubroker.broker.net.Network;
import dev.gpubroker.broker.net.OutboundRules;
import dev.gpubroker.broker.request.TimeZones;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the settings file, lays the environment over it and reads the result. */
final class SettingsLoader {
    static final String FILE_NAME = "gpu-broker.yaml";

    private static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            // Amounts of money must not pass through a double.
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();
    /** Settings that the environment may hold, and their key in the file. */
    private static final Map<String, String> VARIABLES = Map.ofEntries(
            Map.entry("GPU_BROKER_PORT", "port"),
            Map.entry("GPU_BROKER_BIND", "bind"),
            Map.entry("GPU_BROKER_PUBLIC_URL", "publicUrl"),
            Map.entry("GPU_BROKER_DATABASE_URL", "databaseUrl"),
            Map.entry("GPU_BROKER_DATA", "data"),
            Map.entry("GPU_BROKER_ADMIN_TOKEN", "adminToken"),
            Map.entry("GPU_BROKER_SECRET_KEY", "secretKey"),
            Map.entry("GPU_BROKER_OTHER_SECRET_KEY", "otherSecretKey"),
            Map.entry("GPU_BROKER_TIME_ZONE", "timeZone"),
            Map.entry("GPU_BROKER_SIMULATORS", "simulators"),
            Map.entry("GPU_BROKER_DEMO_CLOCK", "demoClock"));

    private static final int MAX_ACCOUNTS = 200;
    private static final String ID = "[a-z0-9][a-z0-9-]{0,39}";
    private static final String ID_SHAPE = "up to 40 small letters, digits and dashes";
    private static final int MOST_OF_A_KEY = 64 * 1024;
    private static final String USER = "[a-z_][a-z0-9_.-]{0,31}";
    private static final String MAIL = "[^\\s@<>,]+@[^\\s@<>,]+";

    private final Map<String, String> environment;

    SettingsLoader(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    Settings load(@Nullable Path named) {
        Path file = file(named);
        ObjectNode tree = file == null ? YAML.createObjectNode() : parse(file);
        Map<String, String> renamed = new HashMap<>();
        VARIABLES.forEach((variable, key) -> {
            String value = variable(variable);
            if (value != null) {
                tree.put(key, value);
                renamed.put(key, variable);
            }
        });
        Path folder = file == null ? Path.of("") : file.toAbsolutePath().resolveSibling("");
        return read(new Section("", tree, new Secrets(environment, folder), renamed), renamed.keySet(), folder, file);
    }

    private Settings read(Section top, Set<String> fromEnvironment, Path folder, @Nullable Path file) {
        // One below the highest, since the simulators' control listens on the next port.
        int port = top.integer("port", 0, 65_534, 8080);
        String bind = top.text("bind", "127.0.0.1");
        URI publicUrl = top.url("publicUrl");
        Secret database = top.secretOrText("databaseUrl");
        Secret token =
                fromEnvironment.contains("adminToken") ? top.secretOrText("adminToken") : top.secret("adminToken");
        if (token != null && !token.value().matches("[!-~]{1,512}")) {
            throw new StartException("Setting '" + top.name("adminToken")
                    + "' cannot be sent in a header. Write up to 512 visible ASCII characters without spaces.");
        }
        Settings settings = new Settings(
                port,
                bind,
                publicUrl != null ? publicUrl : reachable(top, bind, port),
                database == null
                        ? null
                        : DatabaseUrl.parse("Setting '" + top.name("databaseUrl") + "'", database.value()),
                path(top.text("data", defaultData())),
                token,
                timeZone(top),
                simulators(top),
                top.flag("demoClock", false),
                accounts(top),
                top.texts("accountsLeft"),
                notifications(top.section("notifications")),
                policy(top.section("policy")),
                fromEnvironment.contains("secretKey") ? top.secretOrText("secretKey") : top.secret("secretKey"),
                fromEnvironment.contains("otherSecretKey")
                        ? top.secretOrText("otherSecretKey")
                        : top.secret("otherSecretKey"),
                outbound(top.section("webhooks")),
                top.has("machineLogin") ? machineLogin(top.section("machineLogin"), folder) : null,
                file);
        top.end();
        return settings;
    }

    /** @return null when none is named and none lies where one is looked for */
    private @Nullable Path file(@Nullable Path named) {
        String variable = variable("GPU_BROKER_CONFIG");
        Path wanted = named != null ? named : variable == null ? null : path(variable);
        if (wanted != null) {
            if (!Files.isRegularFile(wanted)) {
                throw new StartException("The settings file " + wanted + " is not there. Name another with --config or"
                        + " GPU_BROKER_CONFIG, or leave both out to start with defaults.");
            }
            return wanted;
        }
        String data = variable("GPU_BROKER_DATA");
        for (Path folder : List.of(path(data == null ? defaultData() : data), Path.of(""))) {
            if (Files.isRegularFile(folder.resolve(FILE_NAME))) {
                return folder.resolve(FILE_NAME);
            }
        }
        return null;
    }

    private static ObjectNode parse(Path file) {
        try {
            JsonNode tree = YAML.readTree(file.toFile());
            if (tree.isMissingNode() || tree.isNull()) {
                return YAML.createObjectNode();
            }
            if (tree instanceof ObjectNode mapping) {
                return mapping;
            }
            throw new StartException(
                    "The settings file " + file + " is not a mapping. Write lines such as 'port: 8080'.");
        } catch (JacksonException e) {
            // Only the place: the message of the parser may repeat the line and with it a secret.
            String place =
                    e.getLocation() == null ? "" : " at line " + e.getLocation().getLineNr();
            throw new StartException("The settings file " + file + " cannot be read" + place
                    + ": it is not well-formed YAML, or a key stands there twice. Correct that line.");
        } catch (IOException e) {
            throw new StartException(
                    "The settings file " + file + " cannot be read. Make it readable for the broker's user.", e);
        }
    }

    private static URI reachable(Section top, String bind, int port) {
        String host = bind.equals("0.0.0.0") || bind.equals("::") ? "localhost" : bind;
        try {
            return URI.create("http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
        } catch (IllegalArgumentException e) {
            throw top.wrong("bind", bind, "the address of a network interface, such as 127.0.0.1 or 0.0.0.0");
        }
    }

    private static ZoneId timeZone(Section top) {
        String text = top.text("timeZone", "UTC");
        return TimeZones.named(text)
                .orElseThrow(() -> top.wrong("timeZone", text, "a time zone such as Asia/Shanghai or UTC"));
    }

    private static Simulators simulators(Section top) {
        String text = top.text("simulators", "false");
        if (text.contains("://")) {
            return new Simulators(Simulators.Mode.REMOTE, top.url("simulators"));
        }
        return switch (text) {
            case "true" -> Simulators.HOSTED;
            case "false" -> Simulators.NONE;
            default -> throw top.wrong("simulators", text, "true, false, or the control address of another process");
        };
    }

    private static List<Account> accounts(Section top) {
        List<Section> sections = top.sections("accounts");
        if (sections.size() > MAX_ACCOUNTS) {
            throw new StartException(
                    "Setting 'accounts' has " + sections.size() + " entries. Write up to " + MAX_ACCOUNTS + ".");
        }
        List<Account> accounts = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (Section section : sections) {
            Account account = account(section);
            if (!ids.add(account.id())) {
                throw section.wrong("id", account.id(), "an id that no other account has");
            }
            accounts.add(account);
        }
        return accounts;
    }

    private static Account account(Section section) {
        List<String> regions = section.texts("regions");
        if (regions.isEmpty()) {
            throw new StartException("Setting '" + section.name("regions")
                    + "' is missing. Write at least one region, such as [cn-hangzhou].");
        }
        Account account = new Account(
                section.word("id", ID, ID_SHAPE),
                section.word("platform", ID, "the id of a platform, such as aliyun"),
                regions,
                section.secretsOf("credentials"),
                section.textsOf("options"),
                section.choice("purchases", Purchases.class, Purchases.OBSERVE),
                caps(section.section("caps")),
                section.url("endpoint"),
                machines(section));
        section.end();
        return account;
    }

    private static MachineSettings machines(Section section) {
        return new MachineSettings(
                section.machine("machine"),
                section.choice("readiness", MachineSettings.Readiness.class, MachineSettings.Readiness.AUTO),
                section.has("health") ? health(section.section("health")) : null);
    }

    private static MachineSettings.Health health(Section section) {
        MachineSettings.Health health = new MachineSettings.Health(
                section.integer("port", 1, 65_535, 80),
                section.word("path", "/[!-~]{0,200}", "the path of a page on the machine, such as /healthz"));
        section.end();
        return health;
    }

    private static Caps caps(Section section) {
        Integer openClaims = section.has("openClaims") ? section.integer("openClaims", 0, 100_000, 0) : null;
        Caps caps =
                new Caps(section.money("perBooking"), section.money("perDay"), section.money("perMonth"), openClaims);
        section.end();
        return caps;
    }

    private static Notifications notifications(Section section) {
        Notifications notifications = new Notifications(section.has("smtp") ? smtp(section.section("smtp")) : null);
        section.end();
        return notifications;
    }

    private static OutboundRules outbound(Section section) {
        List<OutboundRules.Ports> ports = new ArrayList<>();
        for (String text : section.texts("ports")) {
            try {
                String[] ends = text.split("-", 2);
                ports.add(new OutboundRules.Ports(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1])));
            } catch (IllegalArgumentException e) {
                throw section.wrong("ports", text, "ports and spans of them, such as [443, 8000-8100]");
            }
        }
        List<Network> networks = new ArrayList<>();
        for (String text : section.texts("allowNetworks")) {
            try {
                networks.add(Network.of(text));
            } catch (IllegalArgumentException e) {
                throw section.wrong("allowNetworks", text, "networks such as [10.20.0.0/16, fd12:3456::/32]");
            }
        }
        OutboundRules rules = new OutboundRules(section.flag("allowHttp", false), ports, networks);
        section.end();
        return rules;
    }

    private MachineLogin machineLogin(Section section, Path folder) {
        String named = section.word("identityFile", "[^\\p{Cntrl}]{1,4096}", "the file of a private key");
        Path identity =
                named.startsWith("~") ? path(named) : folder.resolve(named).normalize();
        if (!isPrivateKey(identity)) {
            throw section.wrong("identityFile", named, "a file with a private key of OpenSSH that the broker can read");
        }
        MachineLogin login = new MachineLogin(
                identity,
                section.has("user") ? section.word("user", USER, "the name of a user, such as root") : "root");
        section.end();
        return login;
    }

    private static boolean isPrivateKey(Path file) {
        try {
            return Files.isRegularFile(file)
                    && Files.size(file) < MOST_OF_A_KEY
                    && Files.readString(file).matches("(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----\n.*");
        } catch (IOException unreadable) {
            return false;
        }
    }

    private static Smtp smtp(Section section) {
        List<String> to = section.texts("to");
        if (to.isEmpty() || !to.stream().allMatch(address -> address.matches(MAIL))) {
            throw section.wrong("to", String.join(", ", to), "at least one e-mail address");
        }
        Tls tls = section.choice("tls", Tls.class, Tls.STARTTLS);
        Smtp smtp = new Smtp(
                section.word("host", "[A-Za-z0-9.:-]{1,253}", "the name of the mail server"),
                section.integer("port", 1, 65_535, tls == Tls.IMPLICIT ? 465 : 587),
                section.text("user"),
                section.secret("password"),
                section.word("from", MAIL, "the sender's e-mail address"),
                to,
                tls);
        section.end();
        return smtp;
    }

    private static Policy policy(Section section) {
        Policy usual = Policy.DEFAULT;
        Duration none = Duration.ZERO;
        Policy policy = new Policy(
                section.duration("decideBefore", none, Duration.ofDays(56), usual.decideBefore()),
                section.duration("startGrace", none, Duration.ofDays(7), usual.startGrace()),
                section.duration("releaseGrace", none, Duration.ofDays(2), usual.releaseGrace()),
                section.flag("allowHoldEarly", usual.allowHoldEarly()),
                section.duration("acquireLead", none, Duration.ofDays(14), usual.acquireLead()),
                section.integer("maxAttempts", 1, 20, usual.maxAttempts()),
                section.flag("strictLine", usual.strictLine()),
                section.integer("mostPasses", 0, 1_000, usual.mostPasses()),
                section.integer("leastPart", 1, 100, usual.leastPart()),
                section.duration("noShowAfter", none, Duration.ofDays(7), usual.noShowAfter()));
        section.end();
        return policy;
    }

    private @Nullable String variable(String name) {
        String value = environment.get(name);
        return value == null || value.isBlank() ? null : value.strip();
    }

    private String defaultData() {
        return "~/.local/share/gpu-broker";
    }

    private Path path(String text) {
        if (text.equals("~") || text.startsWith("~/")) {
            String home = environment.getOrDefault("HOME", System.getProperty("user.home", "."));
            return Path.of(home, text.substring(1)).toAbsolutePath().normalize();
        }
        return Path.of(text).toAbsolutePath().normalize();
    }
}
