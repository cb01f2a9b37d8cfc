-- IDs of other kinds: made in parallel workers, and bounds and texts of random values.
BEGIN;
SELECT plan(13);
SET LOCAL TimeZone = 'UTC';

CREATE TABLE photo AS SELECT n FROM generate_series(1, 50000) AS n;
ANALYZE photo;
\ir lib/workers.sql
SET LOCAL max_parallel_workers_per_gather = 2;

CREATE FUNCTION pg_temp.made(call text) RETURNS text LANGUAGE sql AS $$
    SELECT format('SELECT count(DISTINCT id) FROM (SELECT %s AS id FROM photo OFFSET 0) AS made', call)
$$;
SELECT ok(pg_temp.is_parallel(pg_temp.made(call)), call || ' runs in workers')
  FROM unnest('{next_ulid(), next_uuidv7(), next_ksuid(), next_objectid(), next_nanoid()}'::text[]) AS call;
SELECT results_eq(pg_temp.made(call), 'SELECT 50000::bigint', call || ' gives each once')
  FROM unnest('{next_ulid(), next_uuidv7(), next_ksuid(), next_objectid(), next_nanoid()}'::text[]) AS call;

-- Any instant: the bounds enclose the UUIDs of its millisecond, and no others.
CREATE TABLE instant AS
SELECT date_trunc('milliseconds', '1970-01-01Z'::timestamptz + random() * interval '2900000 days') + random() * interval '999 us' AS at
  FROM generate_series(1, 10000);
SELECT ok(bool_and(uuid_time(uuidv7_min(at)) = date_trunc('milliseconds', at) AND uuid_time(uuidv7_max(at)) = date_trunc('milliseconds', at)
                   AND uuid_version_number(uuidv7_min(at)) = 7 AND uuid_version_number(uuidv7_max(at)) = 7
                   AND uuidv7_min(at) < uuidv7_max(at) AND uuidv7_max(at) < uuidv7_min(at + interval '1 ms')),
          'bounds of a millisecond')
  FROM instant;

-- Any UUID, any prefix: back, and in order.
CREATE TABLE value AS
SELECT gen_random_uuid() AS uuid, substr(translate(gen_random_uuid()::text, '0123456789', 'ghijklmnop'), 1, 1 + n % 8) AS prefix
  FROM generate_series(1, 10000) AS n;
SELECT ok(bool_and(typeid_uuid(typeid_text(prefix, uuid)) = uuid AND typeid_prefix(typeid_text(prefix, uuid)) = prefix
                   AND typeid_text(prefix, uuid::ulid) = typeid_text(prefix, uuid)),
          'TypeIDs come back')
  FROM value;
SELECT is(array_agg(uuid ORDER BY typeid_text('x', uuid) COLLATE "C"), array_agg(uuid ORDER BY uuid), 'TypeIDs sort as their values') FROM value;

SELECT * FROM finish();
ROLLBACK;
