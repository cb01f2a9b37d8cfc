-- id_partition_bounds covers its time without gap or overlap, in every zone and across every change of clocks.
BEGIN;
SELECT no_plan();
SET LOCAL TimeZone = 'UTC';
SELECT setseed(0.375);

CREATE TEMP TABLE bounds AS
SELECT zone, step, at AS "from", at + long AS "to", b.*, row_number() OVER (PARTITION BY zone, step ORDER BY b.lower) AS n
  FROM unnest('{UTC, Europe/Berlin, America/New_York, America/Sao_Paulo, America/Havana, Australia/Lord_Howe, Pacific/Apia, Asia/Beirut, Asia/Tehran, Africa/Casablanca}'::text[]) AS zone,
       (VALUES ('1 year'::interval, '12 years'::interval), ('3 months', '12 years'), ('1 month', '12 years'), ('7 days', '8 years'),
               ('1 day', '8 years'), ('10 days', '8 years'), ('12 hours', '4 years'), ('1 hour', '9 months'), ('15 minutes', '2 months')) AS s (step, long),
       LATERAL (SELECT '2012-01-01'::timestamptz + random() * interval '300 days' + length(zone) * interval '0 s' AS at) AS l,
       id_partition_bounds(at, at + long, step, zone) AS b;

SELECT is(count(*) FILTER (WHERE lower >= upper OR lower <> before), 0::bigint, format('one touches the next: %s', zone))
  FROM (SELECT zone, lower, upper, lag(upper) OVER (PARTITION BY zone, step ORDER BY n) AS before FROM bounds) AS b GROUP BY zone ORDER BY zone;
SELECT is(count(*), count(DISTINCT (step, suffix)), format('no name is given twice: %s', zone)) FROM bounds GROUP BY zone ORDER BY zone;
SELECT ok(id_time(min(lower)) <= "from" AND id_time(max(upper)) >= "to" AND id_time(max(lower)) < "to" AND id_time(min(upper)) > "from",
          format('all of the time and no more: %s by %s', zone, step))
  FROM bounds GROUP BY zone, step, "from", "to" ORDER BY zone, step;
-- Each begins as PostgreSQL reads the local time of its name, unless the clocks skipped that.
SELECT is(count(*) FILTER (WHERE id_time(lower) <> local AT TIME ZONE zone AND (local AT TIME ZONE zone) AT TIME ZONE zone = local), 0::bigint,
          format('begins as it is called: %s', zone))
  FROM bounds, to_timestamp(rpad(replace(suffix, '_', ''), 12, '000001010000'), 'YYYYMMDDHH24MI') AS utc,
       LATERAL (SELECT CASE length(suffix) WHEN 4 THEN make_timestamp(suffix::int, 1, 1, 0, 0, 0)
                                           WHEN 7 THEN to_timestamp(suffix, 'YYYY_MM') AT TIME ZONE 'UTC'
                                           ELSE utc AT TIME ZONE 'UTC' END AS local) AS l
 GROUP BY zone ORDER BY zone;
-- Who asks again from another instant gets the same partitions.
SELECT is_empty(format('SELECT suffix, lower, upper FROM bounds WHERE zone = %L AND step = %L AND n BETWEEN 5 AND 60 AND "to" > id_time(upper)
                        EXCEPT SELECT b.* FROM (SELECT id_time(min(lower)) + interval ''1 s'' AS at, id_time(max(upper)) - interval ''1 s'' AS until FROM bounds
                                                 WHERE zone = %1$L AND step = %2$L AND n BETWEEN 5 AND 60) AS l, id_partition_bounds(at, until, %2$L, %1$L) AS b',
                       zone, step), format('the same again: %s by %s', zone, step))
  FROM (SELECT DISTINCT zone, step FROM bounds) AS asked ORDER BY zone, step;
-- And a time is in the partition that the calendar names.
SELECT is(count(*) FILTER (WHERE suffix <> to_char(at AT TIME ZONE zone, 'YYYY_MM')), 0::bigint, format('months: %s', zone))
  FROM bounds, generate_series(1, 20), LATERAL (SELECT id_time(lower + floor(random() * (upper - lower))::bigint) AS at) AS l
 WHERE step = '1 month' GROUP BY zone ORDER BY zone;

SELECT * FROM finish();
ROLLBACK;
