-- id64 beside bigint: compared by operators of id64's own families, so its indexes, partitions and joins serve.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET idgen.shards = '5';
SET max_parallel_workers_per_gather = 0;

-- Every comparison agrees with that of two bigints, both ways, and a hash finds what is equal.
CREATE TABLE number (b bigint, i id64);
INSERT INTO number SELECT b, b::id64
  FROM unnest('{0, 1, -1, 61, 9223372036854775807, -9223372036854775808, 4036565484265537613, 4036565484265537614}'::bigint[]) AS b;
SELECT count(*), bool_and((x.b = y.b) = (x.i = y.b)) AS eq, bool_and((x.b <> y.b) = (x.i <> y.b)) AS ne,
       bool_and((x.b < y.b) = (x.i < y.b)) AS lt, bool_and((x.b <= y.b) = (x.i <= y.b)) AS le,
       bool_and((x.b > y.b) = (x.i > y.b)) AS gt, bool_and((x.b >= y.b) = (x.i >= y.b)) AS ge,
       bool_and(idgen.id64_cmp_bigint(x.i, y.b) = btint8cmp(x.b, y.b)) AS cmp
  FROM number AS x, number AS y;
SELECT count(*), bool_and((x.b = y.b) = (x.b = y.i)) AS eq, bool_and((x.b <> y.b) = (x.b <> y.i)) AS ne,
       bool_and((x.b < y.b) = (x.b < y.i)) AS lt, bool_and((x.b <= y.b) = (x.b <= y.i)) AS le,
       bool_and((x.b > y.b) = (x.b > y.i)) AS gt, bool_and((x.b >= y.b) = (x.b >= y.i)) AS ge,
       bool_and(idgen.bigint_cmp_id64(x.b, y.i) = btint8cmp(x.b, y.b)) AS cmp
  FROM number AS x, number AS y;
SELECT count(*), bool_and((x.b = y.b) = (x.b *= y.b) AND (x.b <> y.b) = (x.b *<> y.b) AND (x.b < y.b) = (x.b *< y.b)
                          AND (x.b <= y.b) = (x.b *<= y.b) AND (x.b > y.b) = (x.b *> y.b) AND (x.b >= y.b) = (x.b *>= y.b)) AS same
  FROM number AS x, number AS y;

-- The properties of its operators are those of bigint's; the server's own operators are in no family of ours.
SELECT i.oprname, i.oprleft::regtype, i.oprright::regtype,
       i.oprcanmerge = b.oprcanmerge AND i.oprcanhash = b.oprcanhash AND i.oprrest = b.oprrest AND i.oprjoin = b.oprjoin
       AND (SELECT (oprname, oprleft, oprright) FROM pg_operator WHERE oid = i.oprcom)
         = (SELECT (oprname, i.oprright, i.oprleft) FROM pg_operator WHERE oid = b.oprcom)
       AND (SELECT (oprname, oprleft, oprright) FROM pg_operator WHERE oid = i.oprnegate)
         = (SELECT (oprname, i.oprleft, i.oprright) FROM pg_operator WHERE oid = b.oprnegate)
       AND (SELECT (prosrc, provolatile, proisstrict, proparallel, proleakproof) FROM pg_proc WHERE oid = i.oprcode)
         = (SELECT (prosrc, provolatile, proisstrict, proparallel, proleakproof) FROM pg_proc WHERE oid = b.oprcode) AS same
  FROM pg_operator AS i JOIN pg_operator AS b USING (oprname)
 WHERE 'id64'::regtype IN (i.oprleft, i.oprright) AND i.oprleft <> i.oprright AND b.oprleft = 'int8'::regtype AND b.oprright = 'int8'::regtype
 ORDER BY 1, 2;
SELECT a.amname, o.opfname, count(*), bool_and(m.amopopr >= 16384) AS own
  FROM pg_amop AS m JOIN pg_opfamily AS o ON o.oid = m.amopfamily JOIN pg_am AS a ON a.oid = o.opfmethod
 WHERE o.opfname ~ '^id64' GROUP BY 1, 2 ORDER BY 1, 2;
SELECT a.amname, c.opcname, amvalidate(c.oid)
  FROM pg_opclass AS c JOIN pg_am AS a ON a.oid = opcmethod WHERE opcintype = 'id64'::regtype ORDER BY 1, 2;

-- A number finds the row by the primary key; a literal without a type and a parameter without one are still id64.
CREATE TABLE photo (id id64 PRIMARY KEY, title text);
INSERT INTO photo SELECT id_make('2026-11-01'::timestamptz + n * interval '1 hour', 5, 0), 'photo ' || n FROM generate_series(0, 4999) AS n;
INSERT INTO photo VALUES (5::bigint, 'five');
ANALYZE photo;
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE id = 5;
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE 5 = id;
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE id = 5::smallint;
-- Two conditions up to 17, one from 18 on
SELECT count(*) IN (1, 2) AND bool_and(line ~ $$\(id = ('[56]'::bigint|ANY \('\{5,6\}'::bigint\[\]\))\)$$) AS by_index
  FROM plan_of($$SELECT * FROM photo WHERE id IN (5, 6) AND title = 'five'$$) AS line WHERE line ~ 'Index Cond|Filter.*id';
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE id = ANY ('{5, 6}'::bigint[]) AND title = 'five';
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE id BETWEEN 4 AND 6;
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE 6 > id AND 4 < id;
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE id = '00000000005';
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE id = id_make('2026-11-01', 5, 0);
SELECT title FROM photo WHERE id = 5 AND 5 = id AND id IN (5, 6) AND id = ANY ('{5, 6}'::bigint[]) AND id BETWEEN 4 AND 6
                          AND id = '00000000005' AND id <> 6 AND NOT id > 5;
SET plan_cache_mode = force_generic_plan;
PREPARE untyped AS SELECT title FROM photo WHERE id = $1;
PREPARE typed(bigint) AS SELECT title FROM photo WHERE id = $1;
SELECT name, parameter_types FROM pg_prepared_statements ORDER BY name;
EXPLAIN (COSTS OFF) EXECUTE untyped('00000000005');
EXPLAIN (COSTS OFF) EXECUTE typed(5);
EXECUTE untyped('00000000005');
EXECUTE typed(5);
DEALLOCATE ALL;
RESET plan_cache_mode;

-- Estimates are those of bigint.
CREATE TABLE photo_bigint AS SELECT id::bigint AS id, title FROM photo;
ANALYZE photo_bigint;
CREATE FUNCTION estimate(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN (plan->0->'Plan'->>'Plan Rows')::bigint;
END
$$;
SELECT condition, estimate('SELECT FROM photo WHERE ' || condition) AS id64,
       abs(estimate('SELECT FROM photo WHERE ' || condition) - estimate('SELECT FROM photo_bigint WHERE ' || condition)) <= 51 AS as_of_bigint
  FROM unnest('{id = 5, 5 = id, id <> 5, id < 5, id > 5}'::text[]
              || format('id > %s', id_make('2027-02-13', 5, 0)) || format('%s >= id', id_make('2027-02-13', 5, 0))) AS condition;
DROP TABLE photo_bigint;
DROP FUNCTION estimate;

-- Joins with a bigint column of each kind, IN with a sub-select, EXCEPT by way of bigint
CREATE TABLE liked (photo bigint, who text);
INSERT INTO liked SELECT id::bigint, 'who ' || n % 3 FROM photo, generate_series(1, 2) AS n;
ANALYZE liked;
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo JOIN liked ON photo = id;
SELECT count(*) FROM photo JOIN liked ON photo = id;
EXPLAIN (COSTS OFF) SELECT * FROM liked JOIN photo ON id = photo WHERE who = 'nobody';
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo WHERE id IN (SELECT photo FROM liked);
SELECT count(*) FROM photo WHERE id IN (SELECT photo FROM liked);
SELECT count(*) FROM liked WHERE photo NOT IN (SELECT id FROM photo);
BEGIN;
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_nestloop = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo JOIN liked ON id = photo;
SELECT count(*) FROM photo JOIN liked ON id = photo;
SELECT count(*) FROM photo FULL JOIN liked ON id = photo;
ROLLBACK;
-- The sub-select made distinct first, by hashing and by sorting
CREATE TABLE few AS SELECT photo FROM liked ORDER BY photo LIMIT 10;
INSERT INTO few SELECT photo FROM few;
ANALYZE few;
EXPLAIN (COSTS OFF) SELECT title FROM photo WHERE id IN (SELECT photo FROM few);
SELECT count(*) FROM photo WHERE id IN (SELECT photo FROM few);
BEGIN;
SET LOCAL enable_hashagg = off;
-- Sorted twice up to 17
SELECT DISTINCT ltrim(line, ' ->') AS line
  FROM plan_of('SELECT title FROM photo WHERE id IN (SELECT photo FROM few)') AS line WHERE line ~ 'Merge|Unique|Sort Key|Scan' ORDER BY 1;
SELECT count(*) FROM photo WHERE id IN (SELECT photo FROM few);
ROLLBACK;
DROP TABLE few;

-- A foreign key from a bigint column, which its index serves in this direction alone
ALTER TABLE liked ADD FOREIGN KEY (photo) REFERENCES photo ON DELETE CASCADE;
\set VERBOSITY terse
INSERT INTO liked VALUES (6);
\set VERBOSITY default
DELETE FROM photo WHERE id = 5;
SELECT count(*) FROM liked WHERE photo = 5;
DROP TABLE liked;

-- id_within looks through the cast to bigint: a column, one of a domain, a sub-select, a parameter.
EXPLAIN (COSTS OFF) SELECT title FROM photo WHERE id_within(id::bigint, '[2026-11-21, 2026-11-22)');
SELECT count(*) FROM photo WHERE id_within(id::bigint, '[2026-11-21, 2026-11-22)');
EXPLAIN (COSTS OFF) SELECT title FROM unnest('{"[2026-11-21, 2026-11-22)"}'::tstzrange[]) AS during JOIN photo ON id_within(id::bigint, during);
SELECT count(*) FROM photo WHERE id_within(id::bigint, (SELECT '[2026-11-21, 2026-11-22)'::tstzrange));
EXPLAIN (COSTS OFF) SELECT title FROM photo WHERE id_within(id::bigint, tstzrange(NULL, now() - interval '50 years'));
CREATE DOMAIN photo_id AS id64;
CREATE TABLE of_domain (id photo_id PRIMARY KEY);
INSERT INTO of_domain SELECT id FROM photo;
ANALYZE of_domain;
EXPLAIN (COSTS OFF) SELECT * FROM of_domain WHERE id_within(id::bigint, '[2026-11-21, 2026-11-22)');
SELECT count(*) FROM of_domain WHERE id_within(id::bigint, '[2026-11-21, 2026-11-22)');
DROP TABLE of_domain;
DROP DOMAIN photo_id;
CREATE VIEW guarded WITH (security_barrier) AS SELECT * FROM photo WHERE title <> 'secret';
EXPLAIN (COSTS OFF) SELECT * FROM guarded WHERE id_within(id::bigint, '[2026-11-21, 2026-11-22)') AND id <> 7;
DROP VIEW guarded;

-- Other indexes
BEGIN;
SET LOCAL enable_seqscan = off;
ALTER TABLE photo DROP CONSTRAINT photo_pkey;
CREATE INDEX photo_hash ON photo USING hash (id);
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE id = 5;
SELECT * FROM photo WHERE id = id_make('2026-11-21', 5, 0);
DROP INDEX photo_hash;
CREATE INDEX photo_minmax ON photo USING brin (id) WITH (pages_per_range = 1);
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo WHERE id_within(id::bigint, '[2026-11-21, 2026-11-22)');
SELECT count(*) FROM photo WHERE id_within(id::bigint, '[2026-11-21, 2026-11-22)');
DROP INDEX photo_minmax;
CREATE INDEX photo_multi ON photo USING brin (id id64_minmax_multi_ops) WITH (pages_per_range = 1);
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo WHERE id_within(id::bigint, '[2026-11-21, 2026-11-22)');
SELECT count(*) FROM photo WHERE id_within(id::bigint, '[2026-11-21, 2026-11-22)');
DROP INDEX photo_multi;
CREATE INDEX photo_bloom ON photo USING brin (id id64_bloom_ops) WITH (pages_per_range = 1);
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE id = 5;
SELECT * FROM photo WHERE id = id_make('2026-11-21', 5, 0);
ROLLBACK;

-- Partitions are pruned by numbers and by periods: by range, by hash, by list; when planning, and when starting.
CREATE TABLE event (id id64 PRIMARY KEY) PARTITION BY RANGE (id);
SELECT format('CREATE TABLE event_%s PARTITION OF event FOR VALUES FROM (%s::bigint::id64) TO (%s::bigint::id64)', suffix, lower, upper)
  FROM id_partition_bounds('2026-09-01', '2026-12-01', '1 month') \gexec
EXPLAIN (COSTS OFF) SELECT * FROM event WHERE id_within(id::bigint, '[2026-10-01, 2026-11-01)');
EXPLAIN (COSTS OFF) SELECT * FROM event WHERE id = 4036565484265537613;
SET plan_cache_mode = force_generic_plan;
PREPARE by_number(bigint) AS SELECT * FROM event WHERE id = $1;
EXPLAIN (COSTS OFF) EXECUTE by_number(4036565484265537613);
DEALLOCATE by_number;
RESET plan_cache_mode;
DROP TABLE event;
CREATE TABLE event (id id64 PRIMARY KEY) PARTITION BY HASH (id);
CREATE TABLE event_0 PARTITION OF event FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE event_1 PARTITION OF event FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO event SELECT id FROM photo;
EXPLAIN (COSTS OFF) SELECT * FROM event WHERE id = 4036565484265537613;
SELECT count(*) AS found FROM photo, LATERAL (SELECT FROM event WHERE event.id = photo.id::bigint OFFSET 0) AS e;
DROP TABLE event;
CREATE TABLE event (id id64 PRIMARY KEY) PARTITION BY LIST (id);
CREATE TABLE event_5 PARTITION OF event FOR VALUES IN ('00000000005');
CREATE TABLE event_6 PARTITION OF event FOR VALUES IN ('00000000006');
EXPLAIN (COSTS OFF) SELECT * FROM event WHERE id = 6;
DROP TABLE event;

DROP TABLE photo, number;
RESET max_parallel_workers_per_gather;
