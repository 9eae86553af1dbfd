-- Machines that are out of order for a time. What the database refuses to book are the rectangles of layer 2 in
-- allocation; this is what a person said of them.
CREATE TABLE outage (
    outage_id   text COLLATE "C" PRIMARY KEY,
    node_id     text COLLATE "C" NOT NULL REFERENCES node ON DELETE CASCADE,
    gpus        int[] NOT NULL CHECK (cardinality(gpus) > 0),
    -- Without an upper bound while nobody knows when it ends.
    during      tstzrange NOT NULL CHECK (NOT isempty(during) AND NOT lower_inf(during)),
    reason      text NOT NULL,
    declared_by text NOT NULL,
    created_at  timestamptz NOT NULL,
    -- Set when somebody ended it; one that ran out by itself has its end in during.
    ended_at    timestamptz
);
CREATE INDEX outage_of_node ON outage (node_id);

ALTER TABLE allocation ADD COLUMN outage_id text COLLATE "C" REFERENCES outage ON DELETE CASCADE;
CREATE INDEX allocation_of_outage ON allocation (outage_id) WHERE outage_id IS NOT NULL;

-- Those whose GPUs are out of order before anything began: looked for whenever capacity is freed.
CREATE INDEX reservation_blocked ON reservation (reservation_id)
    WHERE state IN ('confirmed', 'provisioning') AND 'blocked' = ANY (health);

-- A change that counts only once the platform has delivered it.
ALTER TABLE reservation ADD COLUMN pending_change jsonb;
