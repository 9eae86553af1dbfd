package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

/**
 * Who sent a request.
 *
 * @param team the team the request acts for; idempotency keys and reservations belong to it
 * @param name the person, job or token, as shown in events
 * @param grants what the caller may do
 */
public record Caller(String team, String name, Grants grants) {
    /** The caller of an operation that needs no token; belongs to no team. */
    public static final Caller ANONYMOUS = new Caller("", "anonymous", Grants.none());

    public Caller {
        requireNonNull(team, "team");
        requireNonNull(name, "name");
        requireNonNull(grants, "grants");
    }

    /** @param admin whether administration is allowed; everything else is */
    public Caller(String team, String name, boolean admin) {
        this(team, name, admin ? Grants.administrator() : Grants.member());
    }

    public boolean admin() {
        return grants.allows(Scope.ADMIN);
    }
}
