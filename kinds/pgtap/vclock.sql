-- The laws of vector clocks over random ones: merging is a least upper bound, comparing an order, writing goes up.
BEGIN;
SELECT no_plan();
SELECT setseed(0.92);

-- Up to four of five nodes, counters 0 to 3, so that all orders happen; n * 0 makes each row its own.
CREATE TEMP TABLE clock AS
SELECT n, (SELECT coalesce(jsonb_object_agg(node, floor(random() * 4 + n * 0)::int) FILTER (WHERE random() + n * 0 < 0.7), '{}')
             FROM unnest('{paris, tokyo, lima, a, ""}'::text[]) AS node) AS clock
  FROM generate_series(1, 3000) AS n;
CREATE TEMP TABLE triple AS
SELECT a.clock AS a, b.clock AS b, c.clock AS c FROM clock AS a, clock AS b, clock AS c WHERE b.n = a.n % 3000 + 1 AND c.n = (a.n * 7) % 3000 + 1;
-- Related ones: the same, one write later, merged with another
INSERT INTO triple SELECT a, a, c FROM triple UNION ALL SELECT a, vclock_next(a, 'paris'), c FROM triple UNION ALL SELECT a, vclock_merge(a, b), c FROM triple;

SELECT is(array_agg(DISTINCT vclock_compare(a, b) ORDER BY vclock_compare(a, b)), '{after,before,concurrent,equal}', 'all four orders happen') FROM triple;

-- Against the definition, by counters
SELECT is(count(*) FILTER (WHERE vclock_compare(a, b) IS DISTINCT FROM expected), 0::bigint, 'compare as defined')
  FROM triple, LATERAL (
       SELECT CASE WHEN bool_or(x < y) AND bool_or(x > y) THEN 'concurrent' WHEN bool_or(x < y) THEN 'before' WHEN bool_or(x > y) THEN 'after' ELSE 'equal' END AS expected
         FROM (SELECT coalesce((a->>node)::int, 0) AS x, coalesce((b->>node)::int, 0) AS y
                 FROM unnest('{paris, tokyo, lima, a, ""}'::text[]) AS node) AS counters) AS definition;

SELECT is(count(*) FILTER (WHERE vclock_compare(b, a) <> CASE vclock_compare(a, b) WHEN 'before' THEN 'after' WHEN 'after' THEN 'before' ELSE vclock_compare(a, b) END),
          0::bigint, 'compare is antisymmetric') FROM triple;
SELECT is(count(*) FILTER (WHERE vclock_compare(a, b) IN ('before', 'equal') AND vclock_compare(b, c) IN ('before', 'equal')
                             AND vclock_compare(a, c) NOT IN ('before', 'equal')), 0::bigint, 'compare is transitive') FROM triple;
SELECT is(count(*) FILTER (WHERE vclock_compare(a, a) <> 'equal'), 0::bigint, 'a clock equals itself') FROM triple;

SELECT is(count(*) FILTER (WHERE vclock_merge(a, b) <> vclock_merge(b, a)), 0::bigint, 'merge is commutative') FROM triple;
SELECT is(count(*) FILTER (WHERE vclock_merge(vclock_merge(a, b), c) <> vclock_merge(a, vclock_merge(b, c))), 0::bigint, 'merge is associative') FROM triple;
SELECT is(count(*) FILTER (WHERE vclock_compare(vclock_merge(a, a), a) <> 'equal' OR vclock_merge(vclock_merge(a, b), vclock_merge(a, b)) <> vclock_merge(a, b)),
          0::bigint, 'merge is idempotent') FROM triple;
SELECT is(count(*) FILTER (WHERE vclock_compare(a, vclock_merge(a, b)) NOT IN ('before', 'equal') OR vclock_compare(b, vclock_merge(a, b)) NOT IN ('before', 'equal')),
          0::bigint, 'a merged clock is below neither of the two') FROM triple;
SELECT is(count(*) FILTER (WHERE vclock_compare(a, c) IN ('before', 'equal') AND vclock_compare(b, c) IN ('before', 'equal')
                             AND vclock_compare(vclock_merge(a, b), c) NOT IN ('before', 'equal')), 0::bigint, 'a merged clock is the least that is below neither of the two') FROM triple;
SELECT is(count(*) FILTER (WHERE (vclock_compare(a, b) = 'equal') <> (vclock_merge(a, '{}') = vclock_merge(b, '{}'))), 0::bigint,
          'clocks that are equal are merged to equal jsonb') FROM triple;

SELECT is(count(*) FILTER (WHERE vclock_compare(vclock_next(a, node), a) <> 'after'), 0::bigint, format('a write of "%s" comes after', node))
  FROM triple, unnest('{paris, "", new}'::text[]) AS node GROUP BY node ORDER BY node COLLATE "C";
SELECT is(count(*) FILTER (WHERE vclock_compare(vclock_next(a, 'paris'), vclock_next(a, 'tokyo')) <> 'concurrent'), 0::bigint,
          'two writes of the same version are concurrent') FROM triple;
SELECT is(count(*) FILTER (WHERE vclock_compare(vclock_next(vclock_merge(a, b), 'lima'), a) <> 'after'), 0::bigint,
          'a write that has seen both comes after each') FROM triple;

-- The aggregate is the fold of merge, in any order.
SELECT is(vclock_merge_agg(clock ORDER BY n), vclock_merge_agg(clock ORDER BY -n), 'the aggregate in either order') FROM clock;
SELECT is(count(*) FILTER (WHERE (SELECT vclock_merge_agg(v) FROM unnest(ARRAY[a, NULL, b, c]) AS v) <> vclock_merge(vclock_merge(a, b), c)), 0::bigint,
          'the aggregate folds') FROM triple;

SELECT * FROM finish();
ROLLBACK;
