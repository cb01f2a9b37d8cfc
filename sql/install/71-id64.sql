-- The type id64: a bigint whose text is Base62. All but its text form does what the server does for bigint, called from C: the server would
-- look for its own functions by name, under another one (src/pg/sql/read_sql.cpp).

CREATE TYPE id64;

CREATE FUNCTION idgen.id64_in(cstring) RETURNS id64
    AS 'MODULE_PATHNAME', 'idgen_id64_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen.id64_out(id64) RETURNS cstring
    AS 'MODULE_PATHNAME', 'idgen_id64_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen.id64_recv(internal) RETURNS id64
    AS 'MODULE_PATHNAME', 'idgen_int8recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen.id64_send(id64) RETURNS bytea
    AS 'MODULE_PATHNAME', 'idgen_int8send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE id64 (
    INPUT = idgen.id64_in,
    OUTPUT = idgen.id64_out,
    RECEIVE = idgen.id64_recv,
    SEND = idgen.id64_send,
    LIKE = pg_catalog.int8
);

CREATE CAST (bigint AS id64) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE CAST (id64 AS bigint) WITHOUT FUNCTION AS ASSIGNMENT;

CREATE FUNCTION idgen.id64_eq(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION idgen.id64_ne(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION idgen.id64_lt(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION idgen.id64_le(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION idgen.id64_gt(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION idgen.id64_ge(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION idgen.id64_cmp(id64, id64) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_btint8cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION idgen.id64_hash(id64) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_hashint8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen.id64_hash_extended(id64, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_hashint8extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen.id64_in_range(id64, id64, bigint, boolean, boolean) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_in_range_int8_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen.id64_smaller(id64, id64) RETURNS id64
    AS 'MODULE_PATHNAME', 'idgen_int8smaller' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen.id64_larger(id64, id64) RETURNS id64
    AS 'MODULE_PATHNAME', 'idgen_int8larger' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE OPERATOR = (
    LEFTARG = id64, RIGHTARG = id64, FUNCTION = idgen.id64_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
    LEFTARG = id64, RIGHTARG = id64, FUNCTION = idgen.id64_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR < (
    LEFTARG = id64, RIGHTARG = id64, FUNCTION = idgen.id64_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = id64, RIGHTARG = id64, FUNCTION = idgen.id64_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR > (
    LEFTARG = id64, RIGHTARG = id64, FUNCTION = idgen.id64_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
CREATE OPERATOR >= (
    LEFTARG = id64, RIGHTARG = id64, FUNCTION = idgen.id64_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);

CREATE OPERATOR CLASS id64_ops DEFAULT FOR TYPE id64 USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 idgen.id64_cmp(id64, id64),
    FUNCTION 2 pg_catalog.btint8sortsupport(internal),
    FUNCTION 3 (id64, bigint) idgen.id64_in_range(id64, id64, bigint, boolean, boolean),
    FUNCTION 4 pg_catalog.btequalimage(oid);
CREATE OPERATOR CLASS id64_ops DEFAULT FOR TYPE id64 USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 idgen.id64_hash(id64),
    FUNCTION 2 idgen.id64_hash_extended(id64, bigint);
CREATE OPERATOR CLASS id64_minmax_ops DEFAULT FOR TYPE id64 USING brin AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 pg_catalog.brin_minmax_opcinfo(internal),
    FUNCTION 2 pg_catalog.brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 pg_catalog.brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 pg_catalog.brin_minmax_union(internal, internal, internal);
CREATE OPERATOR CLASS id64_minmax_multi_ops FOR TYPE id64 USING brin AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 pg_catalog.brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 pg_catalog.brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 pg_catalog.brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 pg_catalog.brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 pg_catalog.brin_minmax_multi_options(internal),
    FUNCTION 11 pg_catalog.brin_minmax_multi_distance_int8(internal, internal);
CREATE OPERATOR CLASS id64_bloom_ops FOR TYPE id64 USING brin AS
    OPERATOR 1 =,
    FUNCTION 1 pg_catalog.brin_bloom_opcinfo(internal),
    FUNCTION 2 pg_catalog.brin_bloom_add_value(internal, internal, internal, internal),
    FUNCTION 3 pg_catalog.brin_bloom_consistent(internal, internal, internal, integer),
    FUNCTION 4 pg_catalog.brin_bloom_union(internal, internal, internal),
    FUNCTION 5 pg_catalog.brin_bloom_options(internal),
    FUNCTION 11 idgen.id64_hash(id64);

-- Skip scans came with PostgreSQL 18.
DO $$
BEGIN
    IF pg_catalog.current_setting('server_version_num')::integer >= 180000 THEN
        ALTER OPERATOR FAMILY id64_ops USING btree ADD
            FUNCTION 6 (id64, id64) pg_catalog.btint8skipsupport(internal);
    END IF;
END
$$;

CREATE AGGREGATE min(id64) (
    SFUNC = idgen.id64_smaller, STYPE = id64, SORTOP = <, COMBINEFUNC = idgen.id64_smaller, PARALLEL = SAFE
);
CREATE AGGREGATE max(id64) (
    SFUNC = idgen.id64_larger, STYPE = id64, SORTOP = >, COMBINEFUNC = idgen.id64_larger, PARALLEL = SAFE
);

COMMENT ON TYPE id64 IS 'a bigint that is written as 11 digits of Base62, so that JSON and drivers carry it as a string';
COMMENT ON FUNCTION idgen.id64_in(cstring) IS 'id64 from its 11 digits';
COMMENT ON FUNCTION idgen.id64_out(id64) IS 'id64 as its 11 digits';
COMMENT ON FUNCTION idgen.id64_recv(internal) IS 'id64 from its binary form, that of a bigint';
COMMENT ON FUNCTION idgen.id64_send(id64) IS 'id64 in its binary form, that of a bigint';
COMMENT ON CAST (bigint AS id64) IS 'the same 64 bits';
COMMENT ON CAST (id64 AS bigint) IS 'the same 64 bits';
COMMENT ON FUNCTION idgen.id64_eq(id64, id64) IS 'equal';
COMMENT ON FUNCTION idgen.id64_ne(id64, id64) IS 'not equal';
COMMENT ON FUNCTION idgen.id64_lt(id64, id64) IS 'less than';
COMMENT ON FUNCTION idgen.id64_le(id64, id64) IS 'less than or equal';
COMMENT ON FUNCTION idgen.id64_gt(id64, id64) IS 'greater than';
COMMENT ON FUNCTION idgen.id64_ge(id64, id64) IS 'greater than or equal';
COMMENT ON FUNCTION idgen.id64_cmp(id64, id64) IS 'less, equal or greater: negative, 0 or positive';
COMMENT ON FUNCTION idgen.id64_hash(id64) IS 'hash, that of the bigint';
COMMENT ON FUNCTION idgen.id64_hash_extended(id64, bigint) IS 'hash with a seed, that of the bigint';
COMMENT ON FUNCTION idgen.id64_in_range(id64, id64, bigint, boolean, boolean) IS 'window frames in RANGE mode, the offset a difference of IDs';
COMMENT ON FUNCTION idgen.id64_smaller(id64, id64) IS 'the smaller of two';
COMMENT ON FUNCTION idgen.id64_larger(id64, id64) IS 'the larger of two';
COMMENT ON OPERATOR = (id64, id64) IS 'equal';
COMMENT ON OPERATOR <> (id64, id64) IS 'not equal';
COMMENT ON OPERATOR < (id64, id64) IS 'less than';
COMMENT ON OPERATOR <= (id64, id64) IS 'less than or equal';
COMMENT ON OPERATOR > (id64, id64) IS 'greater than';
COMMENT ON OPERATOR >= (id64, id64) IS 'greater than or equal';
COMMENT ON OPERATOR CLASS id64_ops USING btree IS 'order of id64, as that of bigint';
COMMENT ON OPERATOR FAMILY id64_ops USING btree IS 'order of id64, as that of bigint';
COMMENT ON OPERATOR CLASS id64_ops USING hash IS 'equality of id64, as that of bigint';
COMMENT ON OPERATOR FAMILY id64_ops USING hash IS 'equality of id64, as that of bigint';
COMMENT ON OPERATOR CLASS id64_minmax_ops USING brin IS 'smallest and largest id64 of a range of blocks';
COMMENT ON OPERATOR FAMILY id64_minmax_ops USING brin IS 'smallest and largest id64 of a range of blocks';
COMMENT ON OPERATOR CLASS id64_minmax_multi_ops USING brin IS 'several ranges of id64 of a range of blocks';
COMMENT ON OPERATOR FAMILY id64_minmax_multi_ops USING brin IS 'several ranges of id64 of a range of blocks';
COMMENT ON OPERATOR CLASS id64_bloom_ops USING brin IS 'bloom filter of the id64 of a range of blocks';
COMMENT ON OPERATOR FAMILY id64_bloom_ops USING brin IS 'bloom filter of the id64 of a range of blocks';
COMMENT ON AGGREGATE min(id64) IS 'smallest id64';
COMMENT ON AGGREGATE max(id64) IS 'largest id64';

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

COMMENT ON FUNCTION id64_decode(id64, id_layout) IS 'time, shard and sequence of id, an id64 of layout, as id_decode';
COMMENT ON FUNCTION id64_time(id64, id_layout) IS 'time of id, an id64 of layout, as id_time';
COMMENT ON FUNCTION id64_shard(id64, id_layout) IS 'shard of id, an id64 of layout, as id_shard';
COMMENT ON FUNCTION id64_sequence(id64, id_layout) IS 'sequence of id, an id64 of layout, as id_sequence';
