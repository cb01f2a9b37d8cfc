-- The type id64: a bigint that is written as Base62.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET idgen.shards = '5';

-- Text: 11 digits, one for each number
SELECT text, text::id64, text::id64::bigint, text::id64::text = text AS same
  FROM unnest('{00000000000, 00000000001, 4oBVmyxvRfB, AzL8n0Y58m7, AzL8n0Y58m8, LygHa16AHYF}'::text[]) AS text;
-- The vectors of its form
SELECT text, result
  FROM text_form, result_of(format('%L::id64::bigint', text)) AS result
 WHERE form = 'id64' AND result IS DISTINCT FROM CASE WHEN direction <> 'refused' THEN id::text WHEN reason IN ('too_long', 'too_large') THEN '22003' ELSE '22P02' END;
SELECT id, result FROM text_form, result_of(format('(%s)::bigint::id64', id)) AS result WHERE form = 'id64' AND direction = 'both' AND result IS DISTINCT FROM text;
\pset format unaligned
\pset tuples_only
SELECT refusals($$''::id64$$, $$'5'::id64$$, $$'0000000005'::id64$$, $$'000000000005'::id64$$, $$' 4oBVmyxvRfB'::id64$$, $$'4oBVmyxvRfB '::id64$$,
                $$'4036565484265537613'::id64$$, $$'4oBVmyxvRf-'::id64$$, $$'4oBVmyxvRfé'::id64$$, $$'LygHa16AHYG'::id64$$, $$'zzzzzzzzzzz'::id64$$);
\pset format aligned
\pset tuples_only off

-- Refused softly where the server can (from PostgreSQL 16)
SELECT current_setting('server_version_num')::int >= 160000 AS soft \gset
\if :soft
SELECT pg_input_is_valid('4oBVmyxvRfB', 'id64') AS good, pg_input_is_valid('4oBVmyxvRf-', 'id64') AS bad,
       (pg_input_error_info('4oBVmyxvRf-', 'id64')).message \gset
\else
SELECT true AS good, false AS bad, 'invalid id64: "-" is not a digit' AS message \gset
\endif
SELECT :'good' AS good, :'bad' AS bad, :'message' AS message;

-- Casts: with bigint alone, without a function; to text as for every type
SELECT castsource::regtype, casttarget::regtype, castfunc, castcontext, castmethod
  FROM pg_cast WHERE 'id64'::regtype IN (castsource, casttarget) ORDER BY 1;
SELECT 4036565484265537613::bigint::id64, '4oBVmyxvRfB'::id64::bigint, '{4036565484265537613, 5}'::bigint[]::id64[],
       '{4oBVmyxvRfB,NULL}'::id64[]::bigint[], (-1)::bigint::id64;
SELECT id_time('4oBVmyxvRfB'::id64::bigint);
\set VERBOSITY terse
SELECT '4oBVmyxvRfB'::id64 = 4036565484265537613;
SELECT id_time('4oBVmyxvRfB'::id64);
SELECT length('4oBVmyxvRfB'::id64);
SELECT 5::id64;
SELECT '4oBVmyxvRfB'::id64 + 1;
\set VERBOSITY default

-- A string in JSON, where a bigint is a number that JavaScript rounds
SELECT to_json(id), to_json(id::bigint), to_jsonb(id), json_build_object('id', id), jsonb_agg(id), row_to_json(r), to_json(ARRAY[id])
  FROM (SELECT '4oBVmyxvRfB'::id64 AS id) AS r GROUP BY r.id, r.*;
CREATE TYPE pair AS (id id64, title text);
SELECT jsonb_populate_record(NULL::pair, '{"id": "4oBVmyxvRfB", "title": "one"}'), pg_typeof(x.id), x.id
  FROM jsonb_to_record('{"id": "4oBVmyxvRfB"}') AS x (id id64);
DROP TYPE pair;

-- Every comparison agrees with that of bigint.
CREATE TABLE number (b bigint, i id64);
INSERT INTO number SELECT b, b::id64
  FROM unnest('{0, 1, -1, 61, 62, 9223372036854775807, -9223372036854775808, 4036565484265537613, 4036565484265537614}'::bigint[]) AS b;
SELECT count(*), bool_and((x.b = y.b) = (x.i = y.i)) AS eq, bool_and((x.b <> y.b) = (x.i <> y.i)) AS ne,
       bool_and((x.b < y.b) = (x.i < y.i)) AS lt, bool_and((x.b <= y.b) = (x.i <= y.i)) AS le,
       bool_and((x.b > y.b) = (x.i > y.i)) AS gt, bool_and((x.b >= y.b) = (x.i >= y.i)) AS ge,
       bool_and(idgen.id64_cmp(x.i, y.i) = btint8cmp(x.b, y.b)) AS cmp
  FROM number AS x, number AS y;
SELECT bool_and(idgen.id64_hash(i) = hashint8(b)) AS hash, bool_and(idgen.id64_hash_extended(i, 7) = hashint8extended(b, 7)) AS extended FROM number;
SELECT min(i)::bigint = min(b) AS min, max(i)::bigint = max(b) AS max, array_agg(i::bigint ORDER BY i) = array_agg(b ORDER BY b) AS sorted,
       array_agg(i::bigint ORDER BY i DESC) = array_agg(b ORDER BY b DESC) AS backward FROM number;
SELECT min(i), max(i) FROM number WHERE false;
SELECT bool_and(idgen.id64_smaller(x.i, y.i)::bigint = least(x.b, y.b)) AS smaller, bool_and(idgen.id64_larger(x.i, y.i)::bigint = greatest(x.b, y.b)) AS larger
  FROM number AS x, number AS y;
SELECT b, count(*) OVER (ORDER BY b RANGE BETWEEN 61 PRECEDING AND 1 FOLLOWING)
        = count(*) OVER (ORDER BY i RANGE BETWEEN 61 PRECEDING AND 1 FOLLOWING) AS same FROM number ORDER BY b;

-- The properties of its operators are those of bigint's, and what they call is called idgen_ and the name of that.
SELECT i.oprname, i.oprcanmerge = b.oprcanmerge AND i.oprcanhash = b.oprcanhash AND i.oprrest = b.oprrest AND i.oprjoin = b.oprjoin
       AND (SELECT oprname FROM pg_operator WHERE oid = i.oprcom) = (SELECT oprname FROM pg_operator WHERE oid = b.oprcom)
       AND (SELECT oprname FROM pg_operator WHERE oid = i.oprnegate) = (SELECT oprname FROM pg_operator WHERE oid = b.oprnegate)
       AND (SELECT (replace(prosrc, 'idgen_', ''), provolatile, proisstrict, proparallel, proleakproof) FROM pg_proc WHERE oid = i.oprcode)
         = (SELECT (prosrc, provolatile, proisstrict, proparallel, proleakproof) FROM pg_proc WHERE oid = b.oprcode) AS same
  FROM pg_operator AS i JOIN pg_operator AS b USING (oprname)
 WHERE i.oprleft = 'id64'::regtype AND i.oprright = 'id64'::regtype AND b.oprleft = 'int8'::regtype AND b.oprright = 'int8'::regtype ORDER BY 1;
SELECT typlen, typbyval, typalign, typstorage, typcategory, typispreferred FROM pg_type WHERE oid = 'id64'::regtype;

-- Operator classes: valid, and with the same support functions that bigint's have on this server
SELECT amname, opcname, opcdefault, amvalidate(c.oid)
  FROM pg_opclass AS c JOIN pg_am AS a ON a.oid = opcmethod WHERE opcintype = 'id64'::regtype ORDER BY 1, 2;
SELECT b.opcname AS of_bigint, count(*) > 0 AS seen, array_agg(s.amprocnum) FILTER (WHERE t.prosrc IS DISTINCT FROM replace(u.prosrc, 'idgen_', '')) AS different
  FROM pg_opclass AS b
  JOIN pg_amproc AS s ON s.amprocfamily = b.opcfamily AND s.amproclefttype = 'int8'::regtype AND s.amprocrighttype = 'int8'::regtype
  JOIN pg_proc AS t ON t.oid = s.amproc
  LEFT JOIN pg_opclass AS c ON c.opcintype = 'id64'::regtype AND c.opcmethod = b.opcmethod AND c.opcname = replace(b.opcname, 'int8', 'id64')
  LEFT JOIN pg_amproc AS v ON v.amprocfamily = c.opcfamily AND v.amprocnum = s.amprocnum
  LEFT JOIN pg_proc AS u ON u.oid = v.amproc
 WHERE b.opcintype = 'int8'::regtype AND b.opcmethod IN (SELECT oid FROM pg_am WHERE amname IN ('btree', 'hash', 'brin'))
 GROUP BY b.opcmethod, b.opcname ORDER BY b.opcname, b.opcmethod;

-- As a key: made by next_id(), found by a literal, by a parameter, by a range
CREATE TABLE photo (id id64 PRIMARY KEY DEFAULT next_id(), title text);
INSERT INTO photo (title) SELECT 'photo ' || n FROM generate_series(1, 5000) AS n;
INSERT INTO photo VALUES ('4oBVmyxvRfB', 'known'), (4036565484265537614, 'next');
ANALYZE photo;
SELECT pg_get_expr(adbin, adrelid), format_type(atttypid, atttypmod)
  FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum WHERE adrelid = 'photo'::regclass;
SELECT title, length(id::text), abs(extract(epoch FROM id_time(id::bigint) - clock_timestamp())) < 60 AS recent FROM photo WHERE title = 'photo 7';
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE id = '4oBVmyxvRfB';
SELECT * FROM photo WHERE id = '4oBVmyxvRfB';
PREPARE by_id AS SELECT title FROM photo WHERE id = $1;
EXPLAIN (COSTS OFF) EXECUTE by_id('4oBVmyxvRfB');
EXECUTE by_id('4oBVmyxvRfB');
DEALLOCATE by_id;
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE id IN ('4oBVmyxvRfB', '4oBVmyxvRfC') ORDER BY id;
SELECT title FROM photo WHERE id IN ('4oBVmyxvRfB', '4oBVmyxvRfC') ORDER BY id;
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE id >= id_min('2026-11-23 06:42:05')::id64 AND id < id_min('2026-11-23 06:42:06')::id64;
SELECT title FROM photo WHERE id >= id_min('2026-11-23 06:42:05')::id64 AND id < id_min('2026-11-23 06:42:06')::id64 AND title !~ 'photo';
DO $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) SELECT max(id) FROM photo' INTO plan;
    RAISE NOTICE 'max(id) looks at the end of the index: %', plan::text ~ 'Backward.*photo_pkey';
END
$$;
EXPLAIN (COSTS OFF) SELECT id FROM photo ORDER BY id DESC LIMIT 1;
\set VERBOSITY terse
INSERT INTO photo VALUES ('4oBVmyxvRfB', 'again');
\set VERBOSITY default

-- Joins of every kind, and a foreign key
CREATE TABLE comment (id id64 PRIMARY KEY DEFAULT next_id(), photo id64 NOT NULL REFERENCES photo ON DELETE CASCADE);
INSERT INTO comment (photo) SELECT id FROM photo;
ANALYZE comment;
\set VERBOSITY terse
INSERT INTO comment (photo) VALUES ('00000000001');
\set VERBOSITY default
BEGIN;
SET LOCAL enable_nestloop = off;
SET LOCAL enable_mergejoin = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo JOIN comment ON comment.photo = photo.id;
SELECT count(*) FROM photo JOIN comment ON comment.photo = photo.id;
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_mergejoin = on;
EXPLAIN (COSTS OFF) SELECT count(*) FROM photo JOIN comment ON comment.photo = photo.id;
SELECT count(*) FROM photo JOIN comment ON comment.photo = photo.id;
ROLLBACK;
DELETE FROM photo WHERE id = '4oBVmyxvRfB';
SELECT count(*) FROM comment WHERE photo = '4oBVmyxvRfB';

-- Other indexes
BEGIN;
SET LOCAL enable_seqscan = off;
ALTER TABLE comment DROP CONSTRAINT comment_photo_fkey;
ALTER TABLE photo DROP CONSTRAINT photo_pkey;
CREATE INDEX photo_hash ON photo USING hash (id);
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE id = '4oBVmyxvRfC';
SELECT * FROM photo WHERE id = '4oBVmyxvRfC';
DROP INDEX photo_hash;
CREATE INDEX photo_minmax ON photo USING brin (id) WITH (pages_per_range = 1);
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE id >= '4oBVmyxvRfC';
SELECT count(*) FROM photo WHERE id >= '4oBVmyxvRfC' AND title = 'next';
DROP INDEX photo_minmax;
CREATE INDEX photo_multi ON photo USING brin (id id64_minmax_multi_ops (values_per_range = 16)) WITH (pages_per_range = 1);
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE id >= '4oBVmyxvRfC';
SELECT count(*) FROM photo WHERE id >= '4oBVmyxvRfC' AND title = 'next';
DROP INDEX photo_multi;
CREATE INDEX photo_bloom ON photo USING brin (id id64_bloom_ops (n_distinct_per_range = 100)) WITH (pages_per_range = 1);
EXPLAIN (COSTS OFF) SELECT * FROM photo WHERE id = '4oBVmyxvRfC';
SELECT * FROM photo WHERE id = '4oBVmyxvRfC';
ROLLBACK;

-- Equal keys are stored once in a btree.
CREATE TABLE many (id id64);
INSERT INTO many SELECT 4036565484265537613 FROM generate_series(1, 20000);
CREATE INDEX many_once ON many (id);
CREATE INDEX many_each ON many (id) WITH (deduplicate_items = off);
SELECT pg_relation_size('many_once') * 2 < pg_relation_size('many_each') AS deduplicated;
DROP TABLE many;

-- A column of bigint becomes one of id64 without a rewrite, and back.
CREATE TABLE old (id bigint PRIMARY KEY DEFAULT next_id(), title text);
INSERT INTO old (title) SELECT 'old ' || n FROM generate_series(1, 10) AS n;
INSERT INTO old VALUES (4036565484265537613, 'known');
SELECT pg_relation_filenode('old') AS file \gset
ALTER TABLE old ALTER COLUMN id TYPE id64;
SELECT pg_relation_filenode('old') = :file AS not_rewritten;
INSERT INTO old (title) VALUES ('new');
SELECT title FROM old WHERE id = '4oBVmyxvRfB';
ALTER TABLE old ALTER COLUMN id TYPE bigint;
SELECT pg_relation_filenode('old') = :file AS not_rewritten;
SELECT title FROM old WHERE id = 4036565484265537613;
DROP TABLE old;

-- Partitions by range, by hash
CREATE TABLE event (id id64 PRIMARY KEY DEFAULT next_id()) PARTITION BY RANGE (id);
CREATE TABLE event_old PARTITION OF event FOR VALUES FROM (MINVALUE) TO (id_min('2026-11-23 06:42:06')::id64);
CREATE TABLE event_new PARTITION OF event FOR VALUES FROM (id_min('2026-11-23 06:42:06')::id64) TO (MAXVALUE);
INSERT INTO event VALUES ('4oBVmyxvRfB'), (id_min('2026-11-24')::id64);
SELECT tableoid::regclass, * FROM event ORDER BY id;
EXPLAIN (COSTS OFF) SELECT * FROM event WHERE id = '4oBVmyxvRfB';
DROP TABLE event;
CREATE TABLE event (id id64 PRIMARY KEY DEFAULT next_id()) PARTITION BY HASH (id);
CREATE TABLE event_0 PARTITION OF event FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE event_1 PARTITION OF event FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO event SELECT FROM generate_series(1, 100);
SELECT count(DISTINCT tableoid), count(*) FROM event;
DROP TABLE event;

-- COPY, as text and binary; the binary form is that of bigint.
CREATE TABLE received (b bigint, i id64);
\copy number TO 'results/id64.data'
\copy received FROM 'results/id64.data'
SELECT count(*), bool_and(r.i = n.i) FROM received AS r JOIN number AS n USING (b);
TRUNCATE received;
\copy number TO 'results/id64.data' (FORMAT binary)
\copy received FROM 'results/id64.data' (FORMAT binary)
SELECT count(*), bool_and(r.i = n.i) FROM received AS r JOIN number AS n USING (b);
TRUNCATE received;
\copy (SELECT i, b FROM number) TO 'results/id64.data' (FORMAT binary)
\copy received FROM 'results/id64.data' (FORMAT binary)
SELECT count(*), bool_and(b = i::bigint) FROM received;
SELECT idgen.id64_send('4oBVmyxvRfB'), idgen.id64_send('4oBVmyxvRfB') = int8send(4036565484265537613) AS same;
\copy (SELECT 1::int) TO 'results/id64.data' (FORMAT binary)
\set SHOW_CONTEXT never
\copy received (i) FROM 'results/id64.data' (FORMAT binary)
\set SHOW_CONTEXT errors

-- A comparison tells nothing, so it may come before a security barrier: the index is used.
CREATE VIEW shown WITH (security_barrier) AS SELECT * FROM photo WHERE title <> 'hidden';
EXPLAIN (COSTS OFF) SELECT * FROM shown WHERE id = '4oBVmyxvRfC';
DROP VIEW shown;

-- Whatever search_path says
SET search_path = pg_catalog;
INSERT INTO public.photo (title) VALUES ('after');
SELECT count(*), count(DISTINCT id) FROM public.photo;
SELECT title FROM public.photo WHERE id OPERATOR(public.=) '4oBVmyxvRfC';
SELECT public.min(id) OPERATOR(public.<) public.max(id) FROM public.photo;
RESET search_path;

-- Nothing in search_path: an operator with its schema, or a body that was read before, uses the index; a cast reads the table.
CREATE FUNCTION by_operator(wanted id64) RETURNS text LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RETURN (SELECT title FROM public.photo WHERE id OPERATOR(public.=) wanted);
END
$$;
CREATE FUNCTION by_body(wanted id64) RETURNS text LANGUAGE sql SET search_path = '' BEGIN ATOMIC SELECT title FROM photo WHERE id = wanted; END;
CREATE FUNCTION by_cast(wanted id64) RETURNS text LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    RETURN (SELECT title FROM public.photo WHERE id::bigint = wanted::bigint);
END
$$;
CREATE FUNCTION scans(call text) RETURNS TABLE (title text, read_table bigint, used_index bigint) LANGUAGE plpgsql AS $$
DECLARE
    oid_of_table oid = 'photo'::regclass;
    oid_of_index oid = 'photo_pkey'::regclass;
BEGIN
    read_table := -pg_stat_get_xact_numscans(oid_of_table);
    used_index := -pg_stat_get_xact_numscans(oid_of_index);
    EXECUTE 'SELECT ' || call INTO title;
    read_table := read_table + pg_stat_get_xact_numscans(oid_of_table);
    used_index := used_index + pg_stat_get_xact_numscans(oid_of_index);
    RETURN NEXT;
END
$$;
SELECT name, scans.* FROM unnest('{by_operator, by_body, by_cast}'::text[]) AS name, scans(format('%I(%L)', name, '4oBVmyxvRfC'));
SET search_path = '';
EXPLAIN (COSTS OFF) SELECT * FROM public.photo WHERE id OPERATOR(public.=) ANY ('{4oBVmyxvRfB,4oBVmyxvRfC}'::public.id64[]);
EXPLAIN (COSTS OFF) SELECT * FROM public.photo WHERE id::bigint = 5;
\set VERBOSITY terse
SELECT * FROM public.photo WHERE id = '4oBVmyxvRfC';
SELECT * FROM public.photo WHERE id IN ('4oBVmyxvRfC', '4oBVmyxvRfD');
SELECT count(*) FROM public.photo JOIN public.comment USING (id);
\set VERBOSITY default
RESET search_path;
DROP FUNCTION by_operator, by_body, by_cast, scans;
DROP TABLE comment, photo, number, received;

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
       AND (SELECT (replace(prosrc, 'idgen_', ''), provolatile, proisstrict, proparallel, proleakproof) FROM pg_proc WHERE oid = i.oprcode)
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
