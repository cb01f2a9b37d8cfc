-- The extension in a schema of its own, and search_path without it. It stays there.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET idgen.shards = '5';
\set SHOW_CONTEXT never
DROP EXTENSION idgen_migrate;
DROP EXTENSION idgen;
CREATE SCHEMA elsewhere;
CREATE EXTENSION idgen SCHEMA elsewhere;
ALTER EXTENSION idgen SET SCHEMA public;
SET search_path = pg_catalog;
SELECT DISTINCT n.nspname
  FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = pronamespace
 WHERE proname ~ '^(next_id|id_|idgen_)';
CREATE TABLE public.photo (id bigint PRIMARY KEY DEFAULT elsewhere.next_id(), title text, layout elsewhere.id_layout DEFAULT 'snowflake');
CREATE VIEW public.made AS SELECT elsewhere.id_time(id) AS at, elsewhere.id_shard(id) AS shard FROM public.photo;
CREATE INDEX ON public.photo (elsewhere.id_time(id));
INSERT INTO public.photo (title) VALUES ('one'), ('two');
SELECT shard, count(*) FROM public.made GROUP BY shard;
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'public.photo'::regclass ORDER BY adnum;

-- Every function works when it is qualified.
SELECT elsewhere.id_shard(elsewhere.next_id()) AS next_id, (SELECT count(*) FROM elsewhere.next_ids(10)) AS next_ids,
       cardinality(elsewhere.next_id_array(10)) AS next_id_array, elsewhere.idgen_own_shards() < 0 AS own_shards;
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
SELECT elsewhere.idgen_accept_clock();
\set VERBOSITY sqlstate
SELECT next_id();
\set VERBOSITY default

-- As default of a column, for a role whose search_path is of no matter; what pg_dump would write
CREATE TABLE public.message (id bigint DEFAULT elsewhere.next_id(layout => 'snowflake'));
INSERT INTO public.message SELECT FROM generate_series(1, 10);
SELECT count(DISTINCT id) FROM public.message;
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'public.message'::regclass;
SELECT pg_get_function_arguments('elsewhere.next_id'::regproc);

-- The audit and the migration find it, also when its schema has another name.
ALTER SCHEMA elsewhere RENAME TO "else where";
SELECT finding, value FROM "else where".idgen_audit('public.photo', 'id') WHERE finding IN ('rows', 'shards');
CREATE EXTENSION idgen_migrate;
ALTER EXTENSION idgen_migrate SET SCHEMA public;
CREATE TABLE public.old (id bigserial PRIMARY KEY, next bigint UNIQUE, made timestamptz DEFAULT '2024-01-01');
INSERT INTO public.old SELECT FROM generate_series(1, 10);
CALL idgen_migrate.backfill('public.old', 'next', 'made', 5);
ALTER SCHEMA "else where" RENAME TO elsewhere;
CALL idgen_migrate.replace_serial('public.old', 'id');
INSERT INTO public.old DEFAULT VALUES RETURNING elsewhere.id_shard(id);
SELECT count(DISTINCT next) FROM public.old;

-- After the job it goes; its schema stays, and is taken again if nobody else has put anything there.
DROP EXTENSION idgen_migrate;
CREATE TABLE idgen_migrate.other ();
CREATE EXTENSION idgen_migrate;
DROP TABLE idgen_migrate.other;
CREATE EXTENSION idgen_migrate;
DROP EXTENSION idgen_migrate;
INSERT INTO public.old DEFAULT VALUES RETURNING elsewhere.id_shard(id);
DROP SCHEMA idgen_migrate;

RESET search_path;
DROP VIEW made;
DROP TABLE photo, message, old;
DROP EXTENSION idgen;
DROP SCHEMA elsewhere;
CREATE EXTENSION idgen;
SELECT id_shard(next_id());
