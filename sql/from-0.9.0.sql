\echo Use "ALTER EXTENSION idgen UPDATE" to load this file. \quit
-- idgen.next_id() is new, idgen.reset() takes one argument more, id_layout_info() has a default, and idgen.audit() says
-- first what its caller may not read; the functions of id64 are in C. Every other object stays as it is but for what is said of it. The library must be there.
SELECT idgen.require_library('1.0.0'::pg_catalog.text);
-- What an earlier script of this transaction made was there before (sql/common/90-rights.sql).
SELECT pg_catalog.set_config('idgen_update.began'::pg_catalog.text, e.cmin::pg_catalog.text, true) FROM pg_catalog.pg_extension e
 WHERE e.extname OPERATOR(pg_catalog.=) 'idgen'::pg_catalog.name;

-- Whoever may call these uses keys that he may not see.
REVOKE EXECUTE ON FUNCTION @extschema@.id_to_public(bigint, integer, bytea, text), @extschema@.id_from_public(text, bytea, text) FROM PUBLIC;
-- What default privileges gave when 0.9.0 was created goes, too. It stands among the first privileges, which the server keeps
-- of what a script revokes or grants; they become what this script gives. What is there beside them was granted by hand: it
-- stays, and dumps have it. The two functions above have first privileges only now: of them goes what default privileges
-- gave on another function, or give in that schema.
DO $$
DECLARE
    path pg_catalog.text := pg_catalog.current_setting('search_path'::pg_catalog.text);
    given pg_catalog.record;
BEGIN
    @PIN@
    FOR given IN
        WITH item AS (
            SELECT i.classoid, i.objoid, i.initprivs, o.owner, o.name, o.object, a.*,
                   o.name ~ '^stat_' AND a.grantee = 'pg_monitor'::regrole AND a.privilege_type IN ('EXECUTE', 'SELECT')
                   OR o.object ~ '^SEQUENCE' AND a.grantee = 0 AND a.privilege_type = 'SELECT' AS is_of_script
              FROM pg_depend d JOIN pg_init_privs i ON i.classoid = d.classid AND i.objoid = d.objid
              JOIN (SELECT 'pg_proc'::regclass, oid, proowner, proname, concat('FUNCTION ', oid::regprocedure) FROM pg_proc
                    UNION ALL
                    SELECT 'pg_class'::regclass, oid, relowner, relname, concat(CASE relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END, oid::regclass)
                      FROM pg_class) o(class, oid, owner, name, object) ON o.class = i.classoid AND o.oid = i.objoid
             CROSS JOIN aclexplode(i.initprivs) a
             WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idgen')
        ), favored AS (
            SELECT grantee FROM item WHERE name = 'advance'
            UNION SELECT a.grantee FROM pg_default_acl, aclexplode(defaclacl) a WHERE defaclobjtype = 'f' AND defaclnamespace = '@extschema@'::regnamespace
        )
        SELECT i.classoid, i.objoid,
               -- Before 17 a role that was dropped may still stand there.
               string_agg(format('REVOKE %s ON %s FROM %s CASCADE', privilege_type, object, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(rolname) END), '; ')
                 FILTER (WHERE (grantee = 0 OR rolname IS NOT NULL) AND (name !~ '^id_(to|from)_public$' OR grantee IN (TABLE favored))) AS take_back,
               ARRAY(SELECT x FROM unnest(initprivs) x WHERE (SELECT min(a.grantee) FROM aclexplode(ARRAY[x]) a) = owner)
               || ARRAY(SELECT makeaclitem(g.grantee, g.grantor, g.privilege_type, false) FROM item g
                         WHERE g.classoid = i.classoid AND g.objoid = i.objoid AND g.is_of_script) AS of_script
          FROM item i LEFT JOIN pg_roles r ON r.oid = i.grantee
         WHERE grantee <> owner AND NOT is_of_script
         GROUP BY i.classoid, i.objoid, owner, initprivs
    LOOP
        EXECUTE coalesce(given.take_back, '');
        UPDATE pg_init_privs SET initprivs = given.of_script WHERE classoid = given.classoid AND objoid = given.objoid;
        -- From 17 on the roles in them are noted there.
        DELETE FROM pg_shdepend WHERE deptype = 'i' AND classid = given.classoid AND objid = given.objoid
           AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database());
    END LOOP;
    PERFORM pg_catalog.set_config('search_path', path, true);
END
$$;

CREATE FUNCTION idgen.next_id() RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_own_next_id' LANGUAGE C VOLATILE PARALLEL SAFE SUPPORT idgen.maker_support;
COMMENT ON FUNCTION idgen.next_id() IS 'makes an ID as next_id() does without arguments, for roles that may execute that one; stands in a schema of a superuser';

DROP FUNCTION idgen.reset(timestamptz);
CREATE FUNCTION idgen.reset(no_id_above timestamptz DEFAULT NULL, force boolean DEFAULT false) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_reset' LANGUAGE C VOLATILE PARALLEL UNSAFE;
REVOKE EXECUTE ON FUNCTION idgen.reset(timestamptz, boolean) FROM PUBLIC;
COMMENT ON FUNCTION idgen.reset(timestamptz, boolean) IS
    'lowers the durable horizon after a mistake raised it: to the instant no_id_above, or without one to just above what this server made; refused where IDs could come twice, unless force is true: then no ID may have reached that instant';

-- The views call functions that are made here, with the rights of whoever reads them. What an update granted, the server
-- would take for the extension's own, and no dump would have it: so the statements are said.
DO $$
DECLARE
    to_grant pg_catalog.text;
BEGIN
    SELECT pg_catalog.string_agg(pg_catalog.format('GRANT EXECUTE ON FUNCTION idgen.%s() TO %s', f.made,
                                                   coalesce(pg_catalog.quote_ident(r.rolname::pg_catalog.text), 'PUBLIC'::pg_catalog.text)), '; '::pg_catalog.text
                                 ORDER BY f.made, r.rolname)
      INTO to_grant
      FROM (VALUES ('stat_database'::pg_catalog.name, 'stat_errors'::pg_catalog.name), ('stat_lease', 'stat_lease'), ('stat_registry', 'stat_registry')) f(former, made)
      JOIN pg_catalog.pg_proc p ON p.proname OPERATOR(pg_catalog.=) f.former AND p.pronamespace OPERATOR(pg_catalog.=) 'idgen'::pg_catalog.regnamespace::pg_catalog.oid
     CROSS JOIN LATERAL pg_catalog.aclexplode(p.proacl) a
      LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) a.grantee
     WHERE a.grantee OPERATOR(pg_catalog.<>) p.proowner AND coalesce(r.rolname OPERATOR(pg_catalog.<>) 'pg_monitor'::pg_catalog.name, true);
    IF to_grant IS NOT NULL THEN
        RAISE WARNING USING
            MESSAGE = 'views of the schema idgen call new functions, which not all that read these views may execute',
            DETAIL = 'Members of pg_monitor may.',
            HINT = to_grant;
    END IF;
END
$$;

-- What a registry gives is called a shard everywhere. The views stay, with what was granted on them and what rests on them; the
-- functions under them have other columns now.
ALTER VIEW idgen.stat_lease RENAME COLUMN number TO shard;
ALTER VIEW idgen.stat_registry RENAME COLUMN numbers TO shards;
CREATE OR REPLACE VIEW idgen.stat_lease AS
SELECT NULL::pg_catalog.int4 AS shard, NULL::pg_catalog.bool AS by_hand, NULL::pg_catalog.bool AS held,
    NULL::pg_catalog.timestamptz AS horizon;
CREATE OR REPLACE VIEW idgen.stat_registry AS
SELECT NULL::pg_catalog.int4 AS shards, NULL::pg_catalog.timestamptz AS horizon,
    NULL::pg_catalog.int8 AS lease_window, NULL::pg_catalog.int4 AS keeper_pid,
    NULL::pg_catalog.timestamptz AS answered_at, NULL::pg_catalog.timestamptz AS silent_since,
    NULL::pg_catalog.text AS trouble, NULL::pg_catalog.int4 AS counters,
    NULL::pg_catalog.int4 AS counters_in_trouble, NULL::pg_catalog.int4 AS counter_used,
    NULL::pg_catalog.text AS counter_trouble;
DROP FUNCTION idgen.stat_lease();
DROP FUNCTION idgen.stat_registry();
CREATE FUNCTION idgen.stat_lease(OUT shard integer, OUT by_hand boolean, OUT held boolean, OUT horizon timestamptz)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'idgen_stat_lease' LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 4;
CREATE FUNCTION idgen.stat_registry(
    OUT shards integer, OUT horizon timestamptz, OUT lease_window bigint, OUT keeper_pid integer, OUT answered_at timestamptz,
    OUT silent_since timestamptz, OUT trouble text, OUT counters integer, OUT counters_in_trouble integer, OUT counter_used integer,
    OUT counter_trouble text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'idgen_stat_registry' LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 1;
CREATE OR REPLACE VIEW idgen.stat_lease AS SELECT shard, by_hand, held, horizon FROM idgen.stat_lease();
CREATE OR REPLACE VIEW idgen.stat_registry AS
SELECT shards, horizon, lease_window, keeper_pid, answered_at, silent_since, trouble, counters, counters_in_trouble,
       counter_used, counter_trouble
  FROM idgen.stat_registry();
REVOKE EXECUTE ON FUNCTION idgen.stat_lease(), idgen.stat_registry() FROM PUBLIC;
COMMENT ON FUNCTION idgen.stat_lease() IS 'what the view idgen.stat_lease shows';
COMMENT ON FUNCTION idgen.stat_registry() IS 'what the view idgen.stat_registry shows';
COMMENT ON VIEW idgen.stat_lease IS 'each shard that this server claims from a registry, and up to when IDs can be made with it';
COMMENT ON VIEW idgen.stat_registry IS
    'the registry as this server sees it: shards held, the nearest of their horizons, the last answer, and how its counters are; no row if none is set';

-- Calls that made no ID.
CREATE FUNCTION idgen.stat_errors() RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_stat_errors' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE OR REPLACE VIEW idgen.stat_database AS
SELECT pg_catalog.current_database() AS datname, s.*, idgen.stat_errors() AS server_errors FROM idgen.stat_database() AS s;
REVOKE EXECUTE ON FUNCTION idgen.stat_errors() FROM PUBLIC;
COMMENT ON FUNCTION idgen.stat_errors() IS 'calls that made no ID, of all databases, since the server started: no shard, no grant, a full tick, and the like';
COMMENT ON COLUMN idgen.stat_database.server_errors IS 'calls that made no ID, of all databases, since the server started';

-- What id64 takes from bigint is called from C.
CREATE OR REPLACE FUNCTION idgen.id64_recv(internal) RETURNS id64
    AS 'MODULE_PATHNAME', 'idgen_int8recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_send(id64) RETURNS bytea
    AS 'MODULE_PATHNAME', 'idgen_int8send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_eq(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_ne(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_lt(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_le(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_gt(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_ge(id64, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_cmp(id64, id64) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_btint8cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_hash(id64) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_hashint8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_hash_extended(id64, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_hashint8extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_in_range(id64, id64, bigint, boolean, boolean) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_in_range_int8_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_smaller(id64, id64) RETURNS id64
    AS 'MODULE_PATHNAME', 'idgen_int8smaller' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_larger(id64, id64) RETURNS id64
    AS 'MODULE_PATHNAME', 'idgen_int8larger' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_eq_bigint(id64, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.bigint_eq_id64(bigint, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8eq' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_ne_bigint(id64, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.bigint_ne_id64(bigint, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8ne' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_lt_bigint(id64, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.bigint_lt_id64(bigint, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8lt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_le_bigint(id64, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.bigint_le_id64(bigint, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8le' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_gt_bigint(id64, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.bigint_gt_id64(bigint, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8gt' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_ge_bigint(id64, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.bigint_ge_id64(bigint, id64) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_int8ge' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.id64_cmp_bigint(id64, bigint) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_btint8cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE OR REPLACE FUNCTION idgen.bigint_cmp_id64(bigint, id64) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_btint8cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION @extschema@.id_settled(@extschema@.id_layout) IS
    'the bound in layout below which the query that calls it sees every row that will ever be there; null if that is not known';
COMMENT ON COLUMN idgen.stat_shard.wait_time IS 'time that calls slept, all together, ms';
COMMENT ON COLUMN idgen.stat_shard.max_lead IS 'furthest that an ID lay ahead of the clock, ms';
COMMENT ON COLUMN idgen.stat_shard.ids_per_second_limit IS 'what the layout allows';
COMMENT ON COLUMN idgen.stat_backend.wait_time IS 'time that calls slept, all together, ms';
COMMENT ON COLUMN idgen.stat_backend.draws_from IS 'no ID of the transaction lies before it: how far readers by ID go';
COMMENT ON COLUMN idgen.stat_database.horizon IS 'no ID at or after it has left the server';
COMMENT ON COLUMN idgen.stat_database.stall IS 'for how long renewals of the horizon have failed, ms';
COMMENT ON COLUMN idgen.stat_database.lead IS 'how far the last ID of any shard lies ahead of the clock, ms';
COMMENT ON COLUMN idgen.stat_database.settled_lag IS 'how far open transactions hold the bound of id_settled() behind the clock, ms';
COMMENT ON COLUMN idgen.stat_database.clock_offset IS 'the clock less the highest one accepted, ms; below 0: it was set back';
COMMENT ON COLUMN idgen.stat_database.clock_max_error IS 'how far the clock may be wrong, as the kernel says, ms';
COMMENT ON COLUMN idgen.stat_database.layout IS 'the layout in use that ends first';
COMMENT ON COLUMN idgen.stat_registry.horizon IS 'the nearest horizon of those shards';
COMMENT ON COLUMN idgen.stat_registry.lease_window IS 'how far ahead horizons are extended, ms';
COMMENT ON COLUMN idgen.stat_registry.counter_used IS 'of the counter that is nearest to its end, percent of its max';

CREATE OR REPLACE FUNCTION id_layout_info(
    layout id_layout DEFAULT 'instagram',
    OUT long_form text, OUT first_time timestamptz, OUT last_time timestamptz, OUT wraps boolean,
    OUT tick interval, OUT shards bigint, OUT ids_per_tick bigint, OUT ids_per_second bigint,
    OUT largest_id bigint, OUT fits_js boolean, OUT one_node boolean)
    AS 'MODULE_PATHNAME', 'idgen_layout_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION id_encrypt(bigint, bytea, bytea) IS 'ID encrypted to another positive bigint under an AES key of 16, 24 or 32 bytes (FF1 of NIST SP 800-38G). tweak: with another one the number is another';
COMMENT ON FUNCTION id_to_public(bigint, integer, bytea, text) IS
    'ID encrypted with the key key_number of idgen.keys, 1 to 2147483647, or 0 for the highest, as text: prefix and "_" if there is one, the key''s number, 11 digits. tweak: with another one the text is another, so that what it is an ID of can be part of it';
COMMENT ON FUNCTION id_from_public(text, bytea, text) IS
    'ID of public_id, a text of id_to_public with this prefix and tweak, decrypted with the key of idgen.keys that it names';

-- What is said of arguments.
COMMENT ON FUNCTION @extschema@.next_id(bigint, @extschema@.id_layout) IS
    'makes a new ID of layout from shard, a number from 0 on that the layout has and this node owns; without one, from any that it owns';
COMMENT ON FUNCTION @extschema@.next_ids(bigint, bigint, @extschema@.id_layout) IS
    'makes count new IDs of layout as rows, ascending, from shard, a number from 0 on that the layout has and this node owns; without one, from any that it owns';
COMMENT ON FUNCTION @extschema@.next_id_array(integer, bigint, @extschema@.id_layout) IS
    'makes count new IDs of layout as an array, ascending, from shard, a number from 0 on that the layout has and this node owns; without one, from any that it owns';
COMMENT ON FUNCTION @extschema@.next_id_after(bigint, bigint, @extschema@.id_layout) IS
    'makes a new ID that is larger than id, one of the same layout that was seen elsewhere, from shard, a number from 0 on that the layout has and this node owns; without one, from any that it owns';
COMMENT ON FUNCTION @extschema@.id_make(timestamptz, bigint, integer, @extschema@.id_layout) IS
    'the ID of layout with the time created_at, rounded down to a tick, and the given shard and sequence, from 0 up to what the layout has; for backfill and tests: does not make it unique';
COMMENT ON FUNCTION @extschema@.id_make_array(timestamptz[], bigint, bigint, bigint[], @extschema@.id_layout) IS
    'ascending IDs of layout and shard for the instants created_at, which ascend: above the ID above, and none of those taken; a full tick spills into the next';
COMMENT ON FUNCTION @extschema@.id_time(bigint, @extschema@.id_layout) IS
    'time of an ID of layout: the start of its tick; of the first turn if time wraps';
COMMENT ON FUNCTION @extschema@.id_time_near(bigint, timestamptz, @extschema@.id_layout) IS
    'time of an ID in the turn nearest to the instant near, for a layout whose time wraps';
COMMENT ON FUNCTION @extschema@.id_shard(bigint, @extschema@.id_layout) IS
    'shard of an ID of layout: the node''s whole number, region included';
COMMENT ON FUNCTION @extschema@.id_sequence(bigint, @extschema@.id_layout) IS
    'sequence of an ID of layout within its tick and shard';
COMMENT ON FUNCTION @extschema@.id_min(timestamptz, @extschema@.id_layout) IS
    'smallest ID of layout in the tick of the instant at: a lower bound for ranges and partitions';
COMMENT ON FUNCTION @extschema@.id_max(timestamptz, @extschema@.id_layout) IS
    'largest ID of layout in the tick of the instant at: an upper bound, inclusive';
COMMENT ON FUNCTION @extschema@.uuid_time(uuid) IS
    'time of value, a UUID of version 1, 6 or 7; null for others, which have none';
COMMENT ON FUNCTION @extschema@.uuid_version_number(uuid) IS
    'version of value, a UUID; null if its variant is not that of RFC 9562';
COMMENT ON FUNCTION idgen.advance(timestamptz, boolean) IS
    'no ID below the instant at will be made from now on, durably: after a restore behind the server''s back, or taking over a shard; more than an hour ahead of the clock only if far is true';
COMMENT ON FUNCTION @extschema@.id_within(bigint, tstzrange, @extschema@.id_layout) IS
    'whether the time of an ID of layout lies in a period; an index condition on the ID';
COMMENT ON FUNCTION @extschema@.id_within_first(tstzrange, @extschema@.id_layout) IS
    'the smallest number whose time in layout lies in a period; above id_within_last if there is none';
COMMENT ON FUNCTION @extschema@.id_within_last(tstzrange, @extschema@.id_layout) IS
    'the largest number whose time in layout lies in a period';
COMMENT ON FUNCTION @extschema@.id_partition_bounds(timestamptz, timestamptz, interval, text, @extschema@.id_layout) IS
    'the periods of a calendar from one instant to another, in time_zone, each a step long (months, days, or hours or minutes that divide a day): a name''s suffix, and bounds in layout for FROM (lower) TO (upper)';
COMMENT ON FUNCTION @extschema@.id_to_base32(bigint, boolean) IS
    'ID as 13 digits of Crockford''s Base32, to be read aloud and typed; checksum: a check symbol follows';
COMMENT ON FUNCTION @extschema@.id_from_base32(text, boolean, boolean) IS
    'ID from 13 digits of Crockford''s Base32, in either case, hyphens skipped; checksum: a check symbol follows, and a wrong one is an error; short: from up to 13';
COMMENT ON FUNCTION @extschema@.id_to_uuid(bigint, @extschema@.id_layout) IS
    'ID of layout inside a UUID of version 7 that has the ID''s time, and sorts as the ID does';
COMMENT ON FUNCTION @extschema@.id_to_uuidv8(bigint, @extschema@.id_layout) IS
    'UUID of version 8 that begins with the ID, of layout, sorts as the ID does, and ends in 58 random bits';
COMMENT ON FUNCTION @extschema@.id64_decode(@extschema@.id64, @extschema@.id_layout) IS
    'time, shard and sequence of id, an id64 of layout, as id_decode';
COMMENT ON FUNCTION @extschema@.id64_time(@extschema@.id64, @extschema@.id_layout) IS
    'time of id, an id64 of layout, as id_time';
COMMENT ON FUNCTION @extschema@.id64_shard(@extschema@.id64, @extschema@.id_layout) IS
    'shard of id, an id64 of layout, as id_shard';
COMMENT ON FUNCTION @extschema@.id64_sequence(@extschema@.id64, @extschema@.id_layout) IS
    'sequence of id, an id64 of layout, as id_sequence';
