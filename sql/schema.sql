-- What is typed every day in a schema of its own, and search_path without it. It stays there.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET idgen.shards = '5';
\set SHOW_CONTEXT never
DROP EXTENSION idgen_kinds, idgen;
CREATE SCHEMA elsewhere;
CREATE EXTENSION idgen SCHEMA elsewhere;
CREATE EXTENSION idgen_kinds SCHEMA elsewhere;
ALTER EXTENSION idgen SET SCHEMA public;
DROP SEQUENCE idgen.horizon;
SET search_path = pg_catalog;
-- No relation stands there; all of them, and the administration, stand in the schema idgen.
SELECT n.nspname, d.classid::regclass, count(*) > 0 AS has_any
  FROM pg_depend AS d
  LEFT JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
  LEFT JOIN pg_class AS c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
  JOIN pg_namespace AS n ON n.oid IN (p.pronamespace, c.relnamespace)
 WHERE d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idgen')
 GROUP BY n.nspname, d.classid ORDER BY 1, 2;
CREATE TABLE public.photo (id bigint PRIMARY KEY DEFAULT elsewhere.next_id(), title text, layout elsewhere.id_layout DEFAULT 'snowflake');
CREATE VIEW public.made AS SELECT elsewhere.id_time(id) AS at, elsewhere.id_shard(id) AS shard FROM public.photo;
CREATE INDEX ON public.photo (elsewhere.id_time(id));
INSERT INTO public.photo (title) VALUES ('one'), ('two');
SELECT shard, count(*) FROM public.made GROUP BY shard;
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'public.photo'::regclass ORDER BY adnum;

-- Every function works when it is qualified.
SELECT elsewhere.id_shard(elsewhere.next_id()) AS next_id, (SELECT count(*) FROM elsewhere.next_ids(10)) AS next_ids,
       cardinality(elsewhere.next_id_array(10)) AS next_id_array, idgen.own_shards() < 0 AS own_shards;
SELECT elsewhere.id_make('2026-11-21', 5, 6), elsewhere.id_min('2026-11-21'), elsewhere.id_max('2026-11-21');
SELECT elsewhere.id_time(id), elsewhere.id_time_near(id, '2026-11-21'), elsewhere.id_shard(id),
       elsewhere.id_region(id, 'twitter'), elsewhere.id_sequence(id), elsewhere.id_decode(id)
  FROM elsewhere.id_make('2026-11-21', 5, 6) AS id;
SELECT * FROM elsewhere.id_decode(1024);
SELECT elsewhere.id_within(elsewhere.id_make('2026-11-21', 5, 6), '[2026-11-21, 2026-11-22)'),
       elsewhere.id_within_first('[2026-11-21, 2026-11-22)'), elsewhere.id_within_last('[2026-11-21, 2026-11-22)');
SELECT * FROM elsewhere.id_partition_bounds('2026-11-21', '2026-11-22', '1 day');
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM public.photo WHERE elsewhere.id_within(id, tstzrange(now(), NULL));
RESET enable_seqscan;
RESET enable_bitmapscan;
SELECT ids_per_tick FROM elsewhere.id_layout_info('js53');
SELECT elsewhere.id_from_base62(elsewhere.id_to_base62(id)), elsewhere.id_from_base32(elsewhere.id_to_base32(id)),
       elsewhere.id_from_base64url(elsewhere.id_to_base64url(id), true), elsewhere.id_from_uuid(elsewhere.id_to_uuid(id))
  FROM elsewhere.id_make('2026-11-21', 5, 6) AS id;
SELECT layout OPERATOR(elsewhere.=) 'snowflake' AS same, layout OPERATOR(elsewhere.<>) 'snowflake' AS differs FROM public.photo;
SELECT layout, count(*) FROM public.photo GROUP BY layout;
SELECT elsewhere.hlc_receive(elsewhere.hlc_now()) < elsewhere.hlc_now() AS hlc, elsewhere.hlc_time(elsewhere.hlc_make('2026-11-21', 7)),
       elsewhere.next_id_after(elsewhere.next_id()) < elsewhere.next_id_after(1) AS after;
SELECT launch FROM elsewhere.decimal_id_decode(elsewhere.next_decimal_id());
-- The kernel may say that its clock is not synchronized.
SET client_min_messages = warning;
SELECT idgen.accept_clock();
RESET client_min_messages;
\set VERBOSITY sqlstate
SELECT next_id();
\set VERBOSITY default

-- As default of a column, for a role whose search_path is of no matter; what pg_dump would write
CREATE TABLE public.message (id bigint DEFAULT elsewhere.next_id(layout => 'snowflake'));
INSERT INTO public.message SELECT FROM generate_series(1, 10);
SELECT count(DISTINCT id) FROM public.message;
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'public.message'::regclass;
SELECT pg_get_function_arguments('elsewhere.next_id'::regproc);

-- The audit finds it, also when its schema has another name; and IDs are made when the schema idgen has.
ALTER SCHEMA elsewhere RENAME TO "else where";
ALTER SCHEMA idgen RENAME TO "id gen";
SELECT value FROM "id gen".status() WHERE key = 'shards';
CHECKPOINT;
SELECT "id gen".advance(now() + interval '1 ms'), "else where".id_shard("else where".next_id());
ALTER SCHEMA "id gen" RENAME TO idgen;
SELECT finding, value FROM idgen.audit('public.photo', 'id') WHERE finding IN ('rows', 'shards');
ALTER SCHEMA "else where" RENAME TO elsewhere;

RESET search_path;
DROP VIEW made;
DROP TABLE photo, message;
DROP EXTENSION idgen_kinds, idgen;
DROP SCHEMA elsewhere;

-- The schema idgen is the extension's: it goes with it, cannot be chosen, and is not taken from others.
SELECT count(*) FROM pg_namespace WHERE nspname = 'idgen';
CREATE SCHEMA idgen;
CREATE EXTENSION idgen SCHEMA idgen;
CREATE TABLE idgen.photo ();
CREATE EXTENSION idgen;
DROP TABLE idgen.photo;
CREATE ROLE schema_owner;
ALTER SCHEMA idgen OWNER TO schema_owner;
CREATE EXTENSION idgen;
DROP SCHEMA idgen;
-- An empty one of the installer's own, in which nobody else may create, is adopted. No right of others remains, nor comes by default privileges.
CREATE SCHEMA idgen;
GRANT CREATE ON SCHEMA idgen TO PUBLIC;
CREATE EXTENSION idgen;
REVOKE CREATE ON SCHEMA idgen FROM PUBLIC;
CREATE ROLE schema_reader;
GRANT USAGE ON SCHEMA idgen TO schema_owner WITH GRANT OPTION;
SET ROLE schema_owner;
GRANT USAGE ON SCHEMA idgen TO schema_reader;
RESET ROLE;
CREATE EXTENSION idgen;
SELECT a.grantee::regrole, a.privilege_type, d.deptype
  FROM pg_namespace AS n, aclexplode(nspacl) AS a, pg_depend AS d
 WHERE nspname = 'idgen' AND a.grantee <> nspowner AND d.objid = n.oid AND d.classid = 'pg_namespace'::regclass;
DROP EXTENSION idgen;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO schema_owner;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO schema_owner, pg_monitor, PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO schema_owner WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO schema_owner WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON FUNCTIONS TO schema_reader;
CREATE EXTENSION idgen;
SELECT a.grantee::regrole, a.privilege_type FROM pg_namespace, aclexplode(nspacl) AS a WHERE nspname = 'idgen' AND a.grantee <> nspowner;
CREATE TEMP VIEW member AS SELECT classid, objid FROM pg_depend WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'idgen') AND deptype = 'e';
SELECT objid::regclass AS relation, a.grantee::regrole, a.privilege_type
  FROM member JOIN pg_class ON oid = objid, aclexplode(relacl) AS a WHERE classid = 'pg_class'::regclass AND a.grantee <> relowner ORDER BY objid::regclass::text COLLATE "C";
SELECT objid::regproc AS function, a.grantee::regrole
  FROM member JOIN pg_proc ON oid = objid LEFT JOIN aclexplode(proacl) AS a ON a.grantee <> proowner
 WHERE classid = 'pg_proc'::regclass AND NOT has_function_privilege('public', oid, 'EXECUTE') ORDER BY objid::regproc::text COLLATE "C";
-- A site's few roles may call in the place of PUBLIC what is for PUBLIC.
DROP EXTENSION idgen;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON FUNCTIONS FROM PUBLIC;
CREATE EXTENSION idgen;
SELECT has_function_privilege('schema_owner', objid, 'EXECUTE') AS site, has_function_privilege('public', objid, 'EXECUTE') AS public, count(*) > 20 AS many,
       string_agg(objid::regproc::text, ', ' ORDER BY objid::regproc::text COLLATE "C") FILTER (WHERE NOT has_function_privilege('schema_owner', objid, 'EXECUTE')) AS functions
  FROM member WHERE classid = 'pg_proc'::regclass GROUP BY 1, 2 ORDER BY 1, 2;
ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO PUBLIC;
ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON FUNCTIONS FROM schema_reader;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON FUNCTIONS FROM schema_owner;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON SEQUENCES FROM schema_owner;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM schema_owner, pg_monitor, PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON SCHEMAS FROM schema_owner;
DROP VIEW member;
DROP EXTENSION idgen;
DROP ROLE schema_owner, schema_reader;
CREATE EXTENSION idgen;
CREATE EXTENSION idgen_kinds;
SELECT id_shard(next_id());

-- CREATE EXTENSION refuses where a function of the same name is in its schema, and names it.
CREATE TEMP TABLE called_names AS SELECT DISTINCT proname AS name FROM called JOIN pg_proc USING (oid, proname) WHERE pronamespace = 'public'::regnamespace;
DROP EXTENSION idgen_kinds, idgen;

-- The function of Instagram's blog post
CREATE SEQUENCE table_id_seq;
CREATE FUNCTION next_id(OUT result bigint) LANGUAGE plpgsql AS $$
DECLARE
    our_epoch bigint := 1314220021721;
    seq_id bigint;
    now_millis bigint;
    shard_id int := 5;
BEGIN
    SELECT nextval('table_id_seq') % 1024 INTO seq_id;
    SELECT FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) INTO now_millis;
    result := (now_millis - our_epoch) << 23;
    result := result | (shard_id << 10);
    result := result | (seq_id);
END;
$$;
CREATE TABLE photo (id bigint DEFAULT next_id(), title text);
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
\set VERBOSITY sqlstate
CREATE EXTENSION idgen;
\set VERBOSITY default
SELECT count(*) FROM pg_extension WHERE extname = 'idgen';

-- Several are all named.
CREATE FUNCTION id_time(text) RETURNS text LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION id_time(text, text) RETURNS text LANGUAGE sql AS 'SELECT $1';
CREATE EXTENSION idgen;
DROP FUNCTION id_time(text);
DROP FUNCTION id_time(text, text);

-- Beside the types and functions of pgx_ulid and pg_uuidv7, in another schema
CREATE SCHEMA others;
CREATE DOMAIN others.ulid AS uuid;
CREATE FUNCTION others.gen_ulid() RETURNS others.ulid LANGUAGE sql AS 'SELECT gen_random_uuid()';
CREATE FUNCTION others.gen_monotonic_ulid() RETURNS others.ulid LANGUAGE sql AS 'SELECT gen_random_uuid()';
CREATE FUNCTION others.ulid_to_bytea(others.ulid) RETURNS bytea LANGUAGE sql AS $$SELECT '\x00'::bytea$$;
CREATE FUNCTION others.uuid_generate_v7() RETURNS uuid LANGUAGE sql AS 'SELECT gen_random_uuid()';
CREATE FUNCTION others.uuid_v7_to_timestamptz(uuid) RETURNS timestamptz LANGUAGE sql AS 'SELECT now()';
ALTER FUNCTION next_id() RENAME TO old_next_id;
SET search_path = public, others;
CREATE EXTENSION idgen;
CREATE EXTENSION idgen_kinds;
SELECT pg_typeof(next_ulid()) AS ours, pg_typeof(gen_ulid()) AS theirs, uuid_version_number(next_uuidv7()), uuid_version_number(uuid_generate_v7()) AS theirs;
SET search_path = others, public;
SELECT pg_typeof(next_ulid()) AS ours, pg_typeof(gen_ulid()) AS theirs, '01ARYZ6S41TSV4RRFFQ69G5FAV'::public.ulid::text;
RESET search_path;
DROP EXTENSION idgen_kinds;
DROP SCHEMA others CASCADE;

-- Another extension's type, in the same schema
CREATE DOMAIN ulid AS uuid;
CREATE EXTENSION idgen_kinds;
CREATE SCHEMA kinds;
CREATE EXTENSION idgen_kinds SCHEMA kinds;
SELECT pg_typeof(kinds.next_ulid());
DROP EXTENSION idgen_kinds, idgen;
DROP SCHEMA kinds;
DROP DOMAIN ulid;
ALTER FUNCTION old_next_id() RENAME TO next_id;

-- In a schema whose name must be quoted
CREATE SCHEMA "Shard 5";
CREATE FUNCTION "Shard 5".next_ids(int) RETURNS int LANGUAGE sql AS 'SELECT $1';
CREATE EXTENSION idgen SCHEMA "Shard 5";
DROP FUNCTION "Shard 5".next_ids(int);
CREATE EXTENSION idgen SCHEMA "Shard 5";
SELECT "Shard 5".id_shard(5120);
DROP EXTENSION idgen;
DROP SCHEMA "Shard 5";

-- One remedy: a schema of its own. Both work beside each other, and IDs decode the same.
CREATE SCHEMA ids;
CREATE EXTENSION idgen SCHEMA ids;
SET idgen.shards = '5';
INSERT INTO photo (title) VALUES ('old');
ALTER TABLE photo ALTER COLUMN id SET DEFAULT ids.next_id();
INSERT INTO photo (title) VALUES ('new');
SELECT title, ids.id_shard(id), abs(extract(epoch FROM ids.id_time(id) - clock_timestamp())) < 10 AS this_instant FROM photo ORDER BY title;
SET search_path = public, ids;
SELECT id_shard(next_id());
RESET search_path;
ALTER TABLE photo ALTER COLUMN id SET DEFAULT next_id();
DROP EXTENSION idgen;
DROP SCHEMA ids;

-- The other: rename it. The column's default goes with it, until it is changed.
ALTER FUNCTION next_id() RENAME TO next_id_of_2012;
CREATE EXTENSION idgen;
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'photo'::regclass;
ALTER TABLE photo ALTER COLUMN id SET DEFAULT next_id();
INSERT INTO photo (title) VALUES ('newer');
SELECT title, id_shard(id) FROM photo ORDER BY title;
DROP TABLE photo;
DROP FUNCTION next_id_of_2012();
DROP SEQUENCE table_id_seq;

-- Functions in other schemas are of no matter.
DROP EXTENSION idgen;
CREATE SCHEMA other;
CREATE FUNCTION other.next_id() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
CREATE EXTENSION idgen;
DROP SCHEMA other CASCADE;

-- Every function that people call is refused when its name is taken, whatever its arguments.
DROP EXTENSION idgen;
DO $$
DECLARE
    taken text;
    refused int := 0;
BEGIN
    FOR taken IN SELECT name FROM called_names LOOP
        EXECUTE format('CREATE FUNCTION %I(text, text, text, text, text) RETURNS text LANGUAGE sql AS ''SELECT $1''', taken);
        BEGIN
            CREATE EXTENSION idgen;
            CREATE EXTENSION idgen_kinds;
            RAISE WARNING '% is not refused', taken;
            DROP EXTENSION idgen_kinds;
            DROP EXTENSION idgen;
        EXCEPTION WHEN duplicate_function THEN
            IF position(taken || '(text,text,text,text,text)' IN sqlerrm) > 0 THEN
                refused := refused + 1;
            ELSE
                RAISE WARNING '% is not named: %', taken, sqlerrm;
            END IF;
        END;
        EXECUTE format('DROP FUNCTION %I', taken);
    END LOOP;
    RAISE NOTICE 'all refused: %', refused > 0 AND refused = (SELECT count(*) FROM called_names);
END
$$;
CREATE EXTENSION idgen;
CREATE EXTENSION idgen_kinds;

-- A warning, if roles that are not trusted may create where calls look.
CREATE ROLE regress_idgen_mallory;
GRANT CREATE ON SCHEMA public TO PUBLIC, regress_idgen_mallory;
DROP EXTENSION idgen_kinds, idgen;
CREATE EXTENSION idgen;
CREATE EXTENSION idgen_kinds;
SELECT * FROM idgen.status() WHERE key = 'schemas';
REVOKE CREATE ON SCHEMA public FROM PUBLIC, regress_idgen_mallory;
SELECT * FROM idgen.status() WHERE key = 'schemas';
DROP EXTENSION idgen_kinds, idgen;
CREATE EXTENSION idgen;
CREATE EXTENSION idgen_kinds;
DROP ROLE regress_idgen_mallory;
