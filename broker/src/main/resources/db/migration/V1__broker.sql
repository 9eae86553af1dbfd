-- Words are those of the design: reservation, claim, allocation, offer, quote. Times are business time
-- unless a column is called …_wall. Spans are half-open.

CREATE EXTENSION IF NOT EXISTS btree_gist;

-- ---- installation and time -------------------------------------------------------------------------

CREATE TABLE installation (
    installation_id text COLLATE "C" PRIMARY KEY,
    stamp           text NOT NULL CHECK (stamp IN ('simulated', 'real')),
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX installation_is_one ON installation ((true));

CREATE TABLE demo_clock (
    singleton     boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    offset_micros bigint NOT NULL
);
INSERT INTO demo_clock (offset_micros) VALUES (0);

-- Business time: what bookings count by. All brokers and simulators on this database agree on it.
CREATE FUNCTION business_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
    SELECT clock_timestamp() + offset_micros * interval '1 microsecond' FROM demo_clock
$$;

-- ---- teams -------------------------------------------------------------------------------------------

CREATE TABLE team (
    team_id    text COLLATE "C" PRIMARY KEY,
    name       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO team (team_id, name) VALUES ('default', 'default');

-- Times here are wall time: a lock does not jump with the demo clock.
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
    PRIMARY KEY (team, key)
);
CREATE INDEX idempotency_key_age ON idempotency_key (created_at);

-- ---- platform accounts ---------------------------------------------------------------------------------

CREATE TABLE account (
    account_id  text COLLATE "C" PRIMARY KEY,
    platform    text COLLATE "C" NOT NULL,
    purchases   text NOT NULL CHECK (purchases IN ('observe', 'approve', 'auto')),
    simulated   boolean NOT NULL,
    currency    text NOT NULL,
    per_booking numeric CHECK (per_booking > 0),
    per_day     numeric CHECK (per_day > 0),
    per_month   numeric CHECK (per_month > 0),
    open_claims int CHECK (open_claims > 0),
    -- Set when what is on the platform contradicts our ledger: no buying, no sweeping, until a person looked.
    stopped_why text,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- One switch for all buying; it never stops a release.
CREATE TABLE purchase_switch (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    paused    boolean NOT NULL,
    -- Who moved it last, when and why; null while nobody has.
    paused_by text,
    paused_at timestamptz,
    paused_why text
);
INSERT INTO purchase_switch (paused) VALUES (false);

-- What was seen of stock, one row per change, so that waits can be measured.
CREATE TABLE stock_observation (
    observation_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id     text COLLATE "C" NOT NULL,
    region         text COLLATE "C" NOT NULL,
    model          text COLLATE "C" NOT NULL,
    gpus_per_node  int NOT NULL,
    in_stock       boolean NOT NULL,
    nodes          int,
    from_at        timestamptz NOT NULL,
    last_seen_at   timestamptz NOT NULL
);
CREATE INDEX stock_observation_latest
    ON stock_observation (account_id, region, model, gpus_per_node, from_at DESC);

-- ---- own capacity, and every machine we hold ---------------------------------------------------------

CREATE TABLE pool (
    pool_id       text COLLATE "C" PRIMARY KEY,
    team_id       text COLLATE "C" NOT NULL REFERENCES team,
    name          text NOT NULL,
    model         text NOT NULL,
    gpus_per_node int NOT NULL CHECK (gpus_per_node BETWEEN 1 AND 128),
    turnaround    interval NOT NULL DEFAULT interval '0' CHECK (turnaround >= interval '0'),
    created_at    timestamptz NOT NULL,
    UNIQUE (team_id, name)
);

CREATE TABLE node (
    node_id    text COLLATE "C" PRIMARY KEY,
    pool_id    text COLLATE "C" REFERENCES pool ON DELETE CASCADE,
    claim_key  text COLLATE "C",
    name       text NOT NULL,
    address    text,
    model      text NOT NULL,
    gpus       int NOT NULL CHECK (gpus BETWEEN 1 AND 128),
    created_at timestamptz NOT NULL,
    retired_at timestamptz,
    CHECK ((pool_id IS NULL) <> (claim_key IS NULL))
);
CREATE INDEX node_of_pool ON node (pool_id);
CREATE INDEX node_of_claim ON node (claim_key);

-- ---- reservations ----------------------------------------------------------------------------------------

CREATE TABLE quote (
    quote_id   text COLLATE "C" PRIMARY KEY,
    team_id    text COLLATE "C" NOT NULL,
    request    jsonb NOT NULL,
    plan       jsonb NOT NULL,
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX quote_age ON quote (expires_at);

CREATE TABLE reservation (
    reservation_id text COLLATE "C" PRIMARY KEY,
    team_id        text COLLATE "C" NOT NULL REFERENCES team,
    owner          text NOT NULL,
    title          text,
    labels         jsonb NOT NULL,
    state          text NOT NULL CHECK (state IN ('queued', 'offered', 'ordering', 'confirmed', 'provisioning', 'active',
                       'releasing', 'completed', 'cancelled', 'failed', 'no_show', 'expired')),
    -- The ending that a releasing reservation is on its way to.
    ending         text CHECK (ending IN ('completed', 'cancelled', 'failed', 'no_show')),
    health         text[] NOT NULL DEFAULT '{}',
    request        jsonb NOT NULL,
    model          text NOT NULL,
    gpu_count      int NOT NULL CHECK (gpu_count BETWEEN 1 AND 1024),
    during         tstzrange NOT NULL CHECK (NOT isempty(during)),
    -- What is to be bought or was, with its priced lines as agreed.
    plan           jsonb,
    assignment     jsonb,
    substitution   jsonb,
    proposal       jsonb,
    quote          jsonb,
    -- Agreed once: price caps by model, stand-ins that were declined, whether the fallback has been decided.
    terms          jsonb NOT NULL,
    explanation    jsonb NOT NULL,
    blockers       jsonb NOT NULL DEFAULT '[]',
    next_what      text,
    next_at        timestamptz,
    priority       int NOT NULL DEFAULT 0,
    joined_at      timestamptz,
    attempts       int NOT NULL DEFAULT 0,
    was_claimed    boolean NOT NULL DEFAULT false,
    version        bigint NOT NULL DEFAULT 1,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    ended_at       timestamptz,
    CHECK ((next_what IS NULL) = (next_at IS NULL)),
    CHECK (state <> 'releasing' OR ending IS NOT NULL)
);
CREATE INDEX reservation_by_age ON reservation (team_id, created_at DESC, reservation_id DESC);
CREATE INDEX reservation_by_time ON reservation USING gist (during);
CREATE INDEX reservation_waiting ON reservation (model, priority DESC, joined_at, reservation_id)
    WHERE state IN ('queued', 'offered');

CREATE TABLE reservation_event (
    event_id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reservation_id text COLLATE "C" NOT NULL REFERENCES reservation,
    team_id        text COLLATE "C" NOT NULL,
    at             timestamptz NOT NULL,
    who            text NOT NULL,
    what           text NOT NULL,
    before         jsonb,
    after          jsonb,
    why            text
);
CREATE INDEX reservation_event_of ON reservation_event (reservation_id, event_id);

-- Rectangles: node × GPU indexes × time. The database refuses overlaps, whatever the code forgets.
-- Layer 0: reservations. Layer 1: leases inside a reservation. Layer 2: outages.
CREATE TABLE allocation (
    allocation_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    layer          smallint NOT NULL CHECK (layer BETWEEN 0 AND 2),
    node_id        text COLLATE "C" NOT NULL REFERENCES node ON DELETE CASCADE,
    gpus           int4range NOT NULL CHECK (NOT isempty(gpus) AND lower(gpus) >= 0),
    during         tstzrange NOT NULL CHECK (NOT isempty(during)),
    live           boolean NOT NULL DEFAULT true,
    reservation_id text COLLATE "C" REFERENCES reservation,
    lease_id       text COLLATE "C",
    created_at     timestamptz NOT NULL,
    -- When the machine was really given back; until then a later allocation on it cannot start.
    released_at    timestamptz,
    CONSTRAINT allocation_never_overlaps
        EXCLUDE USING gist (layer WITH =, node_id WITH =, gpus WITH &&, during WITH &&) WHERE (live)
);
CREATE INDEX allocation_of_reservation ON allocation (reservation_id);

-- ---- claims ------------------------------------------------------------------------------------------------

-- The intent commits before a platform is called; the row then follows what was taken until it is gone.
CREATE TABLE claim (
    claim_key       text COLLATE "C" PRIMARY KEY,
    reservation_id  text COLLATE "C" NOT NULL REFERENCES reservation,
    attempt         int NOT NULL CHECK (attempt >= 1),
    unit            int NOT NULL CHECK (unit >= 0),
    account_id      text COLLATE "C" NOT NULL,
    platform        text COLLATE "C" NOT NULL,
    region          text COLLATE "C" NOT NULL,
    request         jsonb NOT NULL,
    amount          numeric NOT NULL,
    currency        text NOT NULL,
    state           text NOT NULL CHECK (state IN ('intended', 'accepted', 'claimed', 'refused', 'unknown', 'absent',
                        'releasing', 'released')),
    -- Wanted no more: whatever turns up is released at once.
    unwanted        boolean NOT NULL DEFAULT false,
    launched        boolean NOT NULL DEFAULT false,
    ref             jsonb,
    bought          tstzrange,
    phase           text,
    reason          text,
    detail          text,
    not_listed      int NOT NULL DEFAULT 0,
    release_tries   int NOT NULL DEFAULT 0,
    intended_at     timestamptz NOT NULL,
    -- The last instant at which the request could still reach the platform; null = it was never sent.
    arrives_by      timestamptz,
    -- The worker that sent it vanished before the answer was written.
    vanished        boolean NOT NULL DEFAULT false,
    settled_at      timestamptz,
    released_at     timestamptz,
    watch_until     timestamptz,
    version         bigint NOT NULL DEFAULT 1,
    UNIQUE (reservation_id, attempt, unit)
);
CREATE INDEX claim_open ON claim (account_id)
    WHERE state IN ('intended', 'accepted', 'claimed', 'unknown', 'releasing');
CREATE INDEX claim_spent ON claim (account_id, intended_at);

-- What only a person can decide.
CREATE TABLE task (
    task_id        text COLLATE "C" PRIMARY KEY,
    kind           text NOT NULL,
    subject        text COLLATE "C" NOT NULL,
    reservation_id text COLLATE "C" REFERENCES reservation,
    detail         text NOT NULL,
    created_at     timestamptz NOT NULL,
    done_at        timestamptz,
    UNIQUE (kind, subject)
);

-- ---- work ----------------------------------------------------------------------------------------------------

-- What is due and when; a wake-up only says "look now". A worker holds a row for a while under a fence.
CREATE TABLE due_work (
    kind               text COLLATE "C" NOT NULL,
    subject            text COLLATE "C" NOT NULL,
    due_at             timestamptz NOT NULL,
    -- Looks again and again (stock, health): a walk of the demo clock does it once.
    periodic           boolean NOT NULL DEFAULT false,
    pokes              bigint NOT NULL DEFAULT 0,
    tries              int NOT NULL DEFAULT 0,
    fence              bigint NOT NULL DEFAULT 0,
    claimed_by         text,
    claimed_until_wall timestamptz,
    PRIMARY KEY (kind, subject)
);
CREATE INDEX due_work_due ON due_work (due_at);

-- What leaves after commit: live events, webhooks, mail.
CREATE TABLE outbox (
    outbox_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team_id      text COLLATE "C" NOT NULL,
    topic        text COLLATE "C" NOT NULL,
    body         jsonb NOT NULL,
    created_at   timestamptz NOT NULL,
    tries        int NOT NULL DEFAULT 0,
    next_at_wall timestamptz NOT NULL DEFAULT clock_timestamp(),
    delivered_at timestamptz,
    given_up_why text
);
CREATE INDEX outbox_waiting ON outbox (next_at_wall, outbox_id) WHERE delivered_at IS NULL AND given_up_why IS NULL;

CREATE TABLE cancellation_quote (
    quote_id       text COLLATE "C" PRIMARY KEY,
    reservation_id text COLLATE "C" NOT NULL REFERENCES reservation,
    attempt        int NOT NULL,
    fee            numeric NOT NULL,
    refund         numeric NOT NULL,
    currency       text NOT NULL,
    expires_at     timestamptz NOT NULL,
    created_at     timestamptz NOT NULL
);
