-- What a layout can hold: id_layout_info agrees with what can be made, the first and the last ID and nothing beyond; and what
-- id_make puts together, the readers take apart.
BEGIN;
SELECT no_plan();
SET LOCAL TimeZone = 'UTC';

CREATE TEMP TABLE kind AS
SELECT layout, i.*, CASE WHEN i.long_form LIKE '%+1%' THEN 1 ELSE 0 END AS first_sequence
  FROM unnest((ARRAY(SELECT name FROM id_layouts()) || ARRAY[
                    'epoch=1999-12-31T23:59:59.999Z unit=7ms time=40 region=3 shard=5 sequence=9',
                    'epoch=2020-01-01 unit=1ms time=42 shard=12 sequence=10',
                    'epoch=1900-01-01 unit=1s time=20 sequence=20+1 shard=9',
                    'epoch=2020-01-01 unit=10ms time=22w sequence=6 shard=8'])::id_layout[]) AS layout,
       id_layout_info(layout) AS i;

SELECT is(id_make(last_time, shards - 1, first_sequence + ids_per_tick::int - 1, layout), largest_id, format('the last ID: %s', layout)) FROM kind;
SELECT is(id_time(largest_id, layout), last_time, format('its time: %s', layout)) FROM kind;
SELECT is(id_max(last_time, layout), largest_id, format('id_max: %s', layout)) FROM kind WHERE NOT wraps;
SELECT is(id_time(id_make(first_time, shards - 1, first_sequence + ids_per_tick::int - 1, layout), layout), first_time, format('the first tick: %s', layout)) FROM kind;
SELECT throws_ok(format('SELECT id_make(%L::timestamptz + %L::interval, 0, %s, %L)', last_time, tick, first_sequence, layout), '22003', NULL,
                 format('a tick after the end: %s', layout))
  FROM kind WHERE NOT wraps;
SELECT lives_ok(format('SELECT id_make(%L::timestamptz + %L::interval - interval ''1 microsecond'', 0, %s, %L)', last_time, tick, first_sequence, layout),
                format('within the last tick: %s', layout))
  FROM kind WHERE NOT wraps;
SELECT throws_ok(format('SELECT id_make(%L::timestamptz - interval ''1 microsecond'', 0, %s, %L)', first_time, first_sequence, layout), '22003', NULL,
                 format('before the epoch: %s', layout))
  FROM kind;
SELECT is(id_make(last_time + tick, 1 % shards, 7, layout), id_make(first_time, 1 % shards, 7, layout), format('after the last tick comes tick 0: %s', layout))
  FROM kind WHERE wraps;
SELECT throws_ok(format('SELECT id_make(%L, %s, %s, %L)', last_time, shards, first_sequence, layout), '22003', NULL, format('a shard too many: %s', layout)) FROM kind;
SELECT throws_ok(format('SELECT id_make(%L, 0, %s, %L)', last_time, first_sequence + ids_per_tick, layout), '22003', NULL, format('a sequence too many: %s', layout)) FROM kind;
SELECT throws_ok(format('SELECT id_make(%L, 0, %s, %L)', last_time, first_sequence - 1, layout), '22003', NULL, format('a sequence below the first: %s', layout)) FROM kind;
SELECT throws_ok(format('SELECT next_id(%s, %L)', shards, layout), '22003', NULL, format('next_id, a shard too many: %s', layout)) FROM kind;
SELECT is(id_time(largest_id + 1, layout), NULL, format('no ID above the last: %s', layout)) FROM kind WHERE largest_id < 9223372036854775807;
SELECT is(fits_js, largest_id < 9007199254740992, format('fits_js: %s', layout)) FROM kind;
SELECT is(ids_per_second, (ids_per_tick * (1 / extract(epoch FROM tick)))::bigint, format('ids_per_second: %s', layout)) FROM kind WHERE 1000 % (extract(epoch FROM tick) * 1000) = 0;
SELECT is(long_form::id_layout, layout, format('long form: %s', layout)) FROM kind;
SELECT ok(layout::text = long_form OR layout::text !~ '=', format('text is a name or the long form: %s', layout)) FROM kind;

-- IDs of js53 are exact as a JSON number.
SET LOCAL idgen.shards = '0-255';
SELECT is(count(*) FILTER (WHERE id >= 9007199254740992 OR id::float8::bigint <> id), 0::bigint, 'js53 IDs are below 2^53')
  FROM next_ids(20000, layout => 'js53') AS id;

-- Negative numbers are read as null, in every layout.
SELECT is(count(*), 0::bigint, 'negative numbers are no IDs')
  FROM kind, unnest('{-1, -2, -8388608, -9223372036854775808}'::bigint[]) AS id, id_decode(id, layout) AS d
 WHERE id_time(id, layout) IS NOT NULL OR id_shard(id, layout) IS NOT NULL OR id_region(id, layout) IS NOT NULL
    OR id_sequence(id, layout) IS NOT NULL OR id_time_near(id, '2026-11-21', layout) IS NOT NULL OR NOT d IS NULL;

-- The region is the upper part of the shard.
SELECT is(count(*) FILTER (WHERE id_region(id, layout) <> id_shard(id, layout) >> 5), 0::bigint, format('region: %s', layout))
  FROM unnest('{twitter, discord}'::id_layout[]) AS layout, generate_series(0, 1023) AS shard, id_make('2026-11-21', shard, 7, layout) AS id
 GROUP BY layout;
DROP TABLE kind;

-- The round trip: random times, shards and sequences in every layout.
SELECT setseed(0.5);

CREATE TEMP TABLE kind AS
SELECT layout, i.*, extract(epoch FROM i.tick) AS unit, CASE WHEN i.long_form LIKE '%+1%' THEN 1 ELSE 0 END AS first_sequence,
       i.one_node AS no_shard, i.ids_per_tick = 1 AS no_sequence
  FROM unnest((ARRAY(SELECT name FROM id_layouts()) || ARRAY[
                    'epoch=2011-08-24T21:07:01.721Z unit=1ms time=41 shard=13 sequence=10+1',
                    'epoch=1999-12-31T23:59:59.999Z unit=7ms time=40 region=3 shard=5 sequence=9',
                    'epoch=1900-01-01 unit=1s time=32 sequence=20+1 region=1 shard=9',
                    'epoch=0001-01-01 unit=10ms time=43 shard=10',
                    'epoch=2020-01-01 unit=1ms time=42 shard=12 sequence=10',
                    'epoch=2020-01-01 unit=1ms time=41 sequence=22',
                    'epoch=2020-01-01 unit=999ms time=40',
                    'epoch=2020-01-01 unit=1ms time=1 shard=31 sequence=31',
                    'epoch=2020-01-01 unit=3ms time=24w sequence=6 shard=8'])::id_layout[]) AS layout,
       id_layout_info(layout) AS i;
-- Random parts; for a wrapping layout from its first 200 turns. `start` is the start of the tick, in exact arithmetic.
CREATE TEMP TABLE part AS
SELECT k.layout, k.no_shard, k.no_sequence, k.wraps, k.unit, k.first_time, k.last_time, at, shard, sequence,
       extract(epoch FROM first_time) + div(extract(epoch FROM at) - extract(epoch FROM first_time), unit) * unit AS start
  FROM kind AS k, generate_series(1, 3300) AS n,
       LATERAL (SELECT least(first_time + (last_time - first_time) * (random() + n * 0) * CASE WHEN wraps THEN 200 ELSE 1 END,
                             CASE WHEN wraps THEN 'infinity' ELSE last_time END) AS at,
                       floor(random() * shards)::bigint + n * 0 AS shard,
                       (first_sequence + floor(random() * ids_per_tick) + n * 0)::int AS sequence) AS r;
-- The edges too
INSERT INTO part
SELECT layout, no_shard, no_sequence, wraps, unit, first_time, last_time, at, shard, sequence, extract(epoch FROM at)
  FROM kind, unnest(ARRAY[first_time + tick, last_time]) AS at, unnest(ARRAY[0, shards - 1]) AS shard,
       unnest(ARRAY[first_sequence, (first_sequence + ids_per_tick - 1)::int]) AS sequence;
CREATE TEMP TABLE made AS SELECT *, id_make(at, shard, sequence, layout) AS id FROM part;
ANALYZE made;

SELECT is(count(*) FILTER (WHERE id <= 0), 0::bigint, format('positive: %s', layout)) FROM made GROUP BY layout ORDER BY layout::text;

SELECT is(count(*) FILTER (WHERE NOT (decoded.shard IS NOT DISTINCT FROM CASE WHEN no_shard THEN NULL ELSE m.shard END
                                      AND decoded.sequence IS NOT DISTINCT FROM CASE WHEN no_sequence THEN NULL ELSE m.sequence END
                                      AND (wraps OR extract(epoch FROM decoded.created_at) = start))),
          0::bigint, format('id_decode: %s', layout))
  FROM made AS m, id_decode(id, layout) AS decoded GROUP BY layout ORDER BY layout::text;

SELECT is(count(*) FILTER (WHERE (id_time(id, layout), id_shard(id, layout), id_sequence(id, layout))
                                 IS DISTINCT FROM (decoded.created_at, decoded.shard, decoded.sequence)),
          0::bigint, format('the readers agree with id_decode: %s', layout))
  FROM made, id_decode(id, layout) AS decoded GROUP BY layout ORDER BY layout::text;

SELECT is(count(*) FILTER (WHERE id_make(decoded.created_at, decoded.shard, decoded.sequence, layout) <> id), 0::bigint,
          format('id_make of what id_decode gives: %s', layout))
  FROM made, id_decode(id, layout) AS decoded WHERE NOT wraps GROUP BY layout ORDER BY layout::text;

SELECT is(count(*) FILTER (WHERE extract(epoch FROM id_time_near(id, at, layout)) <> start), 0::bigint,
          format('id_time_near gives the time back: %s', layout))
  FROM made GROUP BY layout ORDER BY layout::text;

SELECT is(count(*) FILTER (WHERE id_time(id, layout) NOT BETWEEN first_time AND last_time), 0::bigint,
          format('id_time lies in the first turn: %s', layout))
  FROM made WHERE wraps GROUP BY layout ORDER BY layout::text;

-- Anywhere within half a turn of the time, the turn is the same; the first turn is the lowest.
SELECT is(count(*) FILTER (WHERE extract(epoch FROM id_time_near(id, greatest(at + (last_time - first_time) * (random() - 0.5) * 0.999, first_time), layout)) <> start),
          0::bigint, format('within half a turn: %s', layout))
  FROM made WHERE wraps AND at < first_time + (last_time - first_time) * 199 GROUP BY layout ORDER BY layout::text;

-- IDs sort by time, whatever shard and sequence.
SELECT is(count(*) FILTER (WHERE wrong), 0::bigint, format('sorted by time: %s', layout))
  FROM (SELECT layout, start < lag(start) OVER (PARTITION BY layout::text ORDER BY id) AS wrong FROM made WHERE NOT wraps) AS steps
 GROUP BY layout ORDER BY layout::text;

-- Another ID for other parts
SELECT is(count(DISTINCT id), count(DISTINCT (start, CASE WHEN no_shard THEN 0 ELSE shard END, sequence)), format('distinct: %s', layout::text))
  FROM made WHERE NOT wraps GROUP BY layout::text ORDER BY layout::text;

-- A shard that the layout has no field for may be given as 0 or null; it reads as null.
SELECT is(id_make(at, NULL, sequence, layout), id, 'no shard field: null is 0') FROM made WHERE layout = 'mastodon' LIMIT 5;

SELECT * FROM finish();
ROLLBACK;
