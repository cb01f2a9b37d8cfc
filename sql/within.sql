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
