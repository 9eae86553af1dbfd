package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

/**
 * Who sent a request.
 *
 * @param team the team the request acts for; idempotency keys and reservations belong to it
 * @param name the person, job or token, as shown in events
 * @param admin whether administration is allowed
 */
public record Caller(String team, String name, boolean admin) {
    /** The caller of an operation that needs no token; belongs to no team. */
    public static final Caller ANONYMOUS = new Caller("", "anonymous", false);

    public Caller {
        requireNonNull(team, "team");
        requireNonNull(name, "name");
    }
}
