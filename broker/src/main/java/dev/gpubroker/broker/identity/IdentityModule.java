package dev.gpubroker.broker.identity;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.Authenticator;
import dev.gpubroker.broker.http.Routes;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds the objects of this package by hand, top to bottom. */
public final class IdentityModule implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IdentityModule.class);
    private static final Duration CLEAN_EVERY = Duration.ofHours(1);

    private final Vertx vertx;
    private final long cleaning;
    private final DiscoveredKeys source;
    private final Authenticator authenticator;
    private final List<Routes> routes;

    /**
     * @param wall wall time: identity never follows the demo clock
     * @param zone in which times are shown
     * @param simulated whether an issuer on this machine may be reached without TLS
     */
    public IdentityModule(Vertx vertx, Database database, InstantSource wall, ZoneId zone, boolean simulated) {
        this.vertx = vertx;
        PgTeams teams = new PgTeams();
        PgTokens tokens = new PgTokens();
        PgTickets tickets = new PgTickets();
        PgTrustRules rules = new PgTrustRules();
        AuditLog audit = new AuditLog();
        IssuerAddress addresses = new IssuerAddress(simulated);
        this.source = new DiscoveredKeys(vertx, addresses);
        TicketService exchange = new TicketService(database, rules, tickets, new IssuerKeys(source, wall), audit, wall);
        this.authenticator = new SecretAuthenticator(database, tokens, tickets, wall);
        this.routes = List.of(
                new TeamRoutes(database, teams, audit, zone, wall),
                new TokenRoutes(database, teams, tokens, audit, zone, wall),
                new TrustRuleRoutes(database, teams, rules, addresses, audit, zone, wall),
                new TicketRoutes(exchange, zone),
                new CallerRoutes(),
                new AuditRoutes(database, audit, zone));
        this.cleaning = vertx.setPeriodic(
                CLEAN_EVERY.toMillis(),
                tick -> tickets.expire(database.pool(), wall.instant())
                        .onFailure(
                                fault -> LOG.warn("old tickets could not be removed; tried again in an hour", fault)));
    }

    public List<Routes> routes() {
        return routes;
    }

    /** Knows tokens and tickets. */
    public Authenticator authenticator() {
        return authenticator;
    }

    @Override
    public void close() {
        vertx.cancelTimer(cleaning);
        source.close().onFailure(fault -> LOG.warn("connections to issuers do not close in order", fault));
    }
}
