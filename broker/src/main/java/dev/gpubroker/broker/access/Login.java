package dev.gpubroker.broker.access;

import dev.gpubroker.broker.allocation.HostAddress;
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

    /** As a platform says it: the address alone, port and user in fields of their own. */
    public static Login stated(@Nullable String host, @Nullable Integer port, @Nullable String user) {
        return new Login(host, port, user);
    }

    /** As a pool's owner wrote it, in one text; what cannot be read is no address. */
    public static Login written(@Nullable String address) {
        return HostAddress.read(address == null ? "" : address.strip())
                .map(parts -> new Login(parts.host(), parts.port(), parts.user()))
                .orElseGet(() -> new Login(null, null, null));
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
