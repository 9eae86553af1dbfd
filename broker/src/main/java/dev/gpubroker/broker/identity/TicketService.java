package dev.gpubroker.broker.identity;

import com.nimbusds.jose.jwk.JWK;
import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.VisibleText;
import dev.gpubroker.broker.identity.RefusedToken.Check;
import dev.gpubroker.broker.stored.Ids;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Exchanges an OIDC token for a ticket: read it, find who trusts it, check it, match it, and take it once. */
final class TicketService {
    private static final Logger LOG = LoggerFactory.getLogger(TicketService.class);
    private static final int LONGEST_NAME = 200;

    private final Database database;
    private final PgTrustRules rules;
    private final PgTickets tickets;
    private final IssuerKeys keys;
    private final AuditLog audit;
    private final InstantSource wall;

    TicketService(
            Database database,
            PgTrustRules rules,
            PgTickets tickets,
            IssuerKeys keys,
            AuditLog audit,
            InstantSource wall) {
        this.database = database;
        this.rules = rules;
        this.tickets = tickets;
        this.keys = keys;
        this.audit = audit;
        this.wall = wall;
    }

    /** A ticket as it leaves: the one sight of its secret. */
    record Issued(Ticket ticket, TrustRule rule, Secret secret) {}

    /**
     * Fails with {@link RefusedToken}, or with {@link IssuerKeys.IssuerAway} if the token may be good.
     *
     * @param team whose rules are asked; null = those of all teams
     */
    Future<Issued> exchange(String token, @Nullable String team) {
        Instant now = wall.instant();
        Assertion assertion;
        try {
            assertion = Assertion.read(token);
        } catch (RefusedToken refused) {
            return noted(refused, null, now);
        }
        return rules.ofIssuer(database.pool(), assertion.issuer(), team)
                .compose(candidates -> candidates.isEmpty()
                        ? noted(RefusedToken.because(Check.ISSUER), null, now)
                        : checked(assertion, candidates, now)
                                .compose(rule -> issued(assertion, rule, now))
                                .recover(fault -> fault instanceof RefusedToken refused
                                        ? noted(refused, assertion.issuer(), now)
                                        : Future.failedFuture(fault)));
    }

    private Future<TrustRule> checked(Assertion assertion, List<TrustRule> candidates, Instant now) {
        try {
            assertion.checkTimes(now, longest(candidates));
        } catch (RefusedToken refused) {
            return Future.failedFuture(refused);
        }
        return keys.find(assertion.issuer(), assertion.keyId())
                .compose(found -> signedBy(assertion, found)
                        .recover(fault -> fault instanceof RefusedToken refused && refused.check() == Check.SIGNATURE
                                ? keys.findAnew(assertion.issuer(), assertion.keyId())
                                        .compose(fresh -> fresh.equals(found)
                                                ? Future.failedFuture(refused)
                                                : signedBy(assertion, fresh))
                                : Future.failedFuture(fault)))
                .map(signed -> {
                    TrustRule rule = matching(assertion, candidates);
                    assertion.checkTimes(now, rule.kind().longestToken());
                    return rule;
                });
    }

    private static Future<Void> signedBy(Assertion assertion, Optional<JWK> found) {
        try {
            Signatures.check(assertion, found.orElseThrow(() -> RefusedToken.because(Check.KEY)));
            return Future.succeededFuture();
        } catch (RefusedToken refused) {
            return Future.failedFuture(refused);
        }
    }

    /** Before anything is fetched; the rule that matches has the last word. */
    private static Duration longest(List<TrustRule> candidates) {
        return candidates.stream()
                .map(rule -> rule.kind().longestToken())
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    /** The oldest rule that trusts the token. */
    private static TrustRule matching(Assertion assertion, List<TrustRule> candidates) {
        String audience = assertion.claims().audience();
        List<TrustRule> meant = candidates.stream()
                .filter(rule -> rule.audience().equals(audience))
                .toList();
        if (meant.isEmpty()) {
            throw RefusedToken.because(Check.AUDIENCE);
        }
        return meant.stream()
                .filter(rule ->
                        RuleMatch.firstMismatch(rule, assertion.claims()).isEmpty())
                .findFirst()
                .orElseThrow(() -> RefusedToken.because(
                        Check.RULE,
                        meant.size() == 1
                                ? RuleMatch.firstMismatch(meant.get(0), assertion.claims())
                                        .orElse(null)
                                : null));
    }

    private Future<Issued> issued(Assertion assertion, TrustRule rule, Instant now) {
        Secret secret = Secret.next(Secret.TICKET);
        Instant until = now.plus(rule.ticketLifetime());
        Ticket ticket = new Ticket(
                Ids.next("tkt", now), rule.id(), nameOf(rule, assertion.claims()), now, now.plus(Ticket.LIFE), until);
        return database.inTransaction(connection -> store(connection, assertion, rule, ticket, secret))
                .map(done -> new Issued(ticket, rule, secret))
                .onSuccess(
                        done -> LOG.info("{} got ticket {} by trust rule {}", ticket.name(), ticket.id(), rule.id()));
    }

    private Future<Void> store(
            SqlConnection connection, Assertion assertion, TrustRule rule, Ticket ticket, Secret secret) {
        // Its issuer's clock may be behind ours by the skew, so that it is good for so long after its end.
        Instant keepUntil = assertion.expiresAt().plus(Assertion.SKEW).plus(Assertion.SKEW);
        return tickets.use(connection, assertion.issuer(), assertion.id(), keepUntil)
                .compose(first ->
                        first ? Future.succeededFuture() : Future.failedFuture(RefusedToken.because(Check.REPLAYED)))
                .compose(fresh -> tickets.insert(connection, ticket, secret))
                .compose(stored ->
                        stored ? Future.succeededFuture() : Future.failedFuture(RefusedToken.because(Check.RULE)))
                .compose(done -> audit.add(
                        connection,
                        ticket.createdAt(),
                        rule.team(),
                        ticket.name(),
                        "ticket_created",
                        ticket.id(),
                        rule.id()));
    }

    /** Names the job as people know it; only of a token that is trusted. */
    private static String nameOf(TrustRule rule, Claims claims) {
        String name = switch (rule.kind()) {
            case GITHUB -> "github " + claims.text("repository") + " run " + claims.text("run_id");
            case GITLAB -> "gitlab " + claims.text("project_path") + " job " + claims.text("job_id");
            case GENERIC -> "oidc " + claims.text("sub");
        };
        String visible = VisibleText.shown(name);
        return visible.codePointCount(0, visible.length()) <= LONGEST_NAME
                ? visible
                : visible.substring(0, visible.offsetByCodePoints(0, LONGEST_NAME));
    }

    private <T> Future<T> noted(RefusedToken refused, @Nullable String issuer, Instant now) {
        String reason = String.valueOf(refused.getMessage());
        LOG.info("no ticket for an OIDC token of {}: {}", issuer == null ? "an unknown issuer" : issuer, reason);
        return audit.refused(database.pool(), now, issuer, reason)
                .recover(fault -> {
                    LOG.warn("a refusal could not be noted", fault);
                    return Future.succeededFuture();
                })
                .compose(done -> Future.failedFuture(refused));
    }

    /** Empty if it has run out meanwhile. */
    Future<Optional<Ticket>> renew(String ticketId) {
        Instant now = wall.instant();
        return tickets.renew(database.pool(), ticketId, now.plus(Ticket.LIFE), now);
    }

    /** Ends it now; nothing happens if it has ended. */
    Future<Void> end(String ticketId, String team, String name) {
        return database.inTransaction(connection -> tickets.delete(connection, ticketId)
                .compose(ended -> ended
                        ? audit.add(connection, wall.instant(), team, name, "ticket_ended", ticketId, null)
                        : Future.succeededFuture()));
    }
}
