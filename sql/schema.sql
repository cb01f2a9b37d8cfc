-- The extension in another schema, and search_path without it.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET idgen.shards = '5';
CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text, layout id_layout DEFAULT 'snowflake');
CREATE VIEW made AS SELECT id_time(id) AS at, id_shard(id) AS shard FROM photo;
CREATE INDEX ON photo (id_time(id));
INSERT INTO photo (title) VALUES ('before');

CREATE SCHEMA elsewhere;
ALTER EXTENSION idgen SET SCHEMA elsewhere;
SET search_path = pg_catalog;
SELECT DISTINCT n.nspname
  FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = pronamespace
 WHERE proname ~ '^(next_id|id_|idgen_)';

-- What was made before keeps working.
INSERT INTO public.photo (title) VALUES ('after');
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

RESET search_path;
DROP VIEW made;
DROP TABLE photo, message;
ALTER EXTENSION idgen SET SCHEMA public;
DROP SCHEMA elsewhere;
SELECT id_shard(next_id());
