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
       elsewhere.id_from_base64url(elsewhere.id_to_base64url(id)), elsewhere.id_from_uuid(elsewhere.id_to_uuid(id))
  FROM elsewhere.id_make('2026-11-21', 5, 6) AS id;
SELECT layout OPERATOR(elsewhere.=) 'snowflake' AS same, layout OPERATOR(elsewhere.<>) 'snowflake' AS differs FROM public.photo;
SELECT layout, count(*) FROM public.photo GROUP BY layout;
SELECT elsewhere.hlc_receive(elsewhere.hlc_now()) < elsewhere.hlc_now() AS hlc, elsewhere.hlc_time(elsewhere.hlc_make('2026-11-21', 7)),
       elsewhere.next_id_after(elsewhere.next_id()) < elsewhere.next_id_after(1) AS after;
SELECT launch FROM elsewhere.decimal_id_decode(elsewhere.next_decimal_id());
SELECT idgen.accept_clock();
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
CREATE EXTENSION idgen;
SELECT a.grantee::regrole, a.privilege_type FROM pg_namespace, aclexplode(nspacl) AS a WHERE nspname = 'idgen' AND a.grantee <> nspowner;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON SCHEMAS FROM schema_owner;
DROP ROLE schema_owner, schema_reader;
CREATE EXTENSION idgen_kinds;
SELECT id_shard(next_id());
