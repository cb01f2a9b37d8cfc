-- IDs above one seen elsewhere: next_id_after.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET idgen.shards = '5';

-- In every layout, from every kind of source
SELECT array_agg(layout) FILTER (WHERE (
           after > id AND id_shard(after, layout) IS NOT DISTINCT FROM CASE WHEN one_node THEN NULL ELSE 5 END) IS NOT TRUE) AS wrong,
       count(*) = (SELECT count(*) FROM id_layouts()) AS every_preset
  FROM (SELECT name::id_layout FROM id_layouts()) AS l (layout), id_layout_info(layout), next_id(layout => layout) AS id, next_id_after(id, layout => layout) AS after;
SELECT shard, next_id_after(id) > id AS larger
  FROM unnest('{0,4,5,6,8191}'::bigint[]) AS shard, id_make(clock_timestamp() + interval '200 ms', shard, 1023) AS id;
SELECT id_shard(next_id_after(1)), id_shard(next_id_after(1, 5)), id_shard(next_id_after(shard => 5, id => 1, layout => 'snowflake'), 'snowflake');
SET idgen.shards = '0-15';
SELECT count(*), bool_and(b > a AND c > b) AS rises, min(id_shard(b)) >= 0 AND max(id_shard(b)) <= 15 AS own_shards
  FROM generate_series(1, 3000) AS n, next_id() AS a, next_id_after(a) AS b, next_id() AS c WHERE n > 0;
SET idgen.shards = '5';
-- A session goes on above: also above an ID that lay ahead of the clock.
SELECT id_make(clock_timestamp() + interval '250 ms', 3, 9) AS seen \gset
SELECT next_id_after(:seen) > :seen AS first, next_id() > :seen AS second, next_id_after(1) > :seen AS third;
-- The trace layout wraps: later, in the turn nearest to now.
SELECT id_time_near(next_id_after(seen, layout => 'trace'), clock_timestamp(), 'trace') >= id_time_near(seen, clock_timestamp(), 'trace') AS later
  FROM next_id(layout => 'trace') AS seen;

-- Refused
\pset format unaligned
\pset tuples_only
SELECT refusals('next_id_after(NULL)', 'next_id_after(1, NULL)', 'next_id_after(1, 5, NULL)', 'next_id_after(0)', 'next_id_after(-1)',
                'next_id_after(-9223372036854775808)', 'next_id_after(9007199254740992, layout => ''js53'')',
                'next_id_after(274877906944, layout => ''trace'')', 'next_id_after(1, 6)', 'next_id_after(1, -1)', 'next_id_after(1, 8192)');
\pset format aligned
\pset tuples_only off
-- Far ahead of the clock: the message says by how much, so only the SQLSTATE is shown.
\set VERBOSITY sqlstate
SELECT next_id_after(9223372036854775807);
SELECT next_id_after(id_make(clock_timestamp() + interval '1 hour', 9, 9));
SELECT id_time(next_id()) < clock_timestamp() + interval '10 s' AS no_trace;
