package dev.gpubroker.broker.identity;

import dev.gpubroker.broker.database.Database;
import dev.gpubroker.broker.http.ApiProblem;
import dev.gpubroker.broker.http.Authenticator;
import dev.gpubroker.broker.http.Caller;
import dev.gpubroker.broker.http.Problem;
import io.vertx.core.Future;
import java.time.InstantSource;
import java.util.Optional;
import java.util.regex.Pattern;

/** Knows the holders of tokens and tickets. An OIDC token is no bearer token here: it is shown once, for a ticket. */
final class SecretAuthenticator implements Authenticator {
    private static final Pattern OIDC = Pattern.compile("eyJ[A-Za-z0-9_-]*\\.[A-Za-z0-9_-]*\\.[A-Za-z0-9_-]*");

    private final Database database;
    private final PgTokens tokens;
    private final PgTickets tickets;
    private final InstantSource wall;

    SecretAuthenticator(Database database, PgTokens tokens, PgTickets tickets, InstantSource wall) {
        this.database = database;
        this.tokens = tokens;
        this.tickets = tickets;
        this.wall = wall;
    }

    @Override
    public Future<Optional<Caller>> authenticate(String bearerToken) {
        if (bearerToken.startsWith(Secret.TOKEN)) {
            return tokens.find(database.pool(), bearerToken, wall.instant());
        }
        if (bearerToken.startsWith(Secret.TICKET)) {
            return tickets.find(database.pool(), bearerToken, wall.instant());
        }
        return OIDC.matcher(bearerToken).matches()
                ? Future.failedFuture(exchangeIt())
                : Future.succeededFuture(Optional.empty());
    }

    private static ApiProblem exchangeIt() {
        return new ApiProblem(Problem.of(
                        401,
                        "unauthorized",
                        "An OIDC token opens no other call: post it to /v1/tickets once, and send the ticket.",
                        "OIDC 令牌不能直接调用接口：请先提交到 /v1/tickets 换取票据，再使用票据。")
                .withHeader("WWW-Authenticate", "Bearer error=\"invalid_token\""));
    }
}
