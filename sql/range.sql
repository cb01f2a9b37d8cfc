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

-- id_partition_bounds: whole periods of a calendar in a time zone, as ranges of IDs.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

SELECT * FROM id_partition_bounds('2026-11-05', '2027-02-01', '1 month');
SELECT suffix, id_time(lower) FROM id_partition_bounds('2026-11-21', '2026-11-22', '6 hours');

-- The grid is fixed: it does not depend on where one begins.
SELECT step, suffix, id_time(lower) AS start, id_time(upper) AS end
  FROM unnest('{1 year, 3 months, 1 month, 7 days, 1 day, 24 hours, 12 hours, 1 hour, 15 minutes, 10 years, 10 days}'::interval[]) AS step,
       id_partition_bounds('2026-11-21 12:20', '2026-11-21 12:20:00.000001', step);
-- One touches the next; an instant that is a bound begins a period, and ends one.
SELECT suffix, lower = lag(upper) OVER (ORDER BY lower) AS touches FROM id_partition_bounds('2026-11-01', '2027-02-01', '1 month');

-- The bounds are those of the period in every layout, also where midnight lies within a tick.
SELECT array_agg(layout) FILTER (WHERE (
           suffix = '2026_11_21' AND lower = id_within_first(period, layout) AND upper - 1 = id_within_last(period, layout)) IS NOT TRUE) AS wrong, count(*) > 10 AS several
  FROM (SELECT name::id_layout FROM preset WHERE NOT wraps UNION ALL VALUES ('epoch=1999-12-31T23:59:59.999Z unit=7ms time=40 shard=5'::id_layout)) AS l (layout),
       id_partition_bounds('2026-11-21', '2026-11-22', '1 day', layout => layout),
       tstzrange('2026-11-21', '2026-11-22') AS period;

-- Time zones: the session's by default, any by name. Days of 23, 24 and 25 hours, hours twice or not at all.
SET TimeZone = 'Europe/Berlin';
SELECT suffix, id_time(lower) AS start, id_time(upper) - id_time(lower) AS long FROM id_partition_bounds('2023-10-28', '2023-10-31', '1 day');
SELECT suffix, id_time(lower) AS start, id_time(upper) - id_time(lower) AS long FROM id_partition_bounds('2023-10-28', '2023-10-31', '1 day', 'UTC');
SELECT suffix, id_time(lower) AS start, id_time(upper) - id_time(lower) AS long FROM id_partition_bounds('2023-10-01', '2023-10-02', '1 month');
SET TimeZone = 'UTC';
SELECT zone, suffix, id_time(lower) AS start, id_time(upper) - id_time(lower) AS long
  FROM (VALUES ('Europe/Berlin', '2023-03-25 23:00Z'::timestamptz, '2023-03-26 03:00Z'::timestamptz, '1 hour'::interval),
               ('Europe/Berlin', '2023-03-26 00:00Z', '2023-03-26 02:00Z', '30 minutes'),
               ('Europe/Berlin', '2023-03-26 00:45Z', '2023-03-26 01:15Z', '30 minutes'),
               ('Europe/Berlin', '2023-10-28 23:00Z', '2023-10-29 03:00Z', '1 hour'),
               ('America/Sao_Paulo', '2018-11-03 12:00Z', '2018-11-05 12:00Z', '1 day'),
               ('America/Havana', '2023-11-04 12:00Z', '2023-11-06 12:00Z', '1 day'),
               ('America/Havana', '2023-11-05 04:30Z', '2023-11-05 04:45Z', '1 day'),
               ('Pacific/Apia', '2011-12-29 12:00Z', '2011-12-31 12:00Z', '1 day'),
               ('Asia/Kathmandu', '2026-11-21 12:00Z', '2026-11-21 13:00Z', '1 hour'),
               ('+03:30', '2026-11-21 12:00Z', '2026-11-21 13:00Z', '1 day'),
               ('CET', '2026-11-21 12:00Z', '2026-11-21 13:00Z', '1 day')) AS v (zone, at, until, step),
       id_partition_bounds(at, until, step, zone);

-- The first periods of a layout, and the last ones
SELECT suffix, lower, id_time(upper) FROM id_partition_bounds('2011-08-24 21:07:01.721Z', '2011-09-01', '1 month');
SELECT suffix, id_time(lower), upper FROM id_partition_bounds('2046-06-26', '2046-06-27', '1 day');
SELECT suffix FROM id_partition_bounds('0001-01-01', '0001-01-02', '1 month', 'America/Lima', 'epoch=0001-01-01 unit=1ms time=40');
SELECT suffix FROM id_partition_bounds('12000-01-01', '12000-01-02', '1 day', 'UTC', 'epoch=1970-01-01 unit=1ms time=50');
SELECT count(*) FROM id_partition_bounds('2000-01-01', '2027-05-19', '1 day', layout => 'mastodon');
SELECT count(*) FROM id_partition_bounds('2026-11-21', '2026-11-22', NULL);
SELECT count(*) FROM id_partition_bounds("from" => '2026-01-01', "to" => '2027-01-01', step => '1 week', time_zone => 'UTC', layout => 'js53');

-- Refused
\pset format unaligned
\pset tuples_only
SELECT refusals(VARIADIC array_agg(format('id_partition_bounds(%s)', arguments) ORDER BY n))
  FROM unnest(ARRAY[
      '''2026-11-21'', ''2026-11-22'', ''0''',
      '''2026-11-21'', ''2026-11-22'', ''-1 day''',
      '''2026-11-21'', ''2026-11-22'', ''1 month -1 day''',
      '''2026-11-21'', ''2026-11-22'', ''1 month 1 day''',
      '''2026-11-21'', ''2026-11-22'', ''1 day 1 hour''',
      '''2026-11-21'', ''2026-11-22'', ''7 hours''',
      '''2026-11-21'', ''2026-11-22'', ''36 hours''',
      '''2026-11-21'', ''2026-11-22'', ''90 seconds''',
      '''2026-11-21'', ''2026-11-22'', ''1 microsecond''',
      '''2026-11-21'', ''2026-11-22'', ''1001 years''',
      '''2026-11-21'', ''2026-11-22'', ''2000000000 days''',
      '''2026-11-22'', ''2026-11-22'', ''1 day''',
      '''2026-11-22'', ''2026-11-21'', ''1 day''',
      '''-infinity'', ''2026-11-21'', ''1 day''',
      '''2026-11-21'', ''infinity'', ''1 day''',
      '''2011-08-24'', ''2026-11-21'', ''1 day''',
      '''2026-11-21'', ''2046-06-28'', ''1 day''',
      '''2046-06-26'', ''2046-06-27 12:00'', ''1 day''',
      '''2000-01-01'', ''2027-05-19 00:00:01'', ''1 day'', ''UTC'', ''mastodon''',
      '''2012-01-01'', ''2046-01-01'', ''1 minute''',
      '''2026-11-21'', ''2026-11-22'', ''1 day'', ''Nowhere/Land''',
      '''2026-11-21'', ''2026-11-22'', ''1 day'', ''UTC'', ''trace''']) WITH ORDINALITY AS a (arguments, n);
\pset format aligned
\pset tuples_only off

-- id_within: the rows of a period, by comparisons of the ID that every index and every pruning knows.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

-- An ID's time is the start of its tick: that instant lies in the period, or not.
SELECT period, id_within(id_make('2026-11-21 12:00', 5, 6), period), id_within(id_make('2026-11-21 12:00', 5, 6, 'js53'), period, 'js53') AS js53,
       id_within_last(period) - id_within_first(period) + 1 AS numbers
  FROM unnest('{"[2026-11-21 12:00:00, 2026-11-21 12:00:00.001)", "(2026-11-21 12:00:00, 2026-11-21 12:00:00.001)",
                "(2026-11-21 12:00:00, 2026-11-21 12:00:00.001]", "[2026-11-21 12:00, 2026-11-21 12:00]",
                "[2026-11-21 11:59:59.999, 2026-11-21 12:00)", "(2026-11-21 11:59:59.999, 2026-11-21 12:00]",
                "[2026-11-21 12:00:00.0005, 2026-11-21 12:00:00.0015]", "[2026-11-21 12:00:00.0001, 2026-11-21 12:00:00.0009]",
                "[2026-11-21 11:59:59.999999, 2026-11-21 12:00:00.000001]", empty}'::tstzrange[]) AS period;
SELECT period, id_within_first(period) AS first, id_within_last(period) AS last, id_within_first(period, 'js53') AS first_js53, id_within_last(period, 'js53') AS last_js53
  FROM unnest('{"(,)", "(-infinity, infinity)", "[-infinity, infinity]", "(,infinity)", "[2011-08-24 21:07:01.721, 2011-08-24 21:07:01.722)",
                "(,2011-08-24 21:07:01.721)", "(,2011-08-24 21:07:01.721]", "[1900-01-01, 1910-01-01]", "[4714-11-24 BC, 2020-01-01 00:00:01]",
                "[2046-06-27 17:00:49.496,)", "(2046-06-27 17:00:49.496,)", "[3000-01-01, 3001-01-01)", "[294276-12-31 23:59:59.999999,)",
                "[infinity, infinity]", "[infinity,)", "[-infinity, -infinity]", "(,-infinity]"}'::tstzrange[]) AS period;
-- A number that the layout cannot have made lies in no period; null where something is null.
SELECT id, id_within(id, '(,)') AS within, id_within(id, '(,)', 'js53') AS js53, NOT id_within(id, '(,)', 'js53') AS not_js53
  FROM unnest('{-9223372036854775808, -1, 0, 1, 9007199254740991, 9007199254740992, 9223372036854775807, NULL}'::bigint[]) AS id;
SELECT id_within(5, NULL), id_within(5, '(,)', NULL), id_within(NULL, '(,)', 'trace'), id_within_first(NULL), id_within_last('(,)', NULL);

CREATE TABLE photo (id bigint PRIMARY KEY, title text);
INSERT INTO photo
SELECT id_make(at, 5, 0), 'photo' FROM generate_series('2026-09-01'::timestamptz, '2026-11-30 23:59:59', '10 minutes') AS at;
VACUUM ANALYZE photo;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET max_parallel_workers_per_gather = 0;

-- Constants, and what becomes one
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo WHERE id_within(id, '[2026-10-05, 2026-10-06)');
SELECT count(*) FROM photo WHERE id_within(id, '[2026-10-05, 2026-10-06)');
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo WHERE id_within(id, tstzrange('2026-10-05', NULL));
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo WHERE id_within(id, 'empty');
SELECT plan_of($$SELECT count(*) FROM photo WHERE id_within(id, NULL)$$);
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo WHERE NOT id_within(id, '[2026-10-05, 2026-10-06)') AND id < 5;

-- Known when the statement runs: a parameter, the clock, another row
SET plan_cache_mode = force_generic_plan;
PREPARE within(tstzrange, id_layout) AS SELECT count(*) FROM photo WHERE id_within(id, $1, $2);
EXPLAIN (COSTS OFF) EXECUTE within('[2026-10-05, 2026-10-06)', 'instagram');
EXECUTE within('[2026-10-05, 2026-10-06)', 'instagram');
EXECUTE within('[2026-10-05, 2026-10-06)', 'snowflake');
EXECUTE within(NULL, 'instagram');
EXECUTE within('(,)', 'trace');
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo WHERE id_within(id, tstzrange(now(), NULL));
CREATE TABLE event (what text, during tstzrange);
INSERT INTO event VALUES ('a day', '[2026-10-05, 2026-10-06)'), ('an hour', '[2026-11-21 12:00, 2026-11-21 13:00)'), ('nothing', 'empty'), ('unknown', NULL);
EXPLAIN (COSTS OFF) SELECT id FROM unnest('{"[2026-10-05, 2026-10-06)"}'::tstzrange[]) AS during LEFT JOIN photo ON id_within(id, during);
SELECT what, count(id) FROM event LEFT JOIN photo ON id_within(id, during) GROUP BY what ORDER BY what;

-- A volatile period may not be written twice, nor be asked of an index.
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo WHERE id_within(id, tstzrange(clock_timestamp(), NULL));

-- Below a security barrier, for comparisons leak nothing
CREATE VIEW guarded WITH (security_barrier) AS SELECT * FROM photo WHERE title <> 'secret';
EXPLAIN (COSTS OFF) SELECT * FROM guarded WHERE id_within(id, '[2026-10-05, 2026-10-06)');

ALTER TABLE photo DROP CONSTRAINT photo_pkey;

-- A partial index, made with one period and used for a narrower one
CREATE INDEX october ON photo (title, id) WHERE id_within(id, '[2026-10-01, 2026-11-01)');
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo WHERE id_within(id, '[2026-10-05, 2026-10-06)');
DROP INDEX october;

-- BRIN
CREATE INDEX photo_brin ON photo USING brin (id) WITH (pages_per_range = 4);
SET enable_bitmapscan = on;
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo WHERE id_within(id, '[2026-10-05, 2026-10-06)');
SELECT count(*) FROM photo WHERE id_within(id, '[2026-10-05, 2026-10-06)');
EXPLAIN (COSTS OFF) EXECUTE within('[2026-10-05, 2026-10-06)', 'instagram');
EXECUTE within('[2026-10-05, 2026-10-06)', 'instagram');
DEALLOCATE within;
DROP VIEW guarded;
DROP TABLE photo;
RESET enable_seqscan;

-- Exclusion by a constraint
CREATE TABLE archive (id bigint CHECK (id_within(id, '[2026-10-01, 2026-11-01)')));
SET constraint_exclusion = on;
SELECT plan_of($$SELECT * FROM archive WHERE id_within(id, '[2026-11-21, 2026-11-22)')$$);
EXPLAIN (COSTS OFF) SELECT * FROM archive WHERE id_within(id, '[2026-10-31, 2026-11-22)');
RESET constraint_exclusion;
INSERT INTO archive SELECT id_min('2026-10-31 23:59:59.999');
INSERT INTO archive SELECT id_min('2026-11-01');
DROP TABLE archive;

-- Partitions: pruned when planning, when starting, and for each row of another table.
CREATE TABLE photo (id bigint PRIMARY KEY, title text) PARTITION BY RANGE (id);
SELECT format('CREATE TABLE photo_%s PARTITION OF photo FOR VALUES FROM (%s) TO (%s)', suffix, lower, upper)
  FROM id_partition_bounds('2026-09-01', '2026-12-01', '1 month') \gexec
INSERT INTO photo
SELECT id_make(at, 5, 0), 'photo' FROM generate_series('2026-09-01'::timestamptz, '2026-11-30 23:59:59', '1 hour') AS at;
VACUUM ANALYZE photo;
SELECT tableoid::regclass, count(*), min(id_time(id)), max(id_time(id)) FROM photo GROUP BY 1 ORDER BY 1;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo WHERE id_within(id, '[2026-10-01, 2026-11-01)');
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo WHERE id_within(id, '[2026-10-05, 2026-11-02)');
SELECT plan_of($$SELECT count(*) FROM photo WHERE id_within(id, '[2027-01-01, 2027-02-01)')$$);
PREPARE within(tstzrange) AS SELECT count(*) FROM photo WHERE id_within(id, $1);
EXPLAIN (COSTS OFF) EXECUTE within('[2026-10-01, 2026-11-01)');
EXECUTE within('[2026-10-01, 2026-11-01)');
EXECUTE within('[2026-10-31 23:00, 2026-11-01]');
CREATE FUNCTION scanned(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
        IF line ~ ' on photo_|Subplans' THEN
            RETURN NEXT regexp_replace(line, '^[ >-]*|\(actual.*loops=\d+\)', '', 'g');
        END IF;
    END LOOP;
END
$$;
SELECT scanned($$SELECT count(*) FROM photo WHERE id_within(id, tstzrange('2026-10-05'::timestamptz - interval '1 day', '2026-10-06'::timestamptz - interval '1 day'))$$);
SELECT scanned($$SELECT * FROM event JOIN photo ON id_within(id, during) WHERE what = 'a day'$$);
DROP FUNCTION scanned;
DEALLOCATE within;
DROP TABLE photo, event;
RESET enable_seqscan;
RESET enable_bitmapscan;
RESET plan_cache_mode;
RESET max_parallel_workers_per_gather;

-- Refused
\pset format unaligned
\pset tuples_only
SELECT refusals('id_within(5, ''(,)'', ''trace'')',
                'id_within(-5, ''empty'', ''epoch=2020-01-01 unit=1ms time=30w shard=5'')',
                'id_within_first(''(,)'', ''trace'')', 'id_within_last(''(,)'', ''trace'')');
\pset format aligned
\pset tuples_only off

-- Ticks shorter than a millisecond: a period's bounds are exact to the microsecond, those within a tick, too.
SELECT unit, period, count(*) FILTER (WHERE id_within(id, period, layout)) AS within,
       count(*) FILTER (WHERE id_within(id, period, layout) <> (id_time(id, layout) <@ period)) AS wrong
  FROM unnest('{1us, 10us, 1500us}'::text[]) AS unit, CAST(format('epoch=2020-01-01 unit=%s time=48 shard=5 sequence=3', unit) AS id_layout) AS layout,
       unnest(ARRAY['[2026-11-27 07:30:00.000010, 2026-11-27 07:30:00.003)', '(2026-11-27 07:30:00.000010, 2026-11-27 07:30:00.003]', '[2026-11-27 07:30:00.000011, 2026-11-27 07:30:00.000019]']::tstzrange[]) AS period,
       generate_series(0, 4000) AS us, id_make(timestamptz '2026-11-27 07:30' + us * interval '1 us', 5, 1, layout) AS id
 GROUP BY unit, period ORDER BY unit, period;
