-- Reading an ID: id_decode, id_time, id_shard, id_region, id_sequence, id_time_near.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- 2026-11-21 12:00, shard 106, sequence 77
SELECT layout, id, decoded.*
  FROM unnest('{instagram,twitter,sonyflake,mastodon,js53,trace}'::id_layout[]) AS layout,
       id_make('2026-11-21 12:00:00.123Z', CASE WHEN layout = 'mastodon' THEN 0 ELSE 106 END, 77, layout) AS id,
       id_decode(id, layout) AS decoded;
SELECT layout, id_time(id, layout), id_shard(id, layout), id_region(id, layout), id_sequence(id, layout)
  FROM unnest('{instagram,twitter,sonyflake,mastodon,js53,trace}'::id_layout[]) AS layout,
       id_make('2026-11-21 12:00:00.123Z', CASE WHEN layout = 'mastodon' THEN 0 ELSE 106 END, 77, layout) AS id;
-- The first and the last of that tick in each preset, by one reader and by each of them
SELECT array_agg(name) FILTER (WHERE (
           extract(epoch FROM d.created_at) * 1000 = first_ms + (noon_ms - first_ms) % (last_ms - first_ms + tick_ms)) IS NOT TRUE
           OR d.shard IS DISTINCT FROM CASE WHEN shards > 1 THEN v.shard END OR d.sequence IS DISTINCT FROM v.sequence
           OR d IS DISTINCT FROM ROW(id_time(id, layout), id_shard(id, layout), id_sequence(id, layout))) AS wrong,
       count(*) = 2 * (SELECT count(*) FROM id_layouts()) AS every_preset
  FROM preset, CAST(name AS id_layout) AS layout,
       LATERAL (VALUES (noon_lowest, 0, first_sequence), (noon_highest, shards - 1, last_sequence)) AS v (id, shard, sequence),
       id_decode(id, layout) AS d;

-- Shifts and masks decode the same: time 41, shard 13, sequence 10.
SELECT id, id >> 23 = (extract(epoch FROM id_time(id)) * 1000)::bigint - 1314220021721 AS time,
       (id >> 10) & 8191 = id_shard(id) AS shard, id & 1023 = id_sequence(id) AS sequence
  FROM unnest('{1, 1023, 1024, 8388607, 8388608, 9223372036854775807, 4036565484265537613}'::bigint[]) AS id;

-- The largest and smallest number
SELECT * FROM id_decode(0);
SELECT * FROM id_decode(9223372036854775807);

-- No ID: a negative number, or one with bits above the time field. One row of nulls.
SELECT * FROM id_decode(-1);
SELECT id_decode(-1) IS NULL AS "row", id_time(-1), id_shard(-1), id_region(-1, 'twitter'), id_sequence(-1),
       id_time_near(-1, '2026-11-21', 'trace'), id_time(-9223372036854775808);
SELECT id_time(9007199254740991, 'js53'), id_time(9007199254740992, 'js53') AS "2^53",
       id_shard(9007199254740992, 'js53'), id_sequence(9007199254740992, 'js53'),
       id_decode(9007199254740992, 'js53') IS NULL AS "row";

-- Null in, null out
SELECT id_decode(NULL) IS NULL AS "row", id_time(NULL), id_shard(NULL), id_region(NULL), id_sequence(NULL),
       id_time_near(NULL, '2026-11-21'), id_time_near(1, NULL), id_time(1, NULL), id_decode(1, NULL) IS NULL AS "row";

-- Parts that the layout does not have are null.
SELECT id_shard(70000, 'mastodon'), id_region(70000, 'mastodon'), id_region(70000), id_sequence(70000, 'mastodon');
SELECT id_shard(70000, layout), id_region(70000, layout), id_sequence(70000, layout), decoded.*
  FROM unnest('{epoch=2020-01-01 unit=1ms time=41, epoch=2020-01-01 unit=1ms time=41 region=3 shard=2,
                epoch=2020-01-01 unit=1ms time=41 sequence=10+1}'::id_layout[]) AS layout,
       id_decode(70000, layout) AS decoded;

-- The region is the top part of the node's number: 3 above 10 is 106.
SELECT shard, id_region(id, 'twitter') AS region, id_shard(id, 'twitter') AS whole, id_shard(id, 'twitter') & 31 AS lower
  FROM unnest('{0, 10, 31, 32, 106, 1023}'::int[]) AS shard, id_make('2026-11-21', shard, 5, 'twitter') AS id;

-- Below the epoch of PostgreSQL, and of unix
SELECT id_time(1::bigint << 31, layout), id_decode(1::bigint << 31, layout)
  FROM unnest('{epoch=1066-10-14 unit=1s time=40 shard=8 sequence=8, epoch=0001-01-01 unit=10ms time=43 shard=8 sequence=8}'::id_layout[]) AS layout;

-- Time that wraps lies in the first turn; id_time_near finds the turn nearest to an instant.
SELECT made, id_time(id, 'trace'), id_time_near(id, made, 'trace') = made AS same,
       id_time_near(id, made + interval '190 days', 'trace') = made AS later,
       id_time_near(id, made - interval '190 days', 'trace') = made AS earlier,
       id_time_near(id, made + interval '200 days', 'trace') - made AS next_turn,
       id_time_near(id, made - interval '200 days', 'trace') - made AS previous_turn
  FROM unnest('{1970-01-01, 1971-01-24 08:40:31, 1971-01-24 08:40:32, 1999-12-31 23:59:59, 2026-11-21, 2400-02-29}'::timestamptz[]) AS made,
       id_make(made, 106, 77, 'trace') AS id;
-- Turns begin at the epoch; halfway between two turns the earlier one is taken.
SELECT id_time_near(1, '1900-01-01', 'trace') AS before, id_time_near(1, '1970-01-01', 'trace') AS first,
       id_time_near(1, '1970-07-14 04:20:16', 'trace') AS half, id_time_near(1, '1970-07-14 04:20:17', 'trace') AS above,
       id_time_near(1, '294276-12-31', 'trace') AS last;
-- Where time does not wrap, there is only one answer.
SELECT id_time_near(8388608, at) = id_time(8388608) FROM unnest('{1900-01-01, 2026-11-21, 294276-12-31}'::timestamptz[]) AS at;

-- Names work as arguments.
SELECT id_time(id => 8388608, layout => 'instagram'), id_time_near(id => 1, near => '2026-11-21', layout => 'trace');

-- Ticks shorter than a millisecond, and no whole number of them: times are exact to the microsecond.
SELECT unit, d.*, id_time(id_max(at, layout), layout) AS of_max, id_min(at, layout) = id_make(created_at, 0, 0, layout) AS is_lowest,
       id_time(id_min(at, layout) - 1, layout) AS before, id_time(id_from_uuid(id_to_uuid(id, layout), layout), layout) = created_at AS by_uuid
  FROM unnest('{1us, 3us, 10us, 100us, 125us, 1500us}'::text[]) AS unit,
       CAST(format('epoch=2020-01-01T00:00:00.001Z unit=%s time=48 shard=5 sequence=3', unit) AS id_layout) AS layout,
       CAST('2026-11-27 07:30:00.123457' AS timestamptz) AS at, id_make(at, 7, 3, layout) AS id, id_decode(id, layout) AS d;
-- Of a us the whole calendar from 1970 is a TID of the AT Protocol: 53 bits of us, 10 bits of a clock.
SELECT id_time(id, layout), id_shard(id, layout), id_sequence(id, layout)
  FROM (VALUES ('epoch=1970-01-01 unit=1us time=53 shard=10'::id_layout)) AS l (layout), id_make('2024-02-29 12:34:56.789012', 1023, NULL, layout) AS id;
