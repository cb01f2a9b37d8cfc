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
       id_layout_info(layout) AS i, generate_series(1, 4000) AS n,
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

SELECT * FROM finish();
ROLLBACK;
