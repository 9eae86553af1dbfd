-- Who calls. Times here are wall time: a token does not live longer because the demo clock was moved.
-- Secrets are never stored, only their SHA-256; they have 256 random bits, so that a plain digest is enough.

CREATE TABLE api_token (
    token_id        text COLLATE "C" PRIMARY KEY,
    team_id         text COLLATE "C" NOT NULL REFERENCES team,
    name            text NOT NULL,
    secret_hash     bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
    scopes          text[] NOT NULL CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['admin', 'book', 'lease', 'read']),
    -- What it may book; null where nothing limits it.
    cap_per_booking numeric CHECK (cap_per_booking > 0),
    cap_per_day     numeric CHECK (cap_per_day > 0),
    cap_currency    text,
    created_by      text NOT NULL,
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz CHECK (expires_at > created_at),
    revoked_at      timestamptz,
    CHECK ((cap_currency IS NULL) = (cap_per_booking IS NULL) AND (cap_currency IS NULL) = (cap_per_day IS NULL)),
    CHECK (cap_currency IS NULL OR 'book' = ANY (scopes))
);
CREATE INDEX api_token_of_team ON api_token (team_id, token_id);

-- Which jobs of which repositories may come without a secret, and what they may do then.
CREATE TABLE trust_rule (
    rule_id                 text COLLATE "C" PRIMARY KEY,
    team_id                 text COLLATE "C" NOT NULL REFERENCES team,
    issuer                  text COLLATE "C" NOT NULL,
    audience                text COLLATE "C" NOT NULL,
    kind                    text NOT NULL CHECK (kind IN ('github', 'gitlab', 'generic')),
    -- Numbers that an issuer never gives twice; a name can be registered again by somebody else.
    repository_id           text COLLATE "C",
    owner_id                text COLLATE "C",
    ref                     text COLLATE "C",
    ref_type                text,
    ref_protected           boolean NOT NULL,
    environment             text COLLATE "C",
    pull_requests           text NOT NULL CHECK (pull_requests IN ('refused', 'same_repository')),
    claims                  jsonb NOT NULL,
    scopes                  text[] NOT NULL CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['book', 'lease']),
    cap_per_booking         numeric CHECK (cap_per_booking > 0),
    cap_per_day             numeric CHECK (cap_per_day > 0),
    cap_currency            text,
    -- Pools that may be leased; null where every pool of the team may be.
    pools                   text[],
    ticket_lifetime_seconds int NOT NULL CHECK (ticket_lifetime_seconds BETWEEN 1 AND 86400),
    created_by              text NOT NULL,
    created_at              timestamptz NOT NULL,
    CHECK ((kind = 'generic') = (repository_id IS NULL) AND (kind = 'generic') = (owner_id IS NULL)),
    CHECK (kind <> 'generic' OR claims ? 'sub'),
    CHECK (kind = 'gitlab' OR pull_requests = 'refused'),
    CHECK (kind <> 'gitlab' OR ref IS NULL OR ref_type IS NOT NULL),
    -- A job never books without a limit.
    CHECK (('book' = ANY (scopes)) = (cap_currency IS NOT NULL)),
    CHECK ((cap_currency IS NULL) = (cap_per_booking IS NULL) AND (cap_currency IS NULL) = (cap_per_day IS NULL))
);
CREATE INDEX trust_rule_of_issuer ON trust_rule (issuer, rule_id);
CREATE INDEX trust_rule_of_team ON trust_rule (team_id, rule_id);

-- What a job got for its OIDC token. Ends with its rule.
CREATE TABLE ticket (
    ticket_id       text COLLATE "C" PRIMARY KEY,
    rule_id         text COLLATE "C" NOT NULL REFERENCES trust_rule ON DELETE CASCADE,
    name            text NOT NULL,
    secret_hash     bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    renewable_until timestamptz NOT NULL,
    CHECK (created_at < expires_at AND expires_at <= renewable_until)
);
CREATE INDEX ticket_of_rule ON ticket (rule_id);
CREATE INDEX ticket_age ON ticket (expires_at);

-- OIDC tokens that were exchanged, by the id that their issuer gave them, until they have run out by themselves.
-- Outlives rule and ticket: else a rule made anew would take an old token twice.
CREATE TABLE used_assertion (
    issuer     text COLLATE "C" NOT NULL,
    jti        text COLLATE "C" NOT NULL,
    keep_until timestamptz NOT NULL,
    PRIMARY KEY (issuer, jti)
);
CREATE INDEX used_assertion_age ON used_assertion (keep_until);

-- What was booked under a cap, by token or rule; amounts in the cap's currency, days in UTC of business time.
CREATE TABLE grant_spending (
    grantee        text COLLATE "C" NOT NULL,
    reservation_id text COLLATE "C" NOT NULL REFERENCES reservation,
    day            date NOT NULL,
    amount         numeric NOT NULL CHECK (amount > 0),
    PRIMARY KEY (grantee, reservation_id, day)
);
CREATE INDEX grant_spending_by_day ON grant_spending (grantee, day);

-- Who made, used up, revoked and was refused what. No secret, no claim of a token that was not trusted, no address.
CREATE TABLE audit_event (
    event_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       timestamptz NOT NULL,
    last_at  timestamptz NOT NULL,
    team_id  text COLLATE "C",
    who      text NOT NULL,
    what     text NOT NULL,
    subject  text,
    detail   text,
    -- Refusals of one kind within one hour are one row, so that a stranger cannot fill the table.
    times    int NOT NULL DEFAULT 1,
    bucket   text COLLATE "C" UNIQUE
);
