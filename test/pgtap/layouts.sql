-- id_layout_info agrees with what can be made: the first and the last ID, and nothing beyond.
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

SELECT * FROM finish();
ROLLBACK;
