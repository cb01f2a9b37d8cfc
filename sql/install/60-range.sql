-- Periods: the rows of a time by their IDs, and the bounds of partitions

CREATE FUNCTION idgen.id_within_support(internal) RETURNS internal
    AS 'MODULE_PATHNAME', 'idgen_within_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_within(id bigint, period tstzrange, layout id_layout DEFAULT 'instagram') RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_within' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT idgen.id_within_support;
CREATE FUNCTION id_within_first(period tstzrange, layout id_layout DEFAULT 'instagram') RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_within_first' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_within_last(period tstzrange, layout id_layout DEFAULT 'instagram') RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_within_last' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION idgen.id_within_support(internal) IS
    'planner support of id_within: comparisons of the ID instead of the call';
COMMENT ON FUNCTION id_within(bigint, tstzrange, id_layout) IS
    'whether the time of an ID of layout lies in a period; an index condition on the ID';
COMMENT ON FUNCTION id_within_first(tstzrange, id_layout) IS
    'the smallest number whose time in layout lies in a period; above id_within_last if there is none';
COMMENT ON FUNCTION id_within_last(tstzrange, id_layout) IS 'the largest number whose time in layout lies in a period';

CREATE FUNCTION id_partition_bounds("from" timestamptz, "to" timestamptz, step interval,
                                    time_zone text DEFAULT pg_catalog.current_setting('TimeZone'),
                                    layout id_layout DEFAULT 'instagram',
                                    OUT suffix text, OUT lower bigint, OUT upper bigint)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'idgen_partition_bounds' LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 100;

COMMENT ON FUNCTION id_partition_bounds(timestamptz, timestamptz, interval, text, id_layout) IS
    'the periods of a calendar from one instant to another, in time_zone, each a step long (months, days, or hours or minutes that divide a day): a name''s suffix, and bounds in layout for FROM (lower) TO (upper)';
