-- Whether own machines are asked at the start of a booking.
ALTER TABLE pool ADD COLUMN readiness text NOT NULL DEFAULT 'none' CHECK (readiness IN ('none', 'ssh'));

-- Whether a reservation's machines answer. A machine without a row was never asked.
CREATE TABLE machine_readiness (
    reservation_id text COLLATE "C" NOT NULL REFERENCES reservation,
    node_id        text COLLATE "C" NOT NULL REFERENCES node ON DELETE CASCADE,
    readiness      text NOT NULL CHECK (readiness IN ('pending', 'ready', 'unverified')),
    -- Why it is so, for a person.
    detail         text NOT NULL,
    -- Its host key as SSH writes it (kind and Base64), as first seen.
    host_key       text,
    tries          int NOT NULL DEFAULT 0,
    since          timestamptz NOT NULL,
    changed_at     timestamptz NOT NULL,
    PRIMARY KEY (reservation_id, node_id)
);
CREATE INDEX machine_readiness_of_node ON machine_readiness (node_id);

-- What the start-up scripts of a claim's machines may say once each: that they have run. The token itself is with the machines.
CREATE TABLE call_home (
    claim_key  text COLLATE "C" PRIMARY KEY REFERENCES claim,
    token_hash bytea NOT NULL UNIQUE,
    machines   int NOT NULL CHECK (machines >= 1),
    -- Who has called, by the name that each machine's kernel gave itself.
    called     text[] NOT NULL DEFAULT '{}',
    expires_at timestamptz NOT NULL
);

-- What a person wants of machines where a booking says nothing.
CREATE TABLE person (
    team_id    text COLLATE "C" NOT NULL REFERENCES team,
    name       text COLLATE "C" NOT NULL,
    machine    jsonb NOT NULL,
    time_zone  text,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (team_id, name)
);
