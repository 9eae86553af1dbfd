-- A task is answered with one of the words that its kind knows; the answer is kept, with who gave it.
ALTER TABLE task
    ADD COLUMN detail_zh   text NOT NULL DEFAULT '',
    -- What the answer needs to know, by kind; never a secret.
    ADD COLUMN facts       jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN answer      text,
    ADD COLUMN answered_by text,
    ADD COLUMN note        text,
    ADD CONSTRAINT task_done_is_answered CHECK ((done_at IS NULL) = (answer IS NULL));
CREATE INDEX task_open ON task (created_at) WHERE done_at IS NULL;
