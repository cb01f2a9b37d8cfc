-- Vector clocks: values, order, refusals.

-- One more write of a node
SELECT clock, vclock_next(clock, 'paris')
  FROM (VALUES ('{}'::jsonb), ('{"paris": 1}'), ('{"tokyo": 7}'), ('{"paris": 0, "tokyo": 7}'), ('{"paris": 41.0, "tokyo": 0}'),
               ('{"paris": 9223372036854775806}'), ('{"a": 1e3}')) AS v (clock);
SELECT vclock_next('{"": 1}', ''), vclock_next('{"東京": 1}', '東京'), vclock_next('{"a\"b": 1}', 'a"b'), vclock_next(vclock => '{}', node => repeat('x', 20));

-- The larger of each; entries of 0 are as if missing, and left out.
SELECT vclock_merge('{"paris": 3, "tokyo": 1}', '{"tokyo": 2, "lima": 5}'), vclock_merge('{}', '{}'), vclock_merge('{"paris": 0}', '{"tokyo": 0.0}'),
       vclock_merge(a => '{"paris": 9223372036854775807}', b => '{}'), vclock_merge('{"paris": 1, "paris": 2}', '{}');

-- Before, after, equal, concurrent
SELECT a, b, vclock_compare(a, b)
  FROM (VALUES ('{}'::jsonb, '{}'::jsonb), ('{}', '{"paris": 0}'), ('{"paris": 1}', '{"paris": 1.0, "tokyo": 0}'),
               ('{}', '{"paris": 1}'), ('{"paris": 1}', '{"paris": 2}'), ('{"paris": 1}', '{"paris": 1, "tokyo": 1}'),
               ('{"paris": 2}', '{"paris": 1}'), ('{"paris": 2, "tokyo": 1}', '{"paris": 2}'),
               ('{"paris": 2}', '{"tokyo": 1}'), ('{"paris": 2, "tokyo": 1}', '{"paris": 1, "tokyo": 2}'),
               ('{"aa": 1, "b": 1}', '{"a": 1, "bb": 1}'), ('{"aa": 1, "b": 1}', '{"b": 1}'),
               ('{"paris": 9223372036854775806}', '{"paris": 9223372036854775807}')) AS v (a, b);

-- Of many rows: NULL is skipped, no rows give {}.
SELECT vclock_merge_agg(clock) FROM (VALUES ('{"paris": 3}'::jsonb), (NULL), ('{"tokyo": 2, "paris": 1}'), ('{"lima": 0}')) AS v (clock);
SELECT vclock_merge_agg(clock), vclock_merge_agg(clock) FILTER (WHERE false) AS none FROM (VALUES (NULL::jsonb)) AS v (clock);
SELECT vclock_merge_agg('{"lima": 0, "paris": 1.0}');
-- By parallel workers
CREATE TABLE version (clock jsonb);
INSERT INTO version SELECT jsonb_build_object('node' || n % 7, n) FROM generate_series(1, 2000) AS n;
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT vclock_merge_agg(clock) FROM version;
SELECT vclock_merge_agg(clock) FROM version;
COMMIT;
DROP TABLE version;

-- Two places wrote the same row: who saw what.
SELECT vclock_compare(paris, tokyo) AS apart, vclock_compare(tokyo, vclock_next(merged, 'tokyo')) AS settled
  FROM (SELECT vclock_next('{"paris": 1}', 'paris') AS paris, vclock_next('{"paris": 1}', 'tokyo') AS tokyo) AS written,
       vclock_merge(paris, tokyo) AS merged;

-- Refused: SQLSTATE, message, DETAIL, HINT
\pset format unaligned
\pset tuples_only
SELECT refusals($$vclock_next('[]', 'a')$$, $$vclock_next('1', 'a')$$, $$vclock_next('"a"', 'a')$$, $$vclock_next('null', 'a')$$, $$vclock_next('true', 'a')$$,
                $$vclock_next('[{}]', 'a')$$,
                $$vclock_next('{"a": "1"}', 'a')$$, $$vclock_next('{"a": null}', 'a')$$, $$vclock_next('{"a": true}', 'a')$$, $$vclock_next('{"a": {"b": 1}}', 'a')$$,
                $$vclock_next('{"a": [1, 2]}', 'a')$$, $$vclock_next('{"a": 1.5}', 'a')$$, $$vclock_next('{"a": 0.1}', 'a')$$, $$vclock_next('{"a": -1}', 'a')$$,
                $$vclock_next('{"a": -0.5}', 'a')$$, $$vclock_next('{"a": 9223372036854775808}', 'b')$$, $$vclock_next('{"a": 9223372036854775807.5}', 'b')$$,
                $$vclock_next('{"a": 1e100}', 'b')$$, $$vclock_next('{"a": 9223372036854775807}', 'a')$$);
SELECT refusals($$vclock_merge('{}', '[]')$$, $$vclock_merge('[]', '{}')$$, $$vclock_merge('{"a": 1}', '{"a": 1, "bb": -1}')$$,
                $$vclock_compare('{}', '0')$$, $$vclock_compare('{"a": "x"}', '{}')$$, $$vclock_compare('{}', jsonb_build_object(repeat('é', 200), 1.5))$$,
                $$(SELECT vclock_merge_agg(c) FROM (VALUES ('[]'::jsonb)) AS v (c))$$, $$(SELECT vclock_merge_agg(c) FROM (VALUES ('{"a": 1.5}'::jsonb)) AS v (c))$$);
\pset format aligned
\pset tuples_only off

-- NULL in, NULL out
SELECT vclock_next(NULL, 'a'), vclock_next('{}', NULL), vclock_merge(NULL, '{}'), vclock_merge('{}', NULL), vclock_compare(NULL, '{}'), vclock_compare('{}', NULL);
