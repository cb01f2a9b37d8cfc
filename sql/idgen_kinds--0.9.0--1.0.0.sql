\echo Use "ALTER EXTENSION idgen_kinds UPDATE" to load this file. \quit
-- Every object stays as it is but for what is said of it. The library must be there.
SELECT idgen.require_library('1.0.0'::pg_catalog.text);

-- What is said of arguments.
COMMENT ON FUNCTION @extschema@.ulid_time(@extschema@.ulid) IS
    'time of ulid, a ULID';
COMMENT ON FUNCTION @extschema@.ksuid_time(@extschema@.ksuid) IS
    'time of ksuid, a KSUID';
COMMENT ON FUNCTION @extschema@.objectid_time(@extschema@.objectid) IS
    'time of id, an ObjectId';
COMMENT ON FUNCTION @extschema@.ulid_min(timestamptz) IS
    'smallest ULID of the millisecond of the instant at: a lower bound for ranges and partitions';
COMMENT ON FUNCTION @extschema@.ksuid_min(timestamptz) IS
    'smallest KSUID of the second of the instant at: a lower bound for ranges and partitions';
COMMENT ON FUNCTION @extschema@.objectid_min(timestamptz) IS
    'smallest ObjectId of the second of the instant at: a lower bound for ranges and partitions';
COMMENT ON FUNCTION @extschema@.ulid_max(timestamptz) IS
    'largest ULID of the millisecond of the instant at: an upper bound, inclusive';
COMMENT ON FUNCTION @extschema@.ksuid_max(timestamptz) IS
    'largest KSUID of the second of the instant at: an upper bound, inclusive';
COMMENT ON FUNCTION @extschema@.objectid_max(timestamptz) IS
    'largest ObjectId of the second of the instant at: an upper bound, inclusive';
COMMENT ON FUNCTION @extschema@.ulid_make(timestamptz, bytea) IS
    'a ULID of the time created_at and the 10 bytes of tail that follow it';
COMMENT ON FUNCTION @extschema@.ksuid_make(timestamptz, bytea) IS
    'a KSUID of the time created_at and the 16 bytes of tail that follow it';
COMMENT ON FUNCTION @extschema@.objectid_make(timestamptz, bytea) IS
    'an ObjectId of the time created_at and the 8 bytes of tail that follow it';
COMMENT ON FUNCTION @extschema@.uuidv7_make(timestamptz) IS
    'a random UUID of version 7 of the microsecond of the instant at, for backfill; in no order with others of it';
COMMENT ON FUNCTION @extschema@.uuidv7_min(timestamptz) IS
    'smallest UUID of version 7 of the millisecond of the instant at: a lower bound for ranges and partitions';
COMMENT ON FUNCTION @extschema@.uuidv7_max(timestamptz) IS
    'largest UUID of version 7 of the millisecond of the instant at: an upper bound, inclusive';
COMMENT ON FUNCTION @extschema@.next_nanoid(integer, text) IS
    'makes a new NanoID: size random characters of an alphabet, all equally likely';
COMMENT ON FUNCTION @extschema@.typeid_text(text, "any") IS
    'the TypeID of a prefix and value, a uuid or ulid; texts of one prefix sort as the values do (COLLATE "C")';
COMMENT ON FUNCTION @extschema@.vclock_next(jsonb, text) IS
    'the vector clock vclock after one more write of the node';
COMMENT ON FUNCTION @extschema@.vclock_merge(jsonb, jsonb) IS
    'smallest vector clock that has seen what a or b has: the larger counter of each node';
COMMENT ON FUNCTION @extschema@.vclock_compare(jsonb, jsonb) IS
    'whether a is before, after or equal to b, or concurrent: written without knowledge of each other';
COMMENT ON AGGREGATE @extschema@.vclock_merge_agg(jsonb) IS
    'vector clock that has seen what any vclock has; {} of no rows';
COMMENT ON FUNCTION @extschema@.hlc_receive(bigint) IS
    'timestamp of the receipt of remote, another node''s timestamp: above it and above all of this database';
COMMENT ON FUNCTION @extschema@.hlc_make(timestamptz, integer) IS
    'the HLC timestamp with the time at, in ms, and that logical part, 0 to 65535, for bounds and tests';
COMMENT ON FUNCTION @extschema@.wait_until_past(timestamptz) IS
    'waits until the instant at is certainly past, by the kernel''s NTP state';
COMMENT ON FUNCTION @extschema@.decimal_id_decode(bigint) IS
    'counter, generator and launch of id, a DecimalId; null for a number that is not one';
