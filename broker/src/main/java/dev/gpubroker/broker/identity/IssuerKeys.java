package dev.gpubroker.broker.identity;

import com.nimbusds.jose.jwk.JWK;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the keys of issuers. An issuer is asked again after ten minutes, and for a key that nobody knows yet at most once a
 * minute; while it is away, what it said last is good for an hour.
 */
final class IssuerKeys {
    private static final Logger LOG = LoggerFactory.getLogger(IssuerKeys.class);
    private static final Duration FRESH = Duration.ofMinutes(10);
    private static final Duration GOOD = Duration.ofHours(1);
    private static final Duration BETWEEN_ASKING = Duration.ofMinutes(1);
    /** Where it never answered, a job that waits should not wait a minute more. */
    private static final Duration BETWEEN_FIRST_TRIES = Duration.ofSeconds(5);

    private static final int MOST_ISSUERS = 500;

    private final KeySource source;
    private final InstantSource wall;
    private final Map<String, Known> issuers = new LinkedHashMap<>(16, 0.75f, true);

    IssuerKeys(KeySource source, InstantSource wall) {
        this.source = source;
        this.wall = wall;
    }

    /** The issuer does not answer, and what it said is too old, or lacks the key. */
    static final class IssuerAway extends RuntimeException {
        private static final long serialVersionUID = 1L;

        IssuerAway(String issuer) {
            super("the keys of " + issuer + " cannot be had", null, false, false);
        }
    }

    /** What is known of an issuer; guarded by itself. */
    private static final class Known {
        private Map<String, JWK> keys = Map.of();
        private @Nullable Instant saidAt;
        private @Nullable Instant askedAt;
        private @Nullable Future<Map<String, JWK>> underWay;
    }

    /** Keys of one issuer never serve another, whatever they are called. Fails with {@link IssuerAway}. */
    Future<Optional<JWK>> find(String issuer, String keyId) {
        Known known = known(issuer);
        Instant now = wall.instant();
        synchronized (known) {
            JWK key = known.keys.get(keyId);
            if (key != null && isWithin(known.saidAt, FRESH, now)) {
                return Future.succeededFuture(Optional.of(key));
            }
            return anew(known, issuer, keyId, now);
        }
    }

    /**
     * The same, and fresh keys count for nothing: there are issuers that change a key and keep its name, as Jenkins' plugin does.
     * They are asked at most once a minute for it.
     */
    Future<Optional<JWK>> findAnew(String issuer, String keyId) {
        Known known = known(issuer);
        synchronized (known) {
            return anew(known, issuer, keyId, wall.instant());
        }
    }

    private Future<Optional<JWK>> anew(Known known, String issuer, String keyId, Instant now) {
        if (known.underWay == null && isWithin(known.askedAt, pause(known), now)) {
            return lastSaid(known, issuer, keyId, now);
        }
        return asked(known, issuer, now)
                .map(keys -> Optional.ofNullable(keys.get(keyId)))
                .recover(fault -> lastSaid(known, issuer, keyId, now)
                        .compose(found -> found.isPresent()
                                ? Future.succeededFuture(found)
                                : Future.failedFuture(new IssuerAway(issuer))));
    }

    private Known known(String issuer) {
        synchronized (issuers) {
            Known known = issuers.computeIfAbsent(issuer, first -> new Known());
            if (issuers.size() > MOST_ISSUERS) {
                issuers.remove(issuers.keySet().iterator().next());
            }
            return known;
        }
    }

    private static Duration pause(Known known) {
        return known.saidAt == null ? BETWEEN_FIRST_TRIES : BETWEEN_ASKING;
    }

    private static boolean isWithin(@Nullable Instant from, Duration span, Instant now) {
        return from != null && now.isBefore(from.plus(span));
    }

    private static Future<Optional<JWK>> lastSaid(Known known, String issuer, String keyId, Instant now) {
        synchronized (known) {
            return isWithin(known.saidAt, GOOD, now)
                    ? Future.succeededFuture(Optional.ofNullable(known.keys.get(keyId)))
                    : Future.failedFuture(new IssuerAway(issuer));
        }
    }

    /** Everybody who asks meanwhile shares the answer. */
    private Future<Map<String, JWK>> asked(Known known, String issuer, Instant now) {
        Future<Map<String, JWK>> underWay = known.underWay;
        if (underWay != null) {
            return underWay;
        }
        known.askedAt = now;
        Future<Map<String, JWK>> asking = source.fetch(issuer);
        known.underWay = asking;
        return asking.onComplete(done -> {
            synchronized (known) {
                known.underWay = null;
                if (done.succeeded()) {
                    known.keys = done.result();
                    known.saidAt = now;
                } else {
                    LOG.warn("the keys of {} could not be fetched: {}", issuer, String.valueOf(done.cause()));
                }
            }
        });
    }
}
