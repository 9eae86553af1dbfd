-- Where a team wants its news. Secrets are sealed: they open only with a key that lies outside the database.
CREATE TABLE webhook (
    webhook_id     text COLLATE "C" PRIMARY KEY,
    team_id        text COLLATE "C" NOT NULL REFERENCES team,
    url            text NOT NULL,
    -- None means all.
    topics         text[] NOT NULL,
    description    text,
    secret         text NOT NULL,
    -- Signs beside the new one until then.
    old_secret     text,
    old_until_wall timestamptz,
    enabled        boolean NOT NULL DEFAULT true,
    off_why        text,
    created_by     text NOT NULL,
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    UNIQUE (team_id, url),
    CHECK ((old_secret IS NULL) = (old_until_wall IS NULL)),
    CHECK (NOT enabled OR off_why IS NULL)
);

-- One message on its way to one receiver. Times are wall time: receivers do not live by the demo clock.
CREATE TABLE delivery (
    delivery_id     text COLLATE "C" PRIMARY KEY,
    kind            text NOT NULL CHECK (kind IN ('webhook', 'mail')),
    -- The receiver: what waits for one never delays another.
    lane            text COLLATE "C" NOT NULL,
    outbox_id       bigint NOT NULL REFERENCES outbox,
    -- What the message is about: deliveries about one subject leave one after the other.
    subject         text COLLATE "C",
    state           text NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
    tries           int NOT NULL DEFAULT 0,
    -- The place in the schedule; sending again by hand begins it anew.
    step            int NOT NULL DEFAULT 0,
    next_at_wall    timestamptz,
    created_at_wall timestamptz NOT NULL,
    ended_at_wall   timestamptz,
    status          int,
    why             text,
    -- The beginning of the last answer.
    excerpt         text,
    -- However often the relay sees the message.
    UNIQUE (lane, outbox_id),
    CHECK ((state = 'waiting') = (next_at_wall IS NOT NULL)),
    CHECK ((state = 'waiting') = (ended_at_wall IS NULL))
);
CREATE INDEX delivery_waiting ON delivery (next_at_wall, lane) WHERE state = 'waiting';
CREATE INDEX delivery_of_lane ON delivery (lane, created_at_wall DESC, delivery_id DESC);
CREATE INDEX delivery_ended ON delivery (ended_at_wall) WHERE state <> 'waiting';
CREATE INDEX delivery_of_message ON delivery (outbox_id);
