-- Looking for room asks what is taken over a span on any of thousands of nodes. The index of the exclusion constraint answers
-- that node by node; this one answers it at once. What has ended is not live and not in it.
CREATE INDEX allocation_by_time ON allocation USING gist (during) WHERE live;
