-- id_min and id_max: the IDs of an instant's tick, for ranges and partitions. And id_make.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

SELECT layout, id_min('2026-11-21 12:00:00.123Z', layout), id_max('2026-11-21 12:00:00.123Z', layout)
  FROM unnest('{instagram,sonyflake,mastodon,js53}'::id_layout[]) AS layout;
SELECT array_agg(name) FILTER (WHERE (
           id_min('2026-11-21 12:00:00.123Z', name::id_layout) = noon_lowest AND id_max('2026-11-21 12:00:00.123Z', name::id_layout) = noon_highest)
           IS NOT TRUE) AS wrong, count(*) = (SELECT count(*) FROM id_layouts() AS l, id_layout_info(l.name::id_layout) AS i WHERE NOT i.wraps) AS every_preset
  FROM preset WHERE NOT wraps;

-- Every ID of the tick lies between them, and no other.
SELECT array_agg(name) FILTER (WHERE (
           id_make('2026-11-21 12:00:00', 0, first_sequence::int, layout) = lowest
           AND id_make('2026-11-21 12:00:00', shards - 1, last_sequence::int, layout) = highest
           AND id_time(lowest, layout) = id_time(highest, layout)
           AND id_time(lowest - 1, layout) = '2026-11-21 12:00:00'::timestamptz - tick_ms * interval '1 ms'
           AND id_time(highest + 1, layout) = '2026-11-21 12:00:00'::timestamptz + tick_ms * interval '1 ms') IS NOT TRUE) AS wrong, count(*) > 9 AS several
  FROM preset, CAST(name AS id_layout) AS layout,
       id_min('2026-11-21 12:00:00', layout) AS lowest, id_max('2026-11-21 12:00:00', layout) AS highest
 WHERE NOT wraps;

-- An instant means the tick that contains it.
SELECT id_time(id_min('2026-11-21 12:00:00.123999')) AS ms, id_time(id_min('2026-11-21 12:00:00.129999', 'sonyflake'), 'sonyflake') AS ms10,
       id_time(id_min('2026-11-21 12:00:00.999999', 'js53'), 'js53') AS s,
       id_time(id_min('1999-12-31 23:59:59.999999', 'mastodon'), 'mastodon') AS before_2000;

-- The first tick and the last
SELECT array_agg(name) FILTER (WHERE (id_min(first_time, layout) = first_sequence AND id_max(last_time, layout) = p.largest_id) IS NOT TRUE) AS wrong,
       count(*) > 9 AS several
  FROM preset AS p, CAST(name AS id_layout) AS layout, id_layout_info(layout) WHERE NOT p.wraps;
SELECT id_min(NULL), id_max(NULL), id_min('2026-11-21', NULL), id_max('2026-11-21', NULL);

-- As bounds of a range scan, and of partitions
CREATE TABLE photo (id bigint PRIMARY KEY, title text) PARTITION BY RANGE (id);
SELECT format('CREATE TABLE photo_%s PARTITION OF photo FOR VALUES FROM (%s) TO (%s)', to_char(month, 'YYYY_MM'),
              id_min(month), id_min(month + '1 month'))
  FROM generate_series('2026-09-01'::timestamptz, '2026-11-01', '1 month') AS month \gexec
INSERT INTO photo
SELECT id_make(at, 5, 0), 'photo'
  FROM generate_series('2026-09-01'::timestamptz, '2026-11-30 23:59:59', '1 hour') AS at;
VACUUM ANALYZE photo;
SELECT tableoid::regclass, count(*), min(id_time(id)), max(id_time(id)) FROM photo GROUP BY 1 ORDER BY 1;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF)
SELECT count(*) FROM photo WHERE id BETWEEN id_min('2026-10-05') AND id_max('2026-10-05 23:59:59.999');
SELECT count(*) FROM photo WHERE id BETWEEN id_min('2026-10-05') AND id_max('2026-10-05 23:59:59.999');
SELECT count(*) FROM photo WHERE id >= id_min('2026-10-31') AND id < id_min('2026-11-02');
RESET enable_seqscan;
RESET enable_bitmapscan;
DROP TABLE photo;

-- id_make gives the ID with these parts.
SELECT id_make('2011-08-24 21:07:01.721Z', 0, 1), id_make('2011-08-24 21:07:01.721Z', 1, 0), id_make('2011-08-24 21:07:01.722Z', 0, 0),
       id_make('2046-06-27 17:00:49.496999', 8191, 1023);
SELECT id_make('2026-11-21', NULL, 5, 'mastodon') = id_make('2026-11-21', 0, 5, 'mastodon') AS no_shard,
       id_make('2026-11-21', 5, NULL, 'epoch=2020-01-01 unit=1ms time=41 shard=10') =
       id_make('2026-11-21', 5, 0, 'epoch=2020-01-01 unit=1ms time=41 shard=10') AS no_sequence;
SELECT id_make(created_at => '2026-11-21', shard => 5, sequence => 6, layout => 'snowflake') = id_make('2026-11-21', 5, 6, 'snowflake');
-- It needs no settings: what idgen.shards says is of no matter.
SET idgen.shards = '7';
SELECT id_shard(id_make('2026-11-21', 5, 6));
RESET idgen.shards;

-- Refused
\pset format unaligned
\pset tuples_only
SELECT refusals(VARIADIC array_agg(format(call, bound) ORDER BY call, bound DESC))
  FROM unnest(ARRAY[
      '%s(''2011-08-24 21:07:01.720999'')',
      '%s(''1900-01-01'', ''js53'')',
      '%s(''2046-06-27 17:00:49.497'')',
      '%s(''2188-11-16 03:28:58.88'', ''sonyflake'')',
      '%s(''294276-12-31 23:59:59.999999'', ''mastodon'')',
      '%s(''4714-11-24 00:00:00 BC'', ''mastodon'')',
      '%s(''infinity'')',
      '%s(''-infinity'')',
      '%s(''infinity'', ''trace'')',
      '%s(''2026-11-21'', ''trace'')',
      '%s(''2026-11-21'', ''epoch=2020-01-01 unit=1ms time=30w shard=5'')']) AS call,
       unnest('{id_min, id_max}'::text[]) AS bound;
\pset format aligned
\pset tuples_only off
