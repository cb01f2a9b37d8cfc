-- ULID and uuid are both 16 bytes.

CREATE CAST (ulid AS uuid) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE CAST (uuid AS ulid) WITHOUT FUNCTION AS ASSIGNMENT;

COMMENT ON CAST (ulid AS uuid) IS 'the same 16 bytes';
COMMENT ON CAST (uuid AS ulid) IS 'the same 16 bytes';

-- UUIDs of version 7

CREATE FUNCTION next_uuidv7() RETURNS uuid
    AS 'MODULE_PATHNAME', 'idgen_next_uuidv7' LANGUAGE C VOLATILE STRICT PARALLEL SAFE SUPPORT idgen.maker_support;
CREATE FUNCTION uuidv7_make(at timestamptz) RETURNS uuid
    AS 'MODULE_PATHNAME', 'idgen_uuidv7_make' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION uuidv7_min(at timestamptz) RETURNS uuid
    AS 'MODULE_PATHNAME', 'idgen_uuidv7_min' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION uuidv7_max(at timestamptz) RETURNS uuid
    AS 'MODULE_PATHNAME', 'idgen_uuidv7_max' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION next_uuidv7() IS 'makes a new UUID of version 7, larger than all that this server made before';
COMMENT ON FUNCTION uuidv7_make(timestamptz) IS
    'a random UUID of version 7 of the microsecond of the instant at, for backfill; in no order with others of it';
COMMENT ON FUNCTION uuidv7_min(timestamptz) IS
    'smallest UUID of version 7 of the millisecond of the instant at: a lower bound for ranges and partitions';
COMMENT ON FUNCTION uuidv7_max(timestamptz) IS
    'largest UUID of version 7 of the millisecond of the instant at: an upper bound, inclusive';

-- NanoIDs

CREATE FUNCTION next_nanoid(size integer DEFAULT 21,
                            alphabet text DEFAULT 'useandom-26T198340PX75pxJACKVERYMINDBUSHWOLF_GQZbfghjklqvwyzrict')
    RETURNS text
    AS 'MODULE_PATHNAME', 'idgen_next_nanoid' LANGUAGE C VOLATILE PARALLEL SAFE SUPPORT idgen.maker_support;

COMMENT ON FUNCTION next_nanoid(integer, text) IS 'makes a new NanoID: size random characters of an alphabet, all equally likely';

-- TypeIDs: 128 bits with a prefix. typeid_text takes a uuid or a ulid, distinguished when it is called: a function for
-- uuid alone would not take a ulid, and of two with the same name none would take an untyped literal, which is a uuid
-- here.

CREATE FUNCTION typeid_text(prefix text, value "any") RETURNS text
    AS 'MODULE_PATHNAME', 'idgen_typeid_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION typeid_uuid(typeid text) RETURNS uuid
    AS 'MODULE_PATHNAME', 'idgen_typeid_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION typeid_ulid(typeid text) RETURNS ulid
    AS 'MODULE_PATHNAME', 'idgen_typeid_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION typeid_prefix(typeid text) RETURNS text
    AS 'MODULE_PATHNAME', 'idgen_typeid_prefix' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION typeid_text(text, "any") IS
    'the TypeID of a prefix and value, a uuid or ulid; texts of one prefix sort as the values do (COLLATE "C")';
COMMENT ON FUNCTION typeid_uuid(text) IS 'UUID of a TypeID, whatever its prefix';
COMMENT ON FUNCTION typeid_ulid(text) IS 'ULID of a TypeID, whatever its prefix';
COMMENT ON FUNCTION typeid_prefix(text) IS 'prefix of a TypeID, empty if it has none';

-- Vector clocks of rows that are written in several places: jsonb objects of node and counter

CREATE FUNCTION vclock_next(vclock jsonb, node text) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'idgen_vclock_next' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION vclock_merge(a jsonb, b jsonb) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'idgen_vclock_merge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION vclock_compare(a jsonb, b jsonb) RETURNS text
    AS 'MODULE_PATHNAME', 'idgen_vclock_compare' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE AGGREGATE vclock_merge_agg(vclock jsonb) (
    SFUNC = vclock_merge, STYPE = jsonb, INITCOND = '{}', COMBINEFUNC = vclock_merge, PARALLEL = SAFE
);

COMMENT ON FUNCTION vclock_next(jsonb, text) IS 'the vector clock vclock after one more write of the node';
COMMENT ON FUNCTION vclock_merge(jsonb, jsonb) IS
    'smallest vector clock that has seen what a or b has: the larger counter of each node';
COMMENT ON FUNCTION vclock_compare(jsonb, jsonb) IS
    'whether a is before, after or equal to b, or concurrent: written without knowledge of each other';
COMMENT ON AGGREGATE vclock_merge_agg(jsonb) IS 'vector clock that has seen what any vclock has; {} of no rows';

-- Order across nodes: the hybrid logical clock, and the bounds of the clock

CREATE FUNCTION hlc_now() RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_hlc_now' LANGUAGE C VOLATILE PARALLEL SAFE SUPPORT idgen.maker_support;
CREATE FUNCTION hlc_receive(remote bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_hlc_receive' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION hlc_time(hlc bigint) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'idgen_hlc_time' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hlc_logical(hlc bigint) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_hlc_logical' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hlc_make(at timestamptz, logical integer DEFAULT 0) RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_hlc_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION clock_bounds() RETURNS tstzrange
    AS 'MODULE_PATHNAME', 'idgen_clock_bounds' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION wait_until_past(at timestamptz) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_wait_until_past' LANGUAGE C VOLATILE PARALLEL SAFE;

COMMENT ON FUNCTION hlc_now() IS 'timestamp of an event by the database''s hybrid logical clock: 48 bits of unix ms, 16 bits logical';
COMMENT ON FUNCTION hlc_receive(bigint) IS
    'timestamp of the receipt of remote, another node''s timestamp: above it and above all of this database';
COMMENT ON FUNCTION hlc_time(bigint) IS 'time of an HLC timestamp; null for a negative number';
COMMENT ON FUNCTION hlc_logical(bigint) IS 'logical part of an HLC timestamp; null for a negative number';
COMMENT ON FUNCTION hlc_make(timestamptz, integer) IS
    'the HLC timestamp with the time at, in ms, and that logical part, 0 to 65535, for bounds and tests';
COMMENT ON FUNCTION clock_bounds() IS 'the earliest and the latest instant that it can be, by the kernel''s NTP state';
COMMENT ON FUNCTION wait_until_past(timestamptz) IS 'waits until the instant at is certainly past, by the kernel''s NTP state';

-- DecimalIds. The sequence of their generators belongs to idgen, which keeps it when this extension is dropped.

CREATE FUNCTION next_decimal_id() RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_next_decimal_id' LANGUAGE C VOLATILE PARALLEL SAFE SUPPORT idgen.maker_support;
CREATE FUNCTION decimal_id_decode(id bigint, OUT counter integer, OUT generator integer, OUT launch integer)
    AS 'MODULE_PATHNAME', 'idgen_decimal_id_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION next_decimal_id() IS 'makes a new DecimalId: 9 digits counter, 5 digits generator, 5 digits launch';
COMMENT ON FUNCTION decimal_id_decode(bigint) IS
    'counter, generator and launch of id, a DecimalId; null for a number that is not one';
