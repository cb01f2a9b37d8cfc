-- UUIDs of version 7

CREATE FUNCTION next_uuidv7() RETURNS uuid
    AS 'MODULE_PATHNAME', 'idgen_next_uuidv7' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION uuidv7_make(at timestamptz) RETURNS uuid
    AS 'MODULE_PATHNAME', 'idgen_uuidv7_make' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION uuidv7_min(at timestamptz) RETURNS uuid
    AS 'MODULE_PATHNAME', 'idgen_uuidv7_min' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION uuidv7_max(at timestamptz) RETURNS uuid
    AS 'MODULE_PATHNAME', 'idgen_uuidv7_max' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION next_uuidv7() IS 'makes a new UUID of version 7, larger than all that this server made before';
COMMENT ON FUNCTION uuidv7_make(timestamptz) IS 'a random UUID of version 7 of that microsecond, for backfill; in no order with others of it';
COMMENT ON FUNCTION uuidv7_min(timestamptz) IS 'smallest UUID of version 7 of that millisecond: a lower bound for ranges and partitions';
COMMENT ON FUNCTION uuidv7_max(timestamptz) IS 'largest UUID of version 7 of that millisecond: an upper bound, inclusive';
