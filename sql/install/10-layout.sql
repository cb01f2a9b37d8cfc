-- The layout type

CREATE TYPE id_layout;

CREATE FUNCTION idgen.id_layout_in(cstring) RETURNS id_layout
    AS 'MODULE_PATHNAME', 'idgen_layout_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen.id_layout_out(id_layout) RETURNS cstring
    AS 'MODULE_PATHNAME', 'idgen_layout_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen.id_layout_recv(internal) RETURNS id_layout
    AS 'MODULE_PATHNAME', 'idgen_layout_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen.id_layout_send(id_layout) RETURNS bytea
    AS 'MODULE_PATHNAME', 'idgen_layout_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE id_layout (
    INPUT = idgen.id_layout_in,
    OUTPUT = idgen.id_layout_out,
    RECEIVE = idgen.id_layout_recv,
    SEND = idgen.id_layout_send,
    INTERNALLENGTH = 16,
    ALIGNMENT = double,
    STORAGE = plain
);

CREATE FUNCTION idgen.id_layout_eq(id_layout, id_layout) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_layout_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen.id_layout_ne(id_layout, id_layout) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_layout_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen.id_layout_hash(id_layout) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_layout_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE OPERATOR = (
    LEFTARG = id_layout, RIGHTARG = id_layout, FUNCTION = idgen.id_layout_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
CREATE OPERATOR <> (
    LEFTARG = id_layout, RIGHTARG = id_layout, FUNCTION = idgen.id_layout_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR CLASS id_layout_ops DEFAULT FOR TYPE id_layout USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 idgen.id_layout_hash(id_layout);

CREATE FUNCTION id_layout_info(
    layout id_layout DEFAULT 'instagram',
    OUT long_form text, OUT first_time timestamptz, OUT last_time timestamptz, OUT wraps boolean,
    OUT tick interval, OUT shards bigint, OUT ids_per_tick bigint, OUT ids_per_second bigint,
    OUT largest_id bigint, OUT fits_js boolean, OUT one_node boolean)
    AS 'MODULE_PATHNAME', 'idgen_layout_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION id_layouts(OUT name text, OUT long_form text) RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'idgen_layouts' LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 16;

COMMENT ON TYPE id_layout IS
    'how a 64-bit ID is packed: a preset, of those that id_layouts() lists, or epoch=... unit=... time=... shard=... sequence=...';
COMMENT ON FUNCTION idgen.id_layout_in(cstring) IS 'layout from text';
COMMENT ON FUNCTION idgen.id_layout_out(id_layout) IS 'layout as text: the name of the preset if it equals one, else the long form';
COMMENT ON FUNCTION idgen.id_layout_recv(internal) IS 'layout from its binary form';
COMMENT ON FUNCTION idgen.id_layout_send(id_layout) IS 'layout in its binary form';
COMMENT ON FUNCTION idgen.id_layout_eq(id_layout, id_layout) IS 'whether two layouts are the same';
COMMENT ON FUNCTION idgen.id_layout_ne(id_layout, id_layout) IS 'whether two layouts differ';
COMMENT ON FUNCTION idgen.id_layout_hash(id_layout) IS 'hash of a layout';
COMMENT ON OPERATOR = (id_layout, id_layout) IS 'same layout';
COMMENT ON OPERATOR <> (id_layout, id_layout) IS 'different layout';
COMMENT ON OPERATOR CLASS id_layout_ops USING hash IS 'equality of layouts';
COMMENT ON OPERATOR FAMILY id_layout_ops USING hash IS 'equality of layouts';
COMMENT ON FUNCTION id_layout_info(id_layout) IS
    'what a layout can do: long form, first and last time, shards, IDs per tick and second of one shard, whether IDs stay below 2^53, whether it is for one node only';
COMMENT ON FUNCTION id_layouts() IS 'the presets, the default first: name and long form of each';
