package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a caller was granted, and by which credential.
 *
 * @param credential id of the token or ticket that was sent; empty for the administrator's own
 * @param cap null where nothing limits what may be booked
 * @param pools names and ids of the pools that may be leased; null where every pool of the team may be
 */
public record Grants(
        String credential,
        Set<Scope> scopes,
        @Nullable SpendingCap cap,
        @Nullable Set<String> pools) {
    private static final Grants NONE = new Grants("", Set.of(), null, null);
    private static final Grants ADMINISTRATOR = new Grants("", Set.of(Scope.ADMIN), null, null);
    private static final Grants MEMBER = new Grants("", Set.of(Scope.BOOK, Scope.LEASE), null, null);

    public Grants {
        requireNonNull(credential, "credential");
        scopes = Set.copyOf(scopes);
        pools = pools == null ? null : Set.copyOf(pools);
    }

    public static Grants none() {
        return NONE;
    }

    public static Grants administrator() {
        return ADMINISTRATOR;
    }

    /** Everything but administration. */
    public static Grants member() {
        return MEMBER;
    }

    public boolean allows(Scope scope) {
        return scopes.contains(scope)
                || scopes.contains(Scope.ADMIN)
                || (scope == Scope.READ && scopes.contains(Scope.BOOK));
    }

    /** Whether a CI job sent it, got for its OIDC token: code runs there that others may have written. */
    public boolean isTicket() {
        return credential.startsWith("tkt_");
    }

    /** Their names, sorted. */
    Set<String> names() {
        Set<String> names = new TreeSet<>();
        scopes.forEach(scope -> names.add(scope.wireName()));
        return names;
    }
}
