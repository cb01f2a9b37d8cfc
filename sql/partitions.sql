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
