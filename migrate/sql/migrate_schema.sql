-- Migration finds idgen in a schema of its own, by any name that it has by then; and its own schema is taken again.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET idgen.shards = '5';
\set SHOW_CONTEXT never
DROP EXTENSION idgen_migrate, idgen;
CREATE SCHEMA "else where";
CREATE EXTENSION idgen SCHEMA "else where";
SET search_path = pg_catalog;
CREATE EXTENSION idgen_migrate;
ALTER EXTENSION idgen_migrate SET SCHEMA public;
CREATE TABLE public.old (id bigserial PRIMARY KEY, next bigint UNIQUE, made timestamptz DEFAULT '2024-01-01');
INSERT INTO public.old SELECT FROM generate_series(1, 10);
CALL idgen_migrate.backfill('public.old', 'next', 'made', 5);
ALTER SCHEMA "else where" RENAME TO elsewhere;
CALL idgen_migrate.replace_serial('public.old', 'id');
INSERT INTO public.old DEFAULT VALUES RETURNING elsewhere.id_shard(id);
SELECT count(DISTINCT next) FROM public.old;

-- After the job the extension goes; its schema stays, and is taken again if nobody else has put anything there.
DROP EXTENSION idgen_migrate;
CREATE TABLE idgen_migrate.other ();
CREATE EXTENSION idgen_migrate;
DROP TABLE idgen_migrate.other;
CREATE EXTENSION idgen_migrate;
DROP EXTENSION idgen_migrate;
INSERT INTO public.old DEFAULT VALUES RETURNING elsewhere.id_shard(id);
DROP SCHEMA idgen_migrate;
