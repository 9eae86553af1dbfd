-- What the run-time ground needs of the broker's own schema; used only while that schema lacks it.
CREATE TABLE demo_clock (
    "only" boolean PRIMARY KEY DEFAULT true CHECK ("only"),
    offset_micros bigint NOT NULL
);
CREATE FUNCTION business_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
    SELECT clock_timestamp() + coalesce((SELECT offset_micros FROM demo_clock), 0) * interval '1 microsecond'
$$;
CREATE TABLE installation (
    installation_id text PRIMARY KEY,
    stamp text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
