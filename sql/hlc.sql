-- The hybrid logical clock, IDs above one seen elsewhere, waiting for the clock.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET idgen.shards = '5';

-- Parts: 48 bits of unix ms, 16 bits logical
SELECT hlc_make('1970-01-01'), hlc_make('1970-01-01 00:00:00.001', 2), hlc_make('2026-11-21 12:00:00.1239', 65535),
       hlc_make('6429-10-17 02:45:55.327', 65535);
SELECT hlc, hlc_time(hlc), hlc_logical(hlc)
  FROM unnest('{0,1,65536,117654563295199232,9223372036854775807,-1,-9223372036854775808,NULL}'::bigint[]) AS hlc;
SELECT bool_and(hlc_make(hlc_time(hlc), hlc_logical(hlc)) = hlc) FROM generate_series(117654563295199232, 117654563295199232 + 200000, 7) AS hlc;

-- Each event rises, whatever takes it; a receipt lies above what was received.
SELECT abs(extract(epoch FROM hlc_time(hlc_now()) - clock_timestamp())) < 10 AS this_instant;
SELECT count(*), bool_and(hlc > before) AS rises
  FROM (SELECT hlc, lag(hlc) OVER (ORDER BY n) AS before FROM (SELECT n, hlc_now() AS hlc FROM generate_series(1, 5000) AS n OFFSET 0) AS made) AS pair
 WHERE before IS NOT NULL;
SELECT hlc_now() AS sent \gset
SELECT hlc_receive(:sent) AS received \gset
SELECT :received > :sent AS above_own, hlc_receive(0) > :received AS above_an_old_one, hlc_receive(hlc_make('2011-08-24')) > :received AS another;
SELECT hlc_make(clock_timestamp() + interval '300 ms', 41) AS remote \gset
SELECT hlc_receive(:remote) > :remote AS above_the_remote_one, hlc_now() > :remote + 1 AS then_now;
BEGIN;
SELECT hlc_now() AS rolled_back \gset
ROLLBACK;
SELECT hlc_now() > :rolled_back AS not_given_back;
CREATE TEMP TABLE event (at bigint DEFAULT hlc_now(), day date GENERATED ALWAYS AS ((hlc_time(at) AT TIME ZONE 'UTC')::date) STORED);
INSERT INTO event DEFAULT VALUES;
SELECT count(*) FROM event WHERE day BETWEEN current_date - 1 AND current_date + 1;

-- next_id_after: in every layout, from every kind of source
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
SELECT refusals('hlc_receive(NULL)', 'hlc_receive(-1)', 'hlc_receive(-9223372036854775808)',
                'hlc_make(''1969-12-31 23:59:59.999'')', 'hlc_make(''6429-10-17 02:45:55.328'')', 'hlc_make(''infinity'')',
                'hlc_make(''-infinity'')', 'hlc_make(''2026-11-21'', -1)', 'hlc_make(''2026-11-21'', 65536)');
SELECT refusals('next_id_after(NULL)', 'next_id_after(1, NULL)', 'next_id_after(1, 5, NULL)', 'next_id_after(0)', 'next_id_after(-1)',
                'next_id_after(-9223372036854775808)', 'next_id_after(9007199254740992, layout => ''js53'')',
                'next_id_after(274877906944, layout => ''trace'')', 'next_id_after(1, 6)', 'next_id_after(1, -1)', 'next_id_after(1, 8192)');
SELECT refusals('wait_until_past(NULL)', 'wait_until_past(''infinity'')');
\pset format aligned
\pset tuples_only off
SELECT hlc_make(NULL), hlc_make('2026-11-21', NULL), hlc_time(NULL), hlc_logical(NULL);
-- Far ahead of the clock: the message says by how much, so only the SQLSTATE is shown.
\set VERBOSITY sqlstate
SELECT hlc_receive(9223372036854775807);
SELECT next_id_after(9223372036854775807);
SELECT next_id_after(id_make(clock_timestamp() + interval '1 hour', 9, 9));
SELECT id_time(next_id()) < clock_timestamp() + interval '10 s' AS no_trace;
