package dev.gpubroker.broker.identity;

import dev.gpubroker.broker.http.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which OIDC tokens of an issuer are trusted, and what their jobs may do.
 *
 * @param issuer compared letter by letter
 * @param repositoryId, ownerId numbers that the issuer never gives twice; null for {@link Kind#GENERIC}
 * @param refProtected whether the ref must be protected
 * @param claims further claims and the text that each must be
 * @param cap null unless {@code scopes} has {@code book}
 * @param pools ids of the pools that may be leased; null = every pool of the team
 * @param ticketLifetime how long a ticket can be renewed
 */
record TrustRule(
        String id,
        String team,
        String issuer,
        String audience,
        Kind kind,
        @Nullable String repositoryId,
        @Nullable String ownerId,
        @Nullable String ref,
        @Nullable String refType,
        boolean refProtected,
        @Nullable String environment,
        PullRequests pullRequests,
        Map<String, String> claims,
        Set<Scope> scopes,
        @Nullable Cap cap,
        @Nullable List<String> pools,
        Duration ticketLifetime,
        String createdBy,
        Instant createdAt) {
    TrustRule {
        claims = Map.copyOf(claims);
        scopes = Set.copyOf(scopes);
        pools = pools == null ? null : List.copyOf(pools);
    }

    /** Whose tokens they are; decides which claims carry the numbers and what tells a pull request. */
    enum Kind {
        /** Tokens live 5 to 15 minutes. */
        GITHUB(Duration.ofHours(1)),
        /** Tokens live as long as the job may run. */
        GITLAB(Duration.ofHours(24)),
        GENERIC(Duration.ofHours(1));

        private final Duration longestToken;

        Kind(Duration longestToken) {
            this.longestToken = longestToken;
        }

        Duration longestToken() {
            return longestToken;
        }

        String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Kind ofWireName(String name) {
            return valueOf(name.toUpperCase(Locale.ROOT));
        }
    }

    /** What is done with jobs that run the code of a pull request. */
    enum PullRequests {
        REFUSED,
        /** Taken if the token proves that the code comes from the repository itself and from no fork. */
        SAME_REPOSITORY;

        String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }

        static PullRequests ofWireName(String name) {
            return valueOf(name.toUpperCase(Locale.ROOT));
        }
    }
}
