-- A parallel query reads and makes IDs as a serial one does.
BEGIN;
SELECT plan(19);
SET LOCAL TimeZone = 'UTC';
SET LOCAL idgen.shards = '0-15';

CREATE TABLE photo AS SELECT n, next_id() AS id FROM generate_series(1, 50000) AS n;
INSERT INTO photo VALUES (0, NULL), (-1, -1);
ANALYZE photo;

\ir lib/workers.sql
CREATE FUNCTION pg_temp.parallel(is_on boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('max_parallel_workers_per_gather', CASE WHEN is_on THEN '2' ELSE '0' END, true);
END
$$;
SET LOCAL parallel_leader_participation = off;

PREPARE readers AS
SELECT sum(hashtextextended(concat_ws(' ', n, id_time(id), id_shard(id), id_region(id, 'twitter'), id_sequence(id), id_time_near(id, '2026-11-21'),
                                      id_decode(id), id_decode(id, 'snowflake'), id_min(id_time(id)), id_max(id_time(id)),
                                      id_make(id_time(id), id_shard(id), id_sequence(id))), 0)) AS hash
  FROM photo WHERE id IS NOT NULL AND id > 0;
SELECT pg_temp.parallel(true);
SELECT ok(pg_temp.is_parallel('EXECUTE readers'), 'the readers run in workers');
CREATE TEMP TABLE by_workers AS EXECUTE readers;
SELECT pg_temp.parallel(false);
DEALLOCATE readers;
PREPARE readers AS
SELECT sum(hashtextextended(concat_ws(' ', n, id_time(id), id_shard(id), id_region(id, 'twitter'), id_sequence(id), id_time_near(id, '2026-11-21'),
                                      id_decode(id), id_decode(id, 'snowflake'), id_min(id_time(id)), id_max(id_time(id)),
                                      id_make(id_time(id), id_shard(id), id_sequence(id))), 0)) AS hash
  FROM photo WHERE id IS NOT NULL AND id > 0;
SELECT ok(NOT pg_temp.is_parallel('EXECUTE readers'), 'and without workers');
SELECT results_eq('EXECUTE readers', 'SELECT hash FROM by_workers', 'with the same result');

SELECT pg_temp.parallel(true);
SELECT ok(pg_temp.is_parallel('SELECT count(*) FROM photo WHERE id_shard(id) = 3'), 'a filter runs in workers');
SELECT ok(pg_temp.is_parallel('SELECT count(DISTINCT id) FROM (SELECT next_id() AS id FROM photo OFFSET 0) AS ids'), 'next_id runs in workers');
SELECT is(count(DISTINCT id), 50002::bigint, 'and gives each ID once') FROM (SELECT next_id() AS id FROM photo OFFSET 0) AS ids;
SELECT ok(bool_and(id_shard(id) BETWEEN 0 AND 15), 'from the node''s own shards') FROM (SELECT next_id() AS id FROM photo OFFSET 0) AS ids;
SELECT is(count(DISTINCT id), 50002::bigint, 'also from one shard that is given') FROM (SELECT next_id(5) AS id FROM photo OFFSET 0) AS ids;
SELECT is(count(DISTINCT id), 50002::bigint * 3, 'next_id_array in workers gives each ID once')
  FROM (SELECT next_id_array(3) AS ids FROM photo OFFSET 0) AS arrays, unnest(ids) AS id;

-- IDs of other kinds
CREATE FUNCTION pg_temp.made(call text) RETURNS text LANGUAGE sql AS $$
    SELECT format('SELECT count(DISTINCT id) FROM (SELECT %s AS id FROM photo OFFSET 0) AS made', call)
$$;
SELECT ok(pg_temp.is_parallel(pg_temp.made(call)), call || ' runs in workers')
  FROM unnest('{next_ulid(), next_uuidv7(), next_ksuid(), next_objectid(), next_nanoid()}'::text[]) AS call;
SELECT results_eq(pg_temp.made(call), 'SELECT 50002::bigint', call || ' gives each once')
  FROM unnest('{next_ulid(), next_uuidv7(), next_ksuid(), next_objectid(), next_nanoid()}'::text[]) AS call;

SELECT * FROM finish();
ROLLBACK;
