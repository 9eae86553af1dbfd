-- Runners that were put on machines. One on an own machine is ended when its reservation has ended.
CREATE TABLE runner (
    -- Of the delivery that put it there.
    run            text COLLATE "C" PRIMARY KEY,
    trigger_id     text COLLATE "C" NOT NULL,
    team_id        text COLLATE "C" NOT NULL REFERENCES team,
    reservation_id text COLLATE "C" NOT NULL REFERENCES reservation,
    -- Null: the machine was bought and goes with the reservation.
    node_id        text COLLATE "C",
    put_at         timestamptz NOT NULL,
    ended_at       timestamptz
);
CREATE INDEX runner_at_work ON runner (reservation_id) WHERE ended_at IS NULL;

ALTER TABLE delivery
    DROP CONSTRAINT delivery_kind_check,
    ADD CONSTRAINT delivery_kind_check CHECK (kind IN ('webhook', 'mail', 'trigger', 'runner_end'));
