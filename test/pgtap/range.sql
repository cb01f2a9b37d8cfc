-- id_min and id_max contain the IDs of their tick and no other.
BEGIN;
SELECT no_plan();
SET LOCAL TimeZone = 'UTC';
SELECT setseed(0.25);

CREATE TEMP TABLE instant AS
SELECT layout, i.first_time, i.last_time, i.tick, at, id_min(at, layout) AS lowest, id_max(at, layout) AS highest,
       extract(epoch FROM first_time) + div(extract(epoch FROM at) - extract(epoch FROM first_time), extract(epoch FROM tick)) * extract(epoch FROM tick) AS start
  FROM unnest((ARRAY(SELECT name FROM id_layouts(), id_layout_info(name::id_layout) AS i WHERE NOT i.wraps) || ARRAY[
                    'epoch=1999-12-31T23:59:59.999Z unit=7ms time=40 region=3 shard=5 sequence=9+1',
                    'epoch=1900-01-01 unit=1s time=32 sequence=20+1 shard=9',
                    'epoch=2020-01-01 unit=999ms time=40'])::id_layout[]) AS layout,
       id_layout_info(layout) AS i, generate_series(1, 1300) AS n,
       LATERAL (SELECT first_time + tick + (last_time - first_time - tick * 2) * (random() + n * 0) AS at) AS r;

SELECT is(count(*) FILTER (WHERE extract(epoch FROM id_time(lowest, layout)) <> start OR extract(epoch FROM id_time(highest, layout)) <> start),
          0::bigint, format('both lie in the tick: %s', layout))
  FROM instant GROUP BY layout ORDER BY layout::text;
SELECT is(count(*) FILTER (WHERE id_time(lowest - 1, layout) <> id_time(lowest, layout) - tick), 0::bigint,
          format('the number below is of the tick before: %s', layout))
  FROM instant GROUP BY layout ORDER BY layout::text;
SELECT is(count(*) FILTER (WHERE id_time(highest + 1, layout) <> id_time(highest, layout) + tick), 0::bigint,
          format('the number above is of the next tick: %s', layout))
  FROM instant GROUP BY layout ORDER BY layout::text;
SELECT is(count(*) FILTER (WHERE id_min(id_time(lowest, layout), layout) <> lowest OR id_max(id_time(lowest, layout), layout) <> highest
                              OR id_min(id_time(lowest, layout) + tick - interval '1 microsecond', layout) <> lowest
                              OR id_min(id_time(lowest, layout) + tick, layout) <> highest + 1),
          0::bigint, format('the same for the whole tick, another for the next: %s', layout))
  FROM instant GROUP BY layout ORDER BY layout::text;
SELECT is(count(*) FILTER (WHERE wrong), 0::bigint, format('they rise with time: %s', layout))
  FROM (SELECT layout, lowest < lag(lowest) OVER by_time OR highest < lag(highest) OVER by_time AS wrong FROM instant
        WINDOW by_time AS (PARTITION BY layout::text ORDER BY at)) AS steps
 GROUP BY layout ORDER BY layout::text;

-- New IDs lie between the bounds of their own time, and of the time around them.
SET LOCAL idgen.shards = '0-3';
SELECT is(count(*) FILTER (WHERE id NOT BETWEEN id_min(id_time(id, layout), layout) AND id_max(id_time(id, layout), layout)
                              OR id NOT BETWEEN id_min(clock_timestamp() - interval '1 minute', layout) AND id_max(clock_timestamp() + interval '1 minute', layout)),
          0::bigint, format('new IDs: %s', layout))
  FROM unnest(ARRAY(SELECT name FROM id_layouts(), id_layout_info(name::id_layout) AS i WHERE NOT i.wraps)::id_layout[]) AS layout,
       LATERAL next_ids(500, layout => layout) AS id
 GROUP BY layout ORDER BY layout::text;

SELECT throws_ok(format('SELECT %s(%L, %L)', bound, at, layout), '22023', NULL, format('%s(%s, %s) is refused', bound, at, layout))
  FROM unnest('{id_min, id_max}'::text[]) AS bound,
       (VALUES ('infinity', 'instagram'), ('-infinity', 'js53'), ('2026-11-21', 'trace'), ('1970-01-01', 'trace')) AS v (at, layout);

-- id_partition_bounds covers its time without gap or overlap, in every zone and across every change of clocks.
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

-- id_within is id_time(id) <@ period, however it is computed: by the function, by its bounds, by indexes.
SET LOCAL TimeZone = 'UTC';
SET LOCAL max_parallel_workers_per_gather = 0;
SELECT setseed(0.125);

CREATE TEMP TABLE kind AS
SELECT n AS kind, layout, i.first_time, i.last_time, i.tick, i.largest_id
  FROM unnest((ARRAY(SELECT name FROM id_layouts(), id_layout_info(name::id_layout) AS i WHERE NOT i.wraps) || ARRAY[
                    'epoch=1999-12-31T23:59:59.999Z unit=7ms time=40 region=3 shard=5 sequence=9+1',
                    'epoch=1900-01-01 unit=1s time=32 sequence=20+1 shard=9',
                    'epoch=2020-01-01 unit=999ms time=40'])::id_layout[]) WITH ORDINALITY AS l (layout, n),
       id_layout_info(layout) AS i;

-- IDs of each layout, its edges, and numbers that it cannot have made
CREATE TABLE made (kind bigint, id bigint);
INSERT INTO made
SELECT kind, floor(random() * (largest_id / 1024))::bigint * 1024 + floor(random() * 1024)::bigint
  FROM kind, generate_series(1, 300);
INSERT INTO made
SELECT kind, id FROM kind,
       unnest(ARRAY[0, 1, largest_id, id_min(last_time, layout), id_max(first_time, layout), -1, -9223372036854775808, 9223372036854775807, NULL]) AS id;
INSERT INTO made SELECT kind, largest_id + 1 FROM kind WHERE largest_id < 9223372036854775807;
-- The ticks around some of them, from end to end
INSERT INTO made
SELECT kind, bound
  FROM (SELECT kind, layout, id_time(id, layout) AS at, tick FROM made JOIN kind USING (kind) WHERE id BETWEEN 2 AND largest_id - 1 LIMIT 200) AS chosen,
       generate_series(-1, 1) AS n,
       LATERAL (SELECT at + n * tick AS near) AS l,
       unnest(ARRAY[id_min(near, layout), id_max(near, layout)]) AS bound;

-- Periods of every form, with bounds near IDs, anywhere in the layout, and beyond both of its ends
CREATE FUNCTION some_bound(k kind) RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
SELECT CASE floor(random() * 16)
       WHEN 0 THEN NULL
       WHEN 1 THEN '-infinity'
       WHEN 2 THEN 'infinity'
       WHEN 3 THEN k.first_time - random() * interval '1 year'
       WHEN 4 THEN k.last_time + random() * interval '1 year'
       WHEN 5 THEN k.first_time + (random() - 0.5) * 3 * k.tick
       WHEN 6 THEN k.last_time + (random() - 0.5) * 3 * k.tick
       WHEN 7 THEN k.first_time + random() * (k.last_time - k.first_time)
       ELSE (SELECT id_time(id, k.layout) FROM made WHERE made.kind = k.kind AND id BETWEEN 0 AND k.largest_id ORDER BY random() LIMIT 1)
            + (floor(random() * 5) - 2) * k.tick + floor(random() * 3 - 1) * interval '1 microsecond' END
$$;
CREATE TABLE period (kind bigint, layout id_layout, during tstzrange);
INSERT INTO period
SELECT k.kind, k.layout, tstzrange(CASE WHEN a < b OR a IS NULL OR b IS NULL THEN a ELSE b END, CASE WHEN a < b OR a IS NULL OR b IS NULL THEN b ELSE a END,
                                   (ARRAY['[)', '(]', '[]', '()'])[1 + floor(random() * 4)])
  FROM kind AS k, generate_series(1, 120) AS n, LATERAL (SELECT some_bound(k) AS a, some_bound(k) AS b WHERE n IS NOT NULL OFFSET 0) AS bounds;
INSERT INTO period SELECT kind, layout, during FROM kind, unnest('{empty, "(,)", NULL}'::tstzrange[]) AS during;
ANALYZE made, period;

SELECT cmp_ok(count(*) FILTER (WHERE within), '>', 1000::bigint, format('there are IDs within: %s', layout))
  FROM (SELECT layout, id_time(id, layout) <@ during AS within FROM made JOIN period USING (kind)) AS pairs GROUP BY layout ORDER BY layout::text;

-- Called for each row: a volatile argument keeps the planner from replacing it.
SELECT is(count(*) FILTER (WHERE called IS DISTINCT FROM expected), 0::bigint, format('the function: %s', layout))
  FROM (SELECT layout, id_within(id + (random() * 0)::bigint, during, layout) AS called,
               CASE WHEN id IS NOT NULL AND during IS NOT NULL THEN coalesce(id_time(id, layout) <@ during, false) END AS expected
          FROM made JOIN period USING (kind)) AS pairs
 GROUP BY layout ORDER BY layout::text;
-- By its bounds, what the planner makes of it
SELECT is(count(*) FILTER (WHERE by_bounds IS DISTINCT FROM expected OR (NOT by_bounds) IS DISTINCT FROM (NOT expected)), 0::bigint, format('its bounds: %s', layout))
  FROM (SELECT layout, id_within(id, during, layout) AS by_bounds,
               CASE WHEN id IS NOT NULL AND during IS NOT NULL THEN coalesce(id_time(id, layout) <@ during, false) END AS expected
          FROM made JOIN period USING (kind)) AS pairs
 GROUP BY layout ORDER BY layout::text;

-- By an index, the period being a constant, a parameter, or a sub-select; against the filter.
CREATE FUNCTION plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    plan text := '';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        plan := plan || line || E'\n';
    END LOOP;
    RETURN plan;
END
$$;
CREATE FUNCTION differing(k bigint, form text, how text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    p period;
    found bigint[];
    expected bigint[];
    query text;
BEGIN
    EXECUTE format('CREATE TEMP TABLE one AS SELECT id FROM made WHERE kind = %s', k);
    EXECUTE format('CREATE INDEX one_id ON one USING %s (id)', how);
    FOR p IN SELECT * FROM period WHERE kind = k AND during IS NOT NULL LIMIT 30 LOOP
        -- From 17 on the server takes null <@ '(,)' for true.
        EXECUTE 'SELECT array_agg(id ORDER BY id) FROM one WHERE id_time(id, $1) IS NOT NULL AND id_time(id, $1) <@ $2'
            INTO expected USING p.layout, p.during;
        query := format('SELECT array_agg(id ORDER BY id) FROM one WHERE id_within(id, ' || form || ', %2$L)', p.during, p.layout);
        EXECUTE query INTO found USING p.during;
        IF found IS DISTINCT FROM expected THEN
            RETURN NEXT query;
        END IF;
        IF plan_of(replace(query, '$1', quote_literal(p.during::text) || '::tstzrange')) !~ 'Index Cond' THEN
            RETURN NEXT 'no index condition: ' || query;
        END IF;
    END LOOP;
    DROP TABLE one;
END
$$;
SET LOCAL enable_seqscan = off;
SELECT is_empty(format('SELECT differing(%s, %L, %L)', kind, form, how), format('%s by %s: %s', form, how, layout))
  FROM kind, (VALUES ('%1$L', 'btree'), ('%1$L', 'brin'), ('$1', 'btree'), ('(SELECT %1$L::tstzrange)', 'btree'), ('(SELECT %1$L::tstzrange)', 'brin')) AS v (form, how)
 ORDER BY layout::text, form, how;

-- A sub-select is evaluated once: the call stays, and its bounds are the condition.
CREATE TEMP TABLE uniform AS
SELECT id_make('2026-01-01'::timestamptz + n * interval '100 s', 5, 0) AS id FROM generate_series(1, 200000) AS n;
CREATE INDEX uniform_id ON uniform (id);
SELECT matches(plan_of($$SELECT * FROM uniform WHERE id_within(id, (SELECT '[2026-02-01, 2026-02-02)'::tstzrange))$$),
               'Index Cond: \(\(id >= id_within_first\(.*\) AND \(id <= id_within_last\(', 'a sub-select as period: an index condition');
SELECT is(count(*), 1::bigint, 'a sub-select as period: one sub-plan')
  FROM regexp_matches(plan_of($$SELECT * FROM uniform WHERE id_within(id, (SELECT '[2026-02-01, 2026-02-02)'::tstzrange))$$), '^ *InitPlan \w+', 'gn');
SET LOCAL enable_bitmapscan = off;
-- It is exact, so nothing is checked again; and no index is asked for what it cannot do.
SELECT doesnt_match(plan_of($$SELECT * FROM uniform WHERE id_within(id, (SELECT '[2026-02-01, 2026-02-02)'::tstzrange))$$), 'Filter', 'a sub-select as period: no filter');
CREATE TEMP TABLE hashed AS SELECT id FROM uniform LIMIT 100;
CREATE INDEX ON hashed USING hash (id);
SELECT doesnt_match(plan_of($$SELECT * FROM hashed WHERE id_within(id, (SELECT '[2026-02-01, 2026-02-02)'::tstzrange))$$), 'Index', 'a hash index: not used');
SET LOCAL enable_bitmapscan = on;
-- An ID that costs a sub-select is not compared twice.
SELECT doesnt_match(plan_of($$SELECT * FROM uniform WHERE id_within((SELECT max(id) FROM made), '[2026-02-01, 2026-02-02)')$$), '>=', 'a sub-select as ID: once');

-- What the planner expects, against the truth
CREATE FUNCTION expected_rows(query text) RETURNS float LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;
SELECT cmp_ok(expected_rows($$SELECT * FROM uniform WHERE id_within(id, '[2026-02-01, 2026-03-01)')$$), '<', 20000::float, 'without statistics: a small share');
SELECT cmp_ok(expected_rows($$SELECT * FROM uniform WHERE id_within(id, (SELECT tstzrange('2026-02-01', NULL)))$$), '<', 20000::float, 'of a sub-select too');
ANALYZE uniform;
SELECT ok(expected / actual BETWEEN 0.5 AND 2, format('%s: about %s rows of %s', during, expected, actual))
  FROM (VALUES ('[2026-02-01, 2026-03-01)'), ('[2026-02-01, 2026-02-08)'), ('(,2026-03-15 12:00)'), ('[2026-08-01,)'), ('(,)'), ('[2000-01-01, 2026-02-01]')) AS v (during),
       LATERAL (SELECT expected_rows(format('SELECT * FROM uniform WHERE id_within(id, %L)', during)) AS expected,
                       (SELECT count(*) FROM uniform WHERE id_time(id) <@ during::tstzrange)::float AS actual) AS rows;
SELECT is(expected_rows(format('SELECT * FROM uniform WHERE id_within(id, %L)', during)), 1::float, format('%s: hardly a row', during))
  FROM (VALUES ('empty'), ('[2030-01-01,)'), ('(,2020-01-01)'), ('[2026-02-01 00:00:00.0001, 2026-02-01 00:00:00.0002]'), ('(,2000-01-01)'), ('[3000-01-01,)')) AS v (during);
-- The clock's part of a period is known when the plan is made.
SELECT cmp_ok(expected_rows($$SELECT * FROM uniform WHERE id_within(id, tstzrange('2026-02-01', '2026-03-01'::timestamptz + (now() - now())))$$), '<', 48000::float, 'a stable period: no more than twice the truth');
SELECT cmp_ok(expected_rows($$SELECT * FROM uniform WHERE id_within(id, tstzrange('2026-02-01', '2026-03-01'::timestamptz + (now() - now())))$$), '>', 12000::float, 'a stable period: no less than half of the truth');
SELECT ok(expected_rows($$SELECT * FROM uniform WHERE id_within(id, (SELECT tstzrange('2026-02-01', NULL)))$$) BETWEEN 100 AND 20000, 'an unknown period: a small share');

SELECT * FROM finish();
ROLLBACK;
