-- IDs come from the node's own shards, from all of them where they are needed, and never twice.
BEGIN;
SELECT plan(17);

-- Shards of 16 IDs in 10 ms, so that each is soon full
SET LOCAL idgen.shards = '1,4,8-11';
\set small '\'epoch=2020-01-01 unit=10ms time=39 shard=8 sequence=4\''
CREATE FUNCTION pg_temp.shards(ids bigint[]) RETURNS int[] LANGUAGE sql AS $$
    SELECT array_agg(DISTINCT id_shard(id, 'epoch=2020-01-01 unit=10ms time=39 shard=8 sequence=4')) FROM unnest(ids) AS id
$$;
SELECT is(pg_temp.shards(array_agg(id)), '{1,4,8,9,10,11}', 'next_ids draws from the whole pool') FROM next_ids(2000, layout => :small) AS id;
SELECT is(pg_temp.shards(array_agg(next_id(layout => :small))), '{1,4,8,9,10,11}', 'next_id draws from the whole pool') FROM generate_series(1, 2000);
SELECT is(pg_temp.shards(next_id_array(2000, layout => :small)), '{1,4,8,9,10,11}', 'next_id_array draws from the whole pool');
SELECT set_has('SELECT unnest(''{1,4,8,9,10,11}''::int[])', 'SELECT DISTINCT id_shard(id, ''sonyflake'') FROM next_ids(5000, layout => ''sonyflake'') AS id', 'sonyflake draws from the pool');
SELECT is(array_agg(DISTINCT id_shard(id)), '{9}', 'an explicit shard is the only one') FROM next_ids(5000, 9) AS id;
SELECT throws_ok('SELECT next_id(5)', '22023', NULL, 'a shard that is not its own is refused');

-- With a region
SET LOCAL idgen.shards = '0-31';
SET LOCAL idgen.region = 3;
SELECT ok(bool_and(id_region(id, layout) = 3 AND id_shard(id, layout) BETWEEN 96 AND 127), format('all in the region: %s', layout))
  FROM unnest('{twitter, discord}'::id_layout[]) AS layout, LATERAL next_ids(20000, layout => layout) AS id GROUP BY layout ORDER BY layout::text;
SET LOCAL idgen.region = 0;

-- A million, and more shards than a tick needs
SET LOCAL idgen.shards = '0-15';
SELECT is(count(*), 1000000::bigint, 'a million rows') FROM next_ids(1000000);
SELECT is(count(DISTINCT id), 200000::bigint, 'next_ids gives each once') FROM next_ids(200000) AS id;
SELECT is(count(DISTINCT id), 200000::bigint, 'next_id_array gives each once') FROM unnest(next_id_array(200000)) AS id;
SELECT is(count(DISTINCT id), 90000::bigint, 'each once, by three ways at a time')
  FROM (SELECT unnest(a || b) AS id FROM (SELECT next_ids(30000) AS a, ARRAY[next_id(), (next_id_array(1))[1]] AS b) AS ids) AS ids;
SELECT is(count(DISTINCT id), 60000::bigint, 'layouts of the same packing make different IDs')
  FROM (SELECT unnest(ARRAY[next_id(7, 'epoch=2020-01-01 unit=1ms time=41 shard=10 sequence=12'),
                            next_id(7, 'epoch=2020-01-01 unit=1ms time=40 region=5 shard=5 sequence=12')]) AS id
          FROM generate_series(1, 30000)) AS ids;
SELECT is(count(DISTINCT id), 60000::bigint, 'so do sequences from 0 and from 1')
  FROM (SELECT unnest(ARRAY[next_id(7, 'epoch=2020-01-01 unit=1ms time=41 shard=10 sequence=12'),
                            next_id(7, 'epoch=2020-01-01 unit=1ms time=41 shard=10 sequence=12+1')]) AS id
          FROM generate_series(1, 30000)) AS ids;

-- One session has the rate of the whole pool: one shard alone would need 1.25 s.
SELECT performs_ok('SELECT count(*) FROM next_ids(2000, layout => ''epoch=2020-01-01 unit=10ms time=39 shard=8 sequence=4'')', 700,
                   'a pool is not held to the rate of one shard');

-- IDs carry the time at which they were made.
SELECT ok(bool_and(abs(extract(epoch FROM id_time(id) - clock_timestamp())) < 5), 'the time is now') FROM next_ids(100000) AS id;
SET LOCAL idgen.overflow = 'borrow';
SELECT ok(bool_and(id_time(id) <= clock_timestamp() + current_setting('idgen.max_lead')::interval), 'borrowed times lie within idgen.max_lead')
  FROM next_ids(1000000) AS id;

SELECT * FROM finish();
ROLLBACK;
