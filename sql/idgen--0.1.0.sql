-- idgen 0.1.0: install script. Everything goes to the schema that CREATE EXTENSION chose; nothing
-- here depends on search_path afterwards.
\echo Use "CREATE EXTENSION idgen" to load this file. \quit

-- A function of the same name in this schema would make calls ambiguous: say so before anything else.
DO $$
DECLARE
    clash text;
BEGIN
    SELECT string_agg(p.oid::pg_catalog.regprocedure::text, ', ' ORDER BY p.proname, p.oid)
      INTO clash
      FROM pg_catalog.pg_proc p
      JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = pg_catalog.current_schema()
       AND p.proname IN ('next_id', 'next_ids', 'next_id_array', 'id_decode', 'id_time', 'id_time_near',
                         'id_shard', 'id_region', 'id_sequence', 'id_make', 'id_min', 'id_max',
                         'id_layout_info', 'idgen_own_shards', 'idgen_accept_clock', 'idgen_advance',
                         'idgen_reset');
    IF clash IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = 'duplicate_function',
            MESSAGE = 'functions of the same name exist in schema ' || pg_catalog.current_schema() || ': ' || clash,
            DETAIL = 'Beside those of idgen, calls of them would be ambiguous.',
            HINT = 'Rename them (ALTER FUNCTION ... RENAME TO ...), or put idgen into a schema of its own: '
                   'CREATE SCHEMA idgen; CREATE EXTENSION idgen SCHEMA idgen';
    END IF;
END
$$;

-- The layout type

CREATE TYPE id_layout;

CREATE FUNCTION id_layout_in(cstring) RETURNS id_layout
    AS 'MODULE_PATHNAME', 'idgen_layout_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_layout_out(id_layout) RETURNS cstring
    AS 'MODULE_PATHNAME', 'idgen_layout_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_layout_recv(internal) RETURNS id_layout
    AS 'MODULE_PATHNAME', 'idgen_layout_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_layout_send(id_layout) RETURNS bytea
    AS 'MODULE_PATHNAME', 'idgen_layout_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE id_layout (
    INPUT = id_layout_in,
    OUTPUT = id_layout_out,
    RECEIVE = id_layout_recv,
    SEND = id_layout_send,
    INTERNALLENGTH = 16,
    ALIGNMENT = double,
    STORAGE = plain
);

CREATE FUNCTION id_layout_eq(id_layout, id_layout) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_layout_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_layout_ne(id_layout, id_layout) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_layout_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_layout_hash(id_layout) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_layout_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE OPERATOR = (
    LEFTARG = id_layout, RIGHTARG = id_layout, FUNCTION = id_layout_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
CREATE OPERATOR <> (
    LEFTARG = id_layout, RIGHTARG = id_layout, FUNCTION = id_layout_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR CLASS id_layout_ops DEFAULT FOR TYPE id_layout USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 id_layout_hash(id_layout);

CREATE FUNCTION id_layout_info(
    layout id_layout,
    OUT long_form text, OUT first_time timestamptz, OUT last_time timestamptz, OUT wraps boolean,
    OUT tick interval, OUT shards bigint, OUT ids_per_tick bigint, OUT ids_per_second bigint,
    OUT largest_id bigint, OUT fits_js boolean)
    AS 'MODULE_PATHNAME', 'idgen_layout_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- Makers

CREATE FUNCTION idgen_own_shards() RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_own_shards' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION next_id(shard bigint DEFAULT idgen_own_shards(), layout id_layout DEFAULT 'instagram')
    RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_next_id' LANGUAGE C VOLATILE PARALLEL SAFE;

CREATE FUNCTION next_ids(count bigint, shard bigint DEFAULT idgen_own_shards(),
                         layout id_layout DEFAULT 'instagram')
    RETURNS SETOF bigint
    AS 'MODULE_PATHNAME', 'idgen_next_ids' LANGUAGE C VOLATILE PARALLEL SAFE ROWS 1000;

CREATE FUNCTION next_id_array(count integer, shard bigint DEFAULT idgen_own_shards(),
                              layout id_layout DEFAULT 'instagram')
    RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'idgen_next_id_array' LANGUAGE C VOLATILE PARALLEL SAFE;

CREATE FUNCTION id_make(created_at timestamptz, shard bigint, sequence integer,
                        layout id_layout DEFAULT 'instagram')
    RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_make' LANGUAGE C IMMUTABLE PARALLEL SAFE;

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

-- For the DBA

CREATE FUNCTION idgen_accept_clock() RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_accept_clock' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen_advance(at timestamptz) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_advance' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_reset(no_id_above timestamptz) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_reset' LANGUAGE C VOLATILE PARALLEL UNSAFE;
REVOKE EXECUTE ON FUNCTION idgen_accept_clock(), idgen_advance(timestamptz), idgen_reset(timestamptz) FROM PUBLIC;

-- The durable horizon: last_value is H in unix ms, log_cnt the identity of the server that wrote it. pg_dump
-- carries it along by setval, which leaves no identity. The bounds are the years 2000 to 2200.

CREATE SEQUENCE idgen_horizon MINVALUE 946684800000 MAXVALUE 7258118400000;
SELECT pg_catalog.pg_extension_config_dump('idgen_horizon', '');

CREATE FUNCTION idgen_create_horizon() RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_create_horizon' LANGUAGE C VOLATILE;
SELECT idgen_create_horizon();
DROP FUNCTION idgen_create_horizon();

-- What each object is

COMMENT ON TYPE id_layout IS
    'how a 64-bit ID is packed: a preset (instagram, snowflake, twitter, discord, sonyflake, mastodon, js53, trace) or epoch=... unit=... time=... shard=... sequence=...';
COMMENT ON FUNCTION id_layout_in(cstring) IS 'layout from text';
COMMENT ON FUNCTION id_layout_out(id_layout) IS 'layout as text: a preset''s name where it equals one, else the long form';
COMMENT ON FUNCTION id_layout_recv(internal) IS 'layout from its binary form';
COMMENT ON FUNCTION id_layout_send(id_layout) IS 'layout in its binary form';
COMMENT ON FUNCTION id_layout_eq(id_layout, id_layout) IS 'whether two layouts are the same';
COMMENT ON FUNCTION id_layout_ne(id_layout, id_layout) IS 'whether two layouts differ';
COMMENT ON FUNCTION id_layout_hash(id_layout) IS 'hash of a layout';
COMMENT ON OPERATOR = (id_layout, id_layout) IS 'same layout';
COMMENT ON OPERATOR <> (id_layout, id_layout) IS 'different layout';
COMMENT ON OPERATOR CLASS id_layout_ops USING hash IS 'equality of layouts';
COMMENT ON OPERATOR FAMILY id_layout_ops USING hash IS 'equality of layouts';
COMMENT ON FUNCTION id_layout_info(id_layout) IS
    'what a layout can do: long form, first and last time, shards, IDs per tick and second of one shard, whether IDs stay below 2^53';
COMMENT ON FUNCTION idgen_own_shards() IS
    'the shard argument that means: from the shards that this node owns (idgen.shards); no shard itself';
COMMENT ON FUNCTION next_id(bigint, id_layout) IS 'makes a new ID, from this node''s own shards or from the given one';
COMMENT ON FUNCTION next_ids(bigint, bigint, id_layout) IS 'makes that many new IDs as rows, ascending';
COMMENT ON FUNCTION next_id_array(integer, bigint, id_layout) IS 'makes that many new IDs as an array, ascending';
COMMENT ON FUNCTION id_make(timestamptz, bigint, integer, id_layout) IS
    'the ID with the given time, shard and sequence, for backfill and tests; does not make it unique';
COMMENT ON FUNCTION id_decode(bigint, id_layout) IS 'time, shard and sequence of an ID; null for a negative number and one that is too large for the layout';
COMMENT ON FUNCTION id_time(bigint, id_layout) IS 'time of an ID: the start of its tick; of the first turn where time wraps';
COMMENT ON FUNCTION id_time_near(bigint, timestamptz, id_layout) IS 'time of an ID in the turn nearest to an instant, for layouts whose time wraps';
COMMENT ON FUNCTION id_shard(bigint, id_layout) IS 'shard of an ID: the node''s whole number, region included';
COMMENT ON FUNCTION id_region(bigint, id_layout) IS 'region of an ID; null where the layout has none';
COMMENT ON FUNCTION id_sequence(bigint, id_layout) IS 'sequence of an ID within its tick and shard';
COMMENT ON FUNCTION id_min(timestamptz, id_layout) IS 'smallest ID of an instant''s tick: a lower bound for ranges and partitions';
COMMENT ON FUNCTION id_max(timestamptz, id_layout) IS 'largest ID of an instant''s tick: an upper bound, inclusive';
COMMENT ON FUNCTION idgen_advance(timestamptz) IS
    'no ID below that instant will be made from now on, durably: after a restore behind the server''s back, or taking over a shard';
COMMENT ON FUNCTION idgen_reset(timestamptz) IS
    'lowers the durable horizon after a wrong clock raised it; makes duplicates unless no ID has reached that instant';
COMMENT ON SEQUENCE idgen_horizon IS
    'the durable horizon: no ID at or after this unix ms has left the server; written by idgen alone';
COMMENT ON FUNCTION idgen_accept_clock() IS 'takes the clock as it is now for right, after a forward jump beyond idgen.max_clock_jump';
