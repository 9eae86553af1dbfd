-- What a CI job holds, or waits for: GPUs inside a reservation (rectangles of layer 1), or of an own pool (layer 0).
CREATE TABLE lease (
    lease_id             text COLLATE "C" PRIMARY KEY,
    team_id              text COLLATE "C" NOT NULL REFERENCES team,
    owner                text NOT NULL,
    title                text,
    -- What it wants GPUs of: an id, or a model's name; as it is shown; and the models that serve.
    target_kind          text NOT NULL CHECK (target_kind IN ('reservation', 'pool', 'model')),
    target               text COLLATE "C" NOT NULL,
    target_name          text NOT NULL,
    models               text[] NOT NULL,
    gpus                 int NOT NULL CHECK (gpus BETWEEN 1 AND 1024),
    ttl_seconds          bigint NOT NULL CHECK (ttl_seconds > 0),
    max_duration_seconds bigint NOT NULL CHECK (max_duration_seconds > 0),
    max_wait_seconds     bigint NOT NULL CHECK (max_wait_seconds >= 0),
    -- Its place in the one line: (priority, joined_at, lease_id), and how often somebody behind was let by.
    priority             int NOT NULL DEFAULT 0,
    joined_at            timestamptz NOT NULL,
    passes               int NOT NULL DEFAULT 0,
    state                text NOT NULL CHECK (state IN ('queued', 'held', 'stale', 'released', 'expired', 'timed_out')),
    why                  text,
    -- Inside which reservation it is held; null while it waits, and where it holds GPUs of a pool.
    reservation_id       text COLLATE "C" REFERENCES reservation,
    held_at              timestamptz,
    heartbeat_at         timestamptz,
    stale_at             timestamptz,
    ends_at              timestamptz,
    ended_at             timestamptz,
    version              bigint NOT NULL DEFAULT 1,
    CHECK (state NOT IN ('held', 'stale') OR (held_at IS NOT NULL AND heartbeat_at IS NOT NULL AND ends_at IS NOT NULL)),
    CHECK ((state = 'stale') = (stale_at IS NOT NULL)),
    CHECK ((state IN ('released', 'expired', 'timed_out')) = (ended_at IS NOT NULL))
) WITH (fillfactor = 70); -- A heartbeat then finds room beside the row, and no index has to be told.
CREATE INDEX lease_waiting ON lease (priority DESC, joined_at, lease_id) WHERE state = 'queued';
CREATE INDEX lease_inside ON lease (reservation_id) WHERE reservation_id IS NOT NULL;
CREATE INDEX lease_by_age ON lease (team_id, joined_at DESC, lease_id DESC);

ALTER TABLE allocation
    ADD FOREIGN KEY (lease_id) REFERENCES lease,
    ADD CONSTRAINT allocation_of_layer_1_has_a_lease CHECK (layer <> 1 OR (lease_id IS NOT NULL AND reservation_id IS NOT NULL));
CREATE INDEX allocation_of_lease ON allocation (lease_id) WHERE lease_id IS NOT NULL;

-- Where to log in, as the platform said; own machines say it in their address.
ALTER TABLE node
    ADD COLUMN ssh_port int CHECK (ssh_port BETWEEN 1 AND 65535),
    ADD COLUMN ssh_user text;
