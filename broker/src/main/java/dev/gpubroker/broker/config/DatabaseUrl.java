package dev.gpubroker.broker.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a PostgreSQL server is and how to log in.
 *
 * @param sslMode {@code disable}, {@code prefer}, {@code require}, {@code verify-ca} or {@code verify-full}
 * @param sslRootCertificate PEM file of the authority that the {@code verify-} modes trust; null for the usual ones
 */
public record DatabaseUrl(
        String host,
        int port,
        String database,
        String user,
        Secret password,
        String sslMode,
        @Nullable String sslRootCertificate) {
    private static final List<String> SSL_MODES = List.of("disable", "prefer", "require", "verify-ca", "verify-full");
    private static final Set<String> PARAMETERS = Set.of("user", "password", "sslmode", "sslrootcert");
    private static final String EXAMPLE = "postgresql://user:password@host:5432/database";

    /** A server reached without encryption, such as the embedded one on the loopback address. */
    public static DatabaseUrl plain(String host, int port, String database, String user, Secret password) {
        return new DatabaseUrl(host, port, database, user, password, "disable", null);
    }

    /**
     * Reads {@code postgresql://user:password@host:port/database?sslmode=…} or
     * {@code jdbc:postgresql://host:port/database?user=…&password=…}; {@code sslmode} is {@code prefer} if not given.
     *
     * @param setting what the value is called where it was written, for the error
     * @throws StartException saying what is missing, without repeating the value, since that holds the password
     */
    public static DatabaseUrl parse(String setting, String text) {
        URI uri = uri(setting, text);
        String host = uri.getHost();
        if (host == null) {
            throw wrong(setting, "names no single host");
        }
        String path = uri.getRawPath() == null ? "" : uri.getRawPath();
        if (path.length() < 2 || path.indexOf('/', 1) >= 0) {
            throw wrong(setting, "names no database after the host");
        }
        Map<String, String> parameters = parameters(setting, uri.getRawQuery());
        String[] login = uri.getRawUserInfo() == null
                ? new String[0]
                : uri.getRawUserInfo().split(":", 2);
        String user = login.length > 0 ? decode(login[0]) : parameters.get("user");
        String password = login.length > 1 ? decode(login[1]) : parameters.get("password");
        if (user == null || user.isBlank() || password == null || password.isEmpty()) {
            throw wrong(setting, "lacks the user or the password");
        }
        String sslMode = parameters.getOrDefault("sslmode", "prefer");
        if (!SSL_MODES.contains(sslMode)) {
            throw wrong(setting, "has sslmode '" + sslMode + "', which is none of " + String.join(", ", SSL_MODES));
        }
        int port = uri.getPort() < 0 ? 5432 : uri.getPort();
        return new DatabaseUrl(
                host,
                port,
                decode(path.substring(1)),
                user,
                new Secret(password),
                sslMode,
                parameters.get("sslrootcert"));
    }

    /** The same server and login, another database. */
    public DatabaseUrl withDatabase(String name) {
        return new DatabaseUrl(host, port, name, user, password, sslMode, sslRootCertificate);
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "postgresql://" + user + "@" + host + ":" + port + "/" + database;
    }

    private static URI uri(String setting, String text) {
        String bare = text.startsWith("jdbc:") ? text.substring("jdbc:".length()) : text;
        String scheme = bare.substring(0, Math.max(0, bare.indexOf("://"))).toLowerCase(Locale.ROOT);
        if (!scheme.equals("postgresql") && !scheme.equals("postgres")) {
            throw wrong(setting, "is not the address of a PostgreSQL server");
        }
        try {
            return new URI(bare);
        } catch (URISyntaxException e) {
            // The exception repeats the input, so neither it nor its message goes further.
            throw wrong(
                    setting,
                    "cannot be read at character " + (e.getIndex() + 1)
                            + " (in a user or password, write @ as %40, : as %3A, / as %2F, % as %25)");
        }
    }

    private static Map<String, String> parameters(String setting, @Nullable String query) {
        Map<String, String> parameters = new LinkedHashMap<>();
        if (query == null || query.isEmpty()) {
            return parameters;
        }
        for (String part : query.split("&", -1)) {
            String[] pair = part.split("=", 2);
            if (!PARAMETERS.contains(pair[0])) {
                throw wrong(
                        setting, "has the parameter '" + pair[0] + "'; known are user, password, sslmode, sslrootcert");
            }
            parameters.put(pair[0], pair.length > 1 ? decode(pair[1]) : "");
        }
        return parameters;
    }

    /** Percent signs only: a plus stays a plus, unlike in a web form. */
    private static String decode(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static StartException wrong(String setting, String what) {
        return new StartException(setting + " " + what + ". Write it as " + EXAMPLE + ".");
    }
}
