-- Readers of id64. They have names of their own: beside a second id_time(), a driver's untyped parameter would fit both.

CREATE FUNCTION id64_decode(id id64, layout id_layout DEFAULT 'instagram',
                            OUT created_at timestamptz, OUT shard integer, OUT sequence integer)
    AS 'MODULE_PATHNAME', 'idgen_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id64_time(id id64, layout id_layout DEFAULT 'instagram') RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'idgen_time' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id64_shard(id id64, layout id_layout DEFAULT 'instagram') RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_shard' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id64_sequence(id id64, layout id_layout DEFAULT 'instagram') RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_sequence' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION id64_decode(id64, id_layout) IS 'time, shard and sequence of an id64, as id_decode';
COMMENT ON FUNCTION id64_time(id64, id_layout) IS 'time of an id64, as id_time';
COMMENT ON FUNCTION id64_shard(id64, id_layout) IS 'shard of an id64, as id_shard';
COMMENT ON FUNCTION id64_sequence(id64, id_layout) IS 'sequence of an id64, as id_sequence';
