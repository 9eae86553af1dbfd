CREATE SEQUENCE idempotency_fence;

CREATE TABLE idempotency_key (
    team         text COLLATE "C" NOT NULL,
    key          text COLLATE "C" NOT NULL,
    body_hash    bytea NOT NULL,
    fence        bigint NOT NULL,
    state        text NOT NULL CHECK (state IN ('running', 'done')),
    locked_until timestamptz NOT NULL,
    status       int,
    headers      jsonb,
    body         bytea,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (team, key),
    CHECK ((state = 'done') = (status IS NOT NULL AND headers IS NOT NULL))
);

CREATE INDEX idempotency_key_created_at ON idempotency_key (created_at);
