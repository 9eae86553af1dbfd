-- Pipelines that are started when a reservation comes into a state. Tokens are sealed.
CREATE TABLE pipeline_trigger (
    trigger_id     text COLLATE "C" PRIMARY KEY,
    team_id        text COLLATE "C" NOT NULL REFERENCES team,
    on_state       text NOT NULL,
    -- Both absent: every reservation of the team.
    reservation_id text COLLATE "C" REFERENCES reservation,
    labels         jsonb NOT NULL,
    kind           text NOT NULL CHECK (kind IN ('github_repository_dispatch', 'github_workflow_dispatch', 'gitlab_pipeline',
                       'jenkins_build', 'generic')),
    target         jsonb NOT NULL,
    token          text,
    api_token      text,
    runner         jsonb,
    created_by     text NOT NULL,
    created_at     timestamptz NOT NULL
);
CREATE INDEX pipeline_trigger_of_team ON pipeline_trigger (team_id, created_at);

ALTER TABLE delivery
    DROP CONSTRAINT delivery_kind_check,
    ADD CONSTRAINT delivery_kind_check CHECK (kind IN ('webhook', 'mail', 'trigger')),
    -- Something was sent and nobody knows what came of it; set while a try is in hand.
    ADD COLUMN in_doubt boolean NOT NULL DEFAULT false;
-- A pipeline is started once for a reservation, whatever is told of it how often.
CREATE UNIQUE INDEX delivery_starts_once ON delivery (lane, subject) WHERE kind = 'trigger';
