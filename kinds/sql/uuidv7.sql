-- UUIDs of version 7.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
\pset null '(null)'

-- A new one: version, variant, the time of now
SELECT pg_typeof(u), uuid_version_number(u), substr(u::text, 15, 1) AS version, substr(u::text, 20, 1) IN ('8', '9', 'a', 'b') AS variant,
       abs(extract(epoch FROM uuid_time(u) - clock_timestamp())) < 10 AS this_instant
  FROM (SELECT next_uuidv7() AS u) AS new;
-- Each is larger than the one before.
SELECT count(*), count(DISTINCT u), bool_and(u > before) AS rising
  FROM (SELECT u, lag(u) OVER (ORDER BY n) AS before FROM (SELECT n, next_uuidv7() AS u FROM generate_series(1, 20000) AS n OFFSET 0) AS made) AS pairs;
-- The fraction is that of the clock: it lies between two readings, but for what was made just before. A unit is 244 ns.
CREATE FUNCTION uuid_us(uuid) RETURNS numeric LANGUAGE sql AS $$
    SELECT extract(epoch FROM uuid_time($1)) * 1000000 + ('x' || substr($1::text, 16, 3))::bit(12)::int * 1000000.0 / 4096 / 1000
$$;
SELECT count(*) FILTER (WHERE uuid_us(u) < extract(epoch FROM before) * 1000000 - 1) AS too_early,
       count(*) FILTER (WHERE uuid_us(u) > extract(epoch FROM after) * 1000000 + 1) AS too_late
  FROM (SELECT clock_timestamp() AS before, next_uuidv7() AS u, clock_timestamp() AS after, pg_sleep(0.0001) FROM generate_series(1, 1000) OFFSET 0) AS made;
-- The 62 bits below are random: each is set in about half of them.
SELECT count(*) AS bits, min(ones) > 4500 AND max(ones) < 5500 AS half_of_them
  FROM (SELECT n, sum(get_bit(uuid_send(u), n)) AS ones
          FROM (SELECT next_uuidv7() AS u FROM generate_series(1, 10000) OFFSET 0) AS made, generate_series(64, 127) AS n
         WHERE n NOT IN (70, 71) GROUP BY n) AS counts;

-- Bounds: of the millisecond, inclusive
SELECT uuidv7_min('2026-11-21 12:00:00.1239Z'), uuidv7_max('2026-11-21 12:00:00.1239Z'), uuidv7_min(at => '1970-01-01Z'), uuidv7_max('10889-08-02 05:31:50.655999Z');
SELECT bool_and(u BETWEEN uuidv7_min(uuid_time(u)) AND uuidv7_max(uuid_time(u))) AS within,
       bool_and(u < uuidv7_min(uuid_time(u) + interval '1 ms') AND u > uuidv7_max(uuid_time(u) - interval '1 ms')) AS not_beside
  FROM (SELECT next_uuidv7() AS u FROM generate_series(1, 1000)) AS made;
CREATE TABLE by_uuid (id uuid PRIMARY KEY DEFAULT next_uuidv7(), n int);
INSERT INTO by_uuid (n) SELECT generate_series(1, 100);
SELECT count(*), array_agg(n ORDER BY id) = array_agg(n ORDER BY n) AS in_order
  FROM by_uuid WHERE id BETWEEN uuidv7_min(now() - interval '1 min') AND uuidv7_max(now() + interval '1 min');
DROP TABLE by_uuid;
-- One of a given time: its bounds, the fraction of its microsecond, 62 random bits
SELECT count(DISTINCT u), bool_and(uuid_version_number(u) = 7), bool_and(u BETWEEN uuidv7_min(at) AND uuidv7_max(at)) AS within,
       min(uuid_us(u) - extract(epoch FROM at) * 1000000) BETWEEN -0.25 AND 0 AS fraction, bool_and(uuid_send(u) BETWEEN uuid_send(uuidv7_min(at)) AND uuid_send(uuidv7_max(at))) AS variant
  FROM (SELECT at, uuidv7_make(at) AS u FROM generate_series('2015-06-01 12:00:00.000001Z'::timestamptz, '2015-06-01 12:00:00.002Z', '1 us') AS at, generate_series(1, 5)) AS made;
SELECT bool_and(u > before) AS later_is_larger
  FROM (SELECT u, lag(u) OVER (ORDER BY at) AS before
          FROM (SELECT at, uuidv7_make(at) AS u FROM generate_series('2015-06-01 12:00Z'::timestamptz, '2015-06-01 12:00:01Z', '997 us') AS at) AS made) AS pairs;
SELECT min(ones) > 4500 AND max(ones) < 5500 AS half_of_them
  FROM (SELECT n, sum(get_bit(uuid_send(u), n)) AS ones
          FROM (SELECT uuidv7_make('2015-06-01Z') AS u FROM generate_series(1, 10000) OFFSET 0) AS made, generate_series(64, 127) AS n
         WHERE n NOT IN (70, 71) GROUP BY n) AS counts;
SELECT substr(uuidv7_make('1970-01-01Z')::text, 1, 20) ~ '^00000000-0000-7000-[89ab]' AS first, substr(uuidv7_make('10889-08-02 05:31:50.655999Z')::text, 1, 18) AS last;
SELECT uuid_time(NULL), uuid_version_number(NULL), uuidv7_min(NULL), uuidv7_max(NULL);

-- Refused: SQLSTATE, message, DETAIL, HINT
\pset format unaligned
\pset tuples_only
SELECT refusals($$uuidv7_min('1969-12-31 23:59:59.999999Z')$$, $$uuidv7_max('1900-01-01Z')$$, $$uuidv7_min('10889-08-02 05:31:50.656Z')$$,
                $$uuidv7_min('infinity')$$, $$uuidv7_make('1969-12-31 23:59:59.999999Z')$$, $$uuidv7_make('infinity')$$, $$uuidv7_make(NULL)$$, $$uuidv7_max('-infinity')$$);
\pset format aligned
\pset tuples_only off
DROP FUNCTION uuid_us(uuid);
