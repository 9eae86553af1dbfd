package dev.gpubroker.broker.http;

import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/** Tells who holds a bearer token: the admin token, tokens of teams, tickets of jobs. */
@FunctionalInterface
public interface Authenticator {
    /**
     * The caller, or empty if the token is not known here. Fails only if that cannot be found out (503).
     *
     * @param bearerToken not empty; never to be logged
     */
    Future<Optional<Caller>> authenticate(String bearerToken);

    /** Asks one after the other; the first that knows the token answers. */
    static Authenticator firstOf(List<Authenticator> authenticators) {
        return token -> {
            Future<Optional<Caller>> answer = Future.succeededFuture(Optional.empty());
            for (Authenticator next : authenticators) {
                answer = answer.compose(
                        known -> known.isPresent() ? Future.succeededFuture(known) : next.authenticate(token));
            }
            return answer;
        };
    }
}
