-- Draws from the node's own shards rise strictly within one session and one layout.
BEGIN;
SELECT plan(42);

-- The steps of a list of IDs, in the order in which they were drawn, that do not rise.
CREATE FUNCTION pg_temp.falls(ids bigint[]) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM (SELECT id <= lag(id) OVER (ORDER BY n) AS falls FROM unnest(ids) WITH ORDINALITY AS i (id, n)) AS steps
     WHERE falls
$$;
CREATE FUNCTION pg_temp.drawn(count int, layout id_layout) RETURNS bigint[] LANGUAGE sql AS $$
    SELECT array_agg(next_id(layout => layout)) FROM generate_series(1, count)
$$;

SET LOCAL idgen.shards = '5';
SELECT is(pg_temp.falls(pg_temp.drawn(100000, 'instagram')), 0::bigint, 'one shard');
SET LOCAL idgen.shards = '0-15';
SELECT is(pg_temp.falls(pg_temp.drawn(100000, 'instagram')), 0::bigint, 'a pool');
SELECT is(pg_temp.falls(pg_temp.drawn(10000, 'sonyflake')), 0::bigint, 'a pool with the shard below the sequence');
SELECT is(pg_temp.falls(pg_temp.drawn(3000, 'epoch=2020-01-01 unit=10ms time=39 shard=8 sequence=2')), 0::bigint, 'a pool of small shards');
SELECT is(pg_temp.falls(pg_temp.drawn(3000, 'epoch=2020-01-01 unit=1ms time=41 shard=8')), 0::bigint, 'a pool without sequence');
SELECT is(pg_temp.falls(pg_temp.drawn(100000, 'mastodon')), 0::bigint, 'no shard');
SELECT is(pg_temp.falls(pg_temp.drawn(20000, 'trace')), 0::bigint, 'a sequence from 1');
SET LOCAL idgen.shards = '1,4,8-11,200';
SELECT is(pg_temp.falls(pg_temp.drawn(50000, 'twitter')), 0::bigint, 'a pool with gaps');

SET LOCAL idgen.overflow = 'borrow';
SET LOCAL idgen.shards = '5';
SELECT is(pg_temp.falls(pg_temp.drawn(100000, 'instagram')), 0::bigint, 'one shard that borrows');
SET LOCAL idgen.shards = '0-15';
SELECT is(pg_temp.falls(pg_temp.drawn(100000, 'instagram')), 0::bigint, 'a pool that borrows');
SELECT is(pg_temp.falls(pg_temp.drawn(20000, 'sonyflake')), 0::bigint, 'a pool that borrows, with the shard below the sequence');
SET LOCAL idgen.overflow = 'wait';
SELECT is(pg_temp.falls(pg_temp.drawn(20000, 'instagram')), 0::bigint, 'a pool after it borrowed');

SELECT is(pg_temp.falls(array_agg(id ORDER BY n)), 0::bigint, 'next_ids')
  FROM next_ids(100000) WITH ORDINALITY AS i (id, n);
SELECT is(pg_temp.falls(array_agg(id ORDER BY n)), 0::bigint, 'next_ids with the shard below the sequence')
  FROM next_ids(10000, layout => 'sonyflake') WITH ORDINALITY AS i (id, n);
SELECT is(pg_temp.falls(next_id_array(100000)), 0::bigint, 'next_id_array');
SELECT is(pg_temp.falls(next_id_array(10000, layout => 'sonyflake')), 0::bigint, 'next_id_array with the shard below the sequence');

-- Blocks are taken ahead of the rows: another draw between two rows makes the rest of the block stale.
SELECT is(pg_temp.falls(array_agg(id)), 0::bigint, 'next_ids and next_id, row by row')
  FROM (SELECT unnest(ARRAY[a, b]) AS id FROM (SELECT next_ids(3000) AS a, next_id() AS b) AS ids) AS ids;
SELECT is(pg_temp.falls(array_agg(id)), 0::bigint, 'two next_ids side by side')
  FROM (SELECT unnest(ARRAY[a, b]) AS id FROM (SELECT next_ids(3000) AS a, next_ids(3000) AS b) AS ids) AS ids;
SELECT is(pg_temp.falls(array_agg(id)), 0::bigint, 'next_ids and next_id_array, row by row')
  FROM (SELECT unnest(a || b) AS id FROM (SELECT next_ids(1000) AS a, next_id_array(10) AS b) AS ids) AS ids;
SELECT is(pg_temp.falls(array_agg(id)), 0::bigint, 'next_ids and next_id, with the shard below the sequence')
  FROM (SELECT unnest(ARRAY[a, b]) AS id
          FROM (SELECT next_ids(1000, layout => 'sonyflake') AS a, next_id(layout => 'sonyflake') AS b) AS ids) AS ids;

-- A cursor that is read now and then
CREATE FUNCTION pg_temp.with_cursor() RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
    rows CURSOR FOR SELECT next_ids(1000000);
    ids bigint[] := '{}';
    id bigint;
BEGIN
    OPEN rows;
    FOR i IN 1..500 LOOP
        FETCH rows INTO id;
        ids := ids || id;
        IF i % 7 = 0 THEN
            ids := ids || next_id();
        END IF;
    END LOOP;
    CLOSE rows;
    RETURN ids;
END
$$;
SELECT is(pg_temp.falls(pg_temp.with_cursor()), 0::bigint, 'a cursor over next_ids, and next_id in between');

-- Two layouts in turn: each rises.
SELECT ok(pg_temp.falls(array_agg(a)) = 0 AND pg_temp.falls(array_agg(b)) = 0, 'two layouts in turn')
  FROM (SELECT next_id() AS a, next_id(layout => 'snowflake') AS b FROM generate_series(1, 5000)) AS ids;

-- Other shards in the middle of a session, lower and higher
CREATE FUNCTION pg_temp.with_changes(layout id_layout) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
    ids bigint[] := '{}';
BEGIN
    FOR i IN 1..300 LOOP
        PERFORM set_config('idgen.shards', (ARRAY['200', '0-15', '7', '100-199'])[i % 4 + 1], true);
        ids := ids || next_id(layout => layout) || next_id(layout => layout);
    END LOOP;
    RETURN ids;
END
$$;
SELECT is(pg_temp.falls(pg_temp.with_changes('instagram')), 0::bigint, 'idgen.shards changes');
SELECT is(pg_temp.falls(pg_temp.with_changes('sonyflake')), 0::bigint, 'idgen.shards changes, with the shard below the sequence');

-- An explicit shard rises by itself.
SET LOCAL idgen.shards = '0-15';
SELECT ok(bool_and(pg_temp.falls(ids) = 0), 'explicit shards in turn')
  FROM (SELECT shard, array_agg(next_id(shard)) AS ids
          FROM generate_series(1, 5000) AS n, LATERAL (SELECT n % 3 AS shard) AS s GROUP BY shard) AS by_shard;

-- IDs come from the node's own shards, from all of them where they are needed, and never twice.

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
SELECT is(count(DISTINCT id), 200000::bigint, 'next_id_array gives each ID once') FROM unnest(next_id_array(200000)) AS id;
SELECT is(count(DISTINCT id), 90000::bigint, 'three ways at a time give each ID once')
  FROM (SELECT unnest(a || b) AS id FROM (SELECT next_ids(30000) AS a, ARRAY[next_id(), (next_id_array(1))[1]] AS b) AS ids) AS ids;
SELECT is(count(DISTINCT id), 60000::bigint, 'layouts of the same packing make different IDs')
  FROM (SELECT unnest(ARRAY[next_id(7, 'epoch=2020-01-01 unit=1ms time=41 shard=10 sequence=12'),
                            next_id(7, 'epoch=2020-01-01 unit=1ms time=40 region=5 shard=5 sequence=12')]) AS id
          FROM generate_series(1, 30000)) AS ids;
SELECT is(count(DISTINCT id), 60000::bigint, 'sequences from 0 and from 1 make different IDs')
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
