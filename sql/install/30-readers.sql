-- Reading by ID

CREATE FUNCTION id_settled(layout id_layout DEFAULT 'instagram') RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_settled' LANGUAGE C STABLE PARALLEL RESTRICTED;

COMMENT ON FUNCTION id_settled(id_layout) IS
    'the bound in layout below which the query that calls it sees every row that will ever be there; null if that is not known';

-- Readers

CREATE FUNCTION id_decode(id bigint, layout id_layout DEFAULT 'instagram',
                          OUT created_at timestamptz, OUT shard integer, OUT sequence integer)
    AS 'MODULE_PATHNAME', 'idgen_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_time(id bigint, layout id_layout DEFAULT 'instagram') RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'idgen_time' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_time_near(id bigint, near timestamptz, layout id_layout DEFAULT 'instagram')
    RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'idgen_time_near' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_shard(id bigint, layout id_layout DEFAULT 'instagram') RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_shard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_region(id bigint, layout id_layout DEFAULT 'instagram') RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_region' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_sequence(id bigint, layout id_layout DEFAULT 'instagram') RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_sequence' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_min(at timestamptz, layout id_layout DEFAULT 'instagram') RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_min' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_max(at timestamptz, layout id_layout DEFAULT 'instagram') RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_max' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION id_decode(bigint, id_layout) IS 'time, shard and sequence of an ID; null for a negative number and one that is too large for the layout';
COMMENT ON FUNCTION id_time(bigint, id_layout) IS 'time of an ID of layout: the start of its tick; of the first turn if time wraps';
COMMENT ON FUNCTION id_time_near(bigint, timestamptz, id_layout) IS
    'time of an ID in the turn nearest to the instant near, for a layout whose time wraps';
COMMENT ON FUNCTION id_shard(bigint, id_layout) IS 'shard of an ID of layout: the node''s whole number, region included';
COMMENT ON FUNCTION id_region(bigint, id_layout) IS 'region of an ID; null if the layout has none';
COMMENT ON FUNCTION id_sequence(bigint, id_layout) IS 'sequence of an ID of layout within its tick and shard';
COMMENT ON FUNCTION id_min(timestamptz, id_layout) IS
    'smallest ID of layout in the tick of the instant at: a lower bound for ranges and partitions';
COMMENT ON FUNCTION id_max(timestamptz, id_layout) IS
    'largest ID of layout in the tick of the instant at: an upper bound, inclusive';

-- What UUIDs say of themselves

CREATE FUNCTION uuid_time(value uuid) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'idgen_uuid_time' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION uuid_version_number(value uuid) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_uuid_version_number' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION uuid_time(uuid) IS 'time of value, a UUID of version 1, 6 or 7; null for others, which have none';
COMMENT ON FUNCTION uuid_version_number(uuid) IS 'version of value, a UUID; null if its variant is not that of RFC 9562';
