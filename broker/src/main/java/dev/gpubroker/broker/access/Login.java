package dev.gpubroker.broker.access;

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where to log in.
 *
 * @param host name or address; null where nobody stated one
 * @param port null where nobody stated one
 */
public record Login(
        @Nullable String host,
        @Nullable Integer port,
        @Nullable String user) {
    static final int SSH = 22;

    /** {@code user@host:port}, of which user and port may be missing; an IPv6 address stands in brackets if a port follows. */
    private static final Pattern ADDRESS = Pattern.compile("(?:(?<user>[^@\\s]+)@)?"
            + "(?:(?:\\[(?<six>[0-9A-Fa-f:.]+)]|(?<host>[^\\s:@\\[\\]-][^\\s:@\\[\\]]*))(?::(?<port>[0-9]{1,5}))?"
            + "|(?<bare>[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*))");

    /** As a platform says it: the address alone, port and user in fields of their own. */
    public static Login stated(@Nullable String host, @Nullable Integer port, @Nullable String user) {
        return new Login(host, port, user);
    }

    /** As a pool's owner wrote it, in one text; what cannot be read is no address. */
    public static Login written(@Nullable String address) {
        Matcher parts = ADDRESS.matcher(address == null ? "" : address.strip());
        if (!parts.matches()) {
            return new Login(null, null, null);
        }
        String host = Stream.of("six", "host", "bare")
                .map(parts::group)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        Integer port = parts.group("port") == null ? null : Integer.valueOf(parts.group("port"));
        return port != null && (port < 1 || port > 65_535)
                ? new Login(null, null, null)
                : new Login(host, port, parts.group("user"));
    }

    /** Asked at the usual port where none is stated. */
    Login orUsualPort() {
        return port == null ? new Login(host, SSH, user) : this;
    }

    /** The line that {@code known_hosts} wants for a key; null without host or key. */
    public @Nullable String knownHost(@Nullable String key) {
        if (host == null || key == null) {
            return null;
        }
        boolean usual = port == null || port == SSH;
        return (usual ? host : "[" + host + "]:" + port) + " " + key;
    }
}
