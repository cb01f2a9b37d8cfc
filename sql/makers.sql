-- Making IDs: next_id, next_ids, next_id_array. Only properties are shown, never an ID.
SET idgen.shards = '5';

-- The parts of a new ID: this instant, the node's own shard.
SELECT array_agg(layout) FILTER (WHERE (
           id > 0 AND id_shard(id, layout) IS NOT DISTINCT FROM CASE WHEN one_node THEN NULL ELSE 5 END
           AND abs(extract(epoch FROM id_time_near(id, clock_timestamp(), layout) - clock_timestamp())) < 10) IS NOT TRUE) AS wrong,
       count(*) = (SELECT count(*) FROM id_layouts()) AS every_preset, min(pg_typeof(id)::text) AS type
  FROM (SELECT name::id_layout FROM id_layouts()) AS l (layout), id_layout_info(layout), next_id(layout => layout) AS id;
SELECT id_shard(next_id()), id_shard(next_id(5)), id_shard(next_id(shard => 5, layout => 'snowflake'), 'snowflake'),
       id_shard(next_id(idgen.own_shards()));
SELECT idgen.own_shards();

-- Fields in another order, a region, no shard, no sequence, a sequence from 1
SELECT layout, id_shard(id, layout), id_region(id, layout), id_sequence(id, layout) >= 1 AS sequence
  FROM unnest(ARRAY['epoch=2020-01-01 unit=10ms time=39 sequence=8+1 region=4 shard=8',
                    'epoch=2020-01-01 unit=1ms time=41 shard=10',
                    'epoch=2020-01-01 unit=1ms time=41 sequence=10+1',
                    'epoch=2020-01-01 unit=1ms time=41']::id_layout[]) AS layout,
       next_id(layout => layout) AS id;

-- Each row gets another ID, also where the call looks constant.
SELECT count(DISTINCT next_id()) FROM generate_series(1, 5000);
SELECT a <> b AS two_calls FROM (SELECT next_id() AS a, next_id() AS b) AS ids;

-- idgen.next_id() is next_id() by both defaults, for who may call that.
SELECT id_shard(idgen.next_id()), a <> b AS two_calls FROM (SELECT idgen.next_id() AS a, idgen.next_id() AS b) AS ids;
SELECT count(DISTINCT idgen.next_id()) FROM generate_series(1, 5000);
CREATE ROLE regress_reader;
REVOKE EXECUTE ON FUNCTION next_id(bigint, id_layout) FROM PUBLIC;
SET ROLE regress_reader;
SELECT idgen.next_id();
RESET ROLE;
GRANT EXECUTE ON FUNCTION next_id(bigint, id_layout) TO PUBLIC;
DROP ROLE regress_reader;

-- next_ids gives rows, next_id_array one array.
SELECT count(*), count(DISTINCT id), bool_and(id_shard(id) = 5) AS own FROM next_ids(5000) AS id;
SELECT count(*) FROM next_ids(0);
SELECT count(*) FROM next_ids(1);
SELECT count(*), count(DISTINCT id) FROM next_ids(count => 300, shard => 5, layout => 'sonyflake') AS id;
SELECT array_length(ids, 1), array_ndims(ids), array_lower(ids, 1), pg_typeof(ids),
       ids = ARRAY(SELECT unnest(ids) ORDER BY 1) AS ascending
  FROM next_id_array(5000) AS ids;
SELECT next_id_array(0);
SELECT cardinality(next_id_array(count => 300, shard => 5, layout => 'sonyflake'));

-- In the select list, in FROM, in LATERAL; a LIMIT or a cursor may leave rows unread.
SELECT count(*), count(DISTINCT id) FROM (SELECT next_ids(100) AS id FROM generate_series(1, 10)) AS ids;
SELECT n, count(DISTINCT id) FROM generate_series(0, 3) AS n, LATERAL next_ids(n) AS id GROUP BY n ORDER BY n;
SELECT count(*) FROM (SELECT id FROM next_ids(1000000000) AS id LIMIT 0) AS none;
SELECT count(*) FROM (SELECT next_ids(1000000000000) LIMIT 10) AS ten;
BEGIN;
DECLARE ids CURSOR FOR SELECT next_ids(1000000000000);
MOVE 1000 IN ids;
COMMIT;

-- A layout from a table, another one in each row
CREATE TABLE kind (name text, layout id_layout);
INSERT INTO kind VALUES ('a', 'snowflake'), ('b', 'js53'), ('c', 'sonyflake'), ('d', 'epoch=2020-01-01 unit=1ms time=41 shard=3 sequence=19');
SELECT name, id_shard(next_id(5, layout), layout), cardinality(next_id_array(3, 5, layout)),
       (SELECT count(DISTINCT id) FROM next_ids(3, 5, layout) AS id)
  FROM kind ORDER BY name;
DROP TABLE kind;

-- A read-only transaction may make IDs.
BEGIN READ ONLY;
SELECT id_shard(next_id()), cardinality(next_id_array(10)), (SELECT count(*) FROM next_ids(10));
COMMIT;

-- What a session does when a tick has no ID left: 4 IDs in 200 ms
\set tiny '''epoch=2020-01-01 unit=200ms time=40 shard=10 sequence=2'''
SET idgen.overflow = 'error';
\set VERBOSITY sqlstate
SELECT count(next_id(layout => :tiny)) FROM generate_series(1, 100);
\set VERBOSITY default
SET idgen.overflow = 'wait';
SET idgen.max_wait = '2s';
SELECT count(DISTINCT next_id(layout => :tiny)) FROM generate_series(1, 6);
SET idgen.max_wait = 0;
\set VERBOSITY sqlstate
SELECT count(next_id(layout => :tiny)) FROM generate_series(1, 100);
\set VERBOSITY default
RESET idgen.max_wait;
-- Borrowed ticks lie ahead of the clock, at most idgen.max_lead (1 s): 4 IDs in 100 ms.
SET idgen.shards = '5-6';
SET idgen.overflow = 'borrow';
SELECT count(DISTINCT id), max(lead) > 0.5 AS borrowed, max(lead) <= 1 AS within_max_lead
  FROM (SELECT id, extract(epoch FROM id_time(id, layout) - clock_timestamp()) AS lead
          FROM CAST('epoch=2020-01-01 unit=100ms time=40 shard=10 sequence=2' AS id_layout) AS layout,
               generate_series(1, 60) AS n, LATERAL (SELECT next_id(6 + n * 0, layout) AS id) AS drawn) AS ids;
RESET idgen.overflow;

-- A statement that is cancelled while it waits stops at once; the session goes on.
SET statement_timeout = '300ms';
\set VERBOSITY sqlstate
SELECT count(*) FROM next_ids(1000000000, 6, :tiny);
\set VERBOSITY default
RESET statement_timeout;
SELECT id_shard(next_id(6));

-- Rows that are copied in order have IDs in order, in a parallel plan, too: ORDER BY in a sub-select, or an INSERT.
CREATE TABLE unordered AS SELECT (n * 7919) % 20000 AS place FROM generate_series(1, 20000) AS n;
ANALYZE unordered;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
CREATE TABLE sorted AS SELECT next_id(6) AS id, place FROM (SELECT place FROM unordered ORDER BY place) AS s;
CREATE TABLE inserted (LIKE sorted);
INSERT INTO inserted SELECT next_id(6), place FROM unordered ORDER BY place;
SELECT kind, count(*), count(*) FILTER (WHERE id < before) AS out_of_order
  FROM (SELECT kind, id, lag(id) OVER (PARTITION BY kind ORDER BY place) AS before
          FROM (SELECT 'sorted' AS kind, * FROM sorted UNION ALL SELECT 'inserted', * FROM inserted) AS made) AS seen
 GROUP BY kind ORDER BY kind;
DROP TABLE unordered, sorted, inserted;
