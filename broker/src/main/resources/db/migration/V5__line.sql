-- How often somebody behind was let by in the line for own capacity; at a limit nobody is any more.
ALTER TABLE reservation ADD COLUMN passes int NOT NULL DEFAULT 0;
CREATE INDEX reservation_waiting_then ON reservation USING gist (during) WHERE state IN ('queued', 'offered');
