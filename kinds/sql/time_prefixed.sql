-- The types ulid, ksuid and objectid: text, order, indexes, casts, bounds. What holds for all is asked of each.
\getenv house PG_ABS_SRCDIR
\set helpers :house /../sql/helpers.sql
\set ECHO none
\i :helpers
\set ECHO all
CREATE EXTENSION idgen;
CREATE EXTENSION idgen_kinds;
\pset null '(null)'

-- Text
SELECT '01ARYZ6S41TSV4RRFFQ69G5FAV'::ulid, '0ujtsYcgvSTl8PAuAdqWYSMnLOv'::ksuid, '56E1FC72E0C917E9C4714161'::objectid;
SELECT '01aryz6s4ltsv4rrffq69g5fav'::ulid AS lower_case, 'Ol0000000000000000000000iI'::ulid AS look_alikes;
SELECT refusals($$''::ulid$$, $$'01ARYZ6S41TSV4RRFFQ69G5FA'::ulid$$, $$'01ARYZ6S41TSV4RRFFQ69G5FAVV'::ulid$$,
                $$'81ARYZ6S41TSV4RRFFQ69G5FAV'::ulid$$, $$'01ARYZ6S41TSV4RRFFQ69G5FAU'::ulid$$,
                $$'01ARYZ6S4é1TSV4RRFFQ69G5FA'::ulid$$, $$' 01ARYZ6S41TSV4RRFFQ69G5FA'::ulid$$,
                $$'123'::ksuid$$, $$'aWgEPTl1tmebfsQzFP4bxwgy80W'::ksuid$$, $$'aWgEPTl1tmebfsQzFP4bxwgy80!'::ksuid$$,
                $$'56e1fc72e0c917e9c471416'::objectid$$, $$'56e1fc72e0c917e9c471416g'::objectid$$,
                $$repeat('0', 1000)::objectid$$);

-- Time and bounds
SELECT ulid_time('01ARYZ6S41TSV4RRFFQ69G5FAV') AT TIME ZONE 'UTC' AS ulid, ksuid_time('0ujtsYcgvSTl8PAuAdqWYSMnLOv') AT TIME ZONE 'UTC' AS ksuid,
       objectid_time('56e1fc72e0c917e9c4714161') AT TIME ZONE 'UTC' AS objectid;
SELECT ulid_min('2026-11-21 12:00:00.1239Z'), ulid_max('2026-11-21 12:00:00.1239Z');
SELECT ksuid_min('2026-11-21 12:00:00.9Z'), ksuid_max('2026-11-21 12:00:00.9Z');
SELECT objectid_min('2026-11-21 12:00:00.9Z'), objectid_max('2026-11-21 12:00:00.9Z');
SELECT ulid_make('1970-01-01Z', '\x00112233445566778899'), ksuid_make('2014-05-13 16:53:20Z', '\x00112233445566778899aabbccddeeff'),
       objectid_make('2106-02-07 06:28:15.999Z', '\x0011223344556677');
SELECT refusals($$ulid_min('1969-12-31 23:59:59.999Z')$$, $$ulid_max('10889-08-02 05:31:50.656Z')$$, $$ulid_min('infinity')$$, $$ulid_min('1900-01-01Z')$$,
                $$ksuid_min('2014-05-13 16:53:19.999Z')$$, $$ksuid_max('2150-06-19 23:21:36Z')$$, $$ksuid_max('-infinity')$$,
                $$objectid_min('1969-12-31Z')$$, $$objectid_max('2106-02-07 06:28:16Z')$$,
                $$ulid_make(now(), '\x00')$$, $$ksuid_make(now(), '')$$, $$objectid_make(now(), '\x001122334455667788')$$,
                $$ulid_make('1900-01-01Z', '\x00')$$);
SELECT ulid_min(NULL), ksuid_time(NULL), objectid_make(now(), NULL);

-- Casts
SELECT '01ARYZ6S41TSV4RRFFQ69G5FAV'::ulid::bytea AS ulid, '0ujtsYcgvSTl8PAuAdqWYSMnLOv'::ksuid::bytea AS ksuid,
       '56e1fc72e0c917e9c4714161'::objectid::bytea AS objectid;
SELECT '\x01563df36481d6764c61efb99302bd5b'::bytea::ulid, '\x0669f7efb5a1cd34b5f99d1154fb6853345c9735'::bytea::ksuid, '\x56e1fc72e0c917e9c4714161'::bytea::objectid;
SELECT '01ARYZ6S41TSV4RRFFQ69G5FAV'::ulid::uuid, '01563df3-6481-d676-4c61-efb99302bd5b'::uuid::ulid;
SELECT refusals($$'\x00'::bytea::ulid$$, $$''::bytea::ksuid$$, $$'\x0011223344556677889900aabb'::bytea::objectid$$,
                $$next_ulid()::timestamptz$$);
\set VERBOSITY terse
SELECT '01ARYZ6S41TSV4RRFFQ69G5FAV'::ulid = '01ARYZ6S41TSV4RRFFQ69G5FAV'::text;
\set VERBOSITY default
SELECT '01ARYZ6S41TSV4RRFFQ69G5FAV'::ulid::text || '!' AS by_text, '01ARYZ6S41TSV4RRFFQ69G5FAV'::text::ulid AS of_text;
SELECT to_json('01ARYZ6S41TSV4RRFFQ69G5FAV'::ulid);
SELECT c.castsource::regtype, c.casttarget::regtype, c.castcontext, c.castmethod FROM pg_cast c
 WHERE castsource IN ('ulid'::regtype, 'ksuid'::regtype, 'objectid'::regtype) OR casttarget IN ('ulid'::regtype, 'ksuid'::regtype, 'objectid'::regtype)
 ORDER BY c.castsource::regtype::text, c.casttarget::regtype::text;

-- One function for each type: what it says is asked of all three. The oracle is the order of their bytes.
CREATE FUNCTION of_each(query text) RETURNS TABLE (type text, result text) LANGUAGE plpgsql AS $$
BEGIN
    FOREACH type IN ARRAY ARRAY['ulid', 'ksuid', 'objectid'] LOOP
        EXECUTE replace(query, 'TYPE', type) INTO result;
        RETURN NEXT;
    END LOOP;
END
$$;
-- Random values, of few different beginnings and ends, so that many are equal or differ late.
CREATE FUNCTION sample(type text, rows int) RETURNS SETOF bytea LANGUAGE sql AS $$
    SELECT substr(CASE n % 4 WHEN 0 THEN '' WHEN 1 THEN '\x0000000000' WHEN 2 THEN decode(repeat('ff', n % 13), 'hex') ELSE decode(repeat('7f', 9), 'hex') END
                  || decode(md5(n::text) || md5((n % 50)::text), 'hex'), 1, CASE type WHEN 'ulid' THEN 16 WHEN 'ksuid' THEN 20 ELSE 12 END)
      FROM generate_series(1, rows) n
$$;
SELECT * FROM of_each($$
    WITH v AS (SELECT b, b::TYPE AS v FROM sample('TYPE', 200) b), pair AS (SELECT x.b AS a, y.b, x.v AS va, y.v AS vb FROM v x, v y)
    SELECT count(*) || ' pairs, wrong: ' || count(*) FILTER (WHERE (va < vb) <> (a < b) OR (va <= vb) <> (a <= b) OR (va = vb) <> (a = b)
           OR (va <> vb) <> (a <> b) OR (va >= vb) <> (a >= b) OR (va > vb) <> (a > b)
           OR sign(TYPE_cmp(va, vb)) <> sign(byteacmp(a, b)) OR TYPE_larger(va, vb)::bytea <> greatest(a, b) OR TYPE_smaller(va, vb)::bytea <> least(a, b)
           OR (va = vb) AND (TYPE_hash(va) <> TYPE_hash(vb) OR TYPE_hash_extended(va, 7) <> TYPE_hash_extended(vb, 7)))
      FROM pair$$);
SELECT * FROM of_each($$
    SELECT count(*) FILTER (WHERE v::text::TYPE::bytea <> b OR TYPE_send(v) <> b) || ' of ' || count(*) || ' lost'
      FROM (SELECT b, b::TYPE AS v FROM sample('TYPE', 5000) b) s$$);
SELECT * FROM of_each($$
    SELECT count(DISTINCT TYPE_hash(v)) > 0.99 * count(*) AND count(DISTINCT TYPE_hash_extended(v, 1)) = count(*) AND bool_or(TYPE_hash_extended(v, 1) <> TYPE_hash_extended(v, 2))
      FROM (SELECT DISTINCT b::TYPE AS v FROM sample('TYPE', 5000) b) s$$);

-- Sorted by abbreviated keys, by text, by bytes and by index: the same
CREATE FUNCTION sorted(type text, how text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format('SELECT md5(string_agg(v::text, '','' ORDER BY n)) FROM (SELECT v, row_number() OVER () AS n FROM (SELECT v FROM kept_%s ORDER BY %s) s) t',
                   type, how) INTO result;
    RETURN result;
END
$$;
CREATE TABLE kept_ulid AS SELECT b::ulid AS v FROM sample('ulid', 20000) b;
CREATE TABLE kept_ksuid AS SELECT b::ksuid AS v FROM sample('ksuid', 20000) b;
CREATE TABLE kept_objectid AS SELECT b::objectid AS v FROM sample('objectid', 20000) b;
SELECT * FROM of_each($$SELECT sorted('TYPE', 'v') = sorted('TYPE', 'v::bytea') AND sorted('TYPE', 'v') = sorted('TYPE', 'v::text COLLATE "C"')
                           AND sorted('TYPE', 'v DESC') = sorted('TYPE', 'v::bytea DESC')$$);
CREATE INDEX ON kept_ulid (v);
CREATE INDEX ON kept_ksuid (v);
CREATE INDEX ON kept_objectid (v);
SET enable_seqscan = off;
SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT v FROM kept_ulid ORDER BY v;
SELECT * FROM of_each($$SELECT sorted('TYPE', 'v') = sorted('TYPE', 'v::bytea')$$);
RESET enable_sort;
EXPLAIN (COSTS OFF) SELECT v FROM kept_objectid ORDER BY v DESC LIMIT 1;
SELECT * FROM of_each($$SELECT (min(v)::bytea = min(v::bytea::text)::bytea) || ' ' || (max(v)::bytea = max(v::bytea::text)::bytea) FROM kept_TYPE$$);
SELECT * FROM of_each($$SELECT count(*) FROM kept_TYPE WHERE v = (SELECT b::TYPE FROM sample('TYPE', 20) b LIMIT 1)$$);
DROP INDEX kept_ulid_v_idx, kept_ksuid_v_idx, kept_objectid_v_idx;
CREATE INDEX ON kept_ulid USING hash (v);
CREATE INDEX ON kept_ksuid USING hash (v);
CREATE INDEX ON kept_objectid USING brin (v);
EXPLAIN (COSTS OFF) SELECT count(*) FROM kept_ulid WHERE v = '01ARYZ6S41TSV4RRFFQ69G5FAV';
EXPLAIN (COSTS OFF) SELECT count(*) FROM kept_objectid WHERE v >= '56e1fc720000000000000000';
SELECT * FROM of_each($$SELECT count(*) FROM kept_TYPE WHERE v = (SELECT b::TYPE FROM sample('TYPE', 20) b LIMIT 1)$$);
SELECT count(*) = (SELECT count(*) FROM sample('objectid', 20000) b WHERE b >= '\x56e1fc720000000000000000') FROM kept_objectid WHERE v >= '56e1fc720000000000000000';
RESET enable_seqscan;
SELECT opcname, amname, opcdefault, amvalidate(o.oid) FROM pg_opclass o JOIN pg_am a ON a.oid = opcmethod
 WHERE opcintype IN ('ulid'::regtype, 'ksuid'::regtype, 'objectid'::regtype) ORDER BY 1, 2;

-- In tables: a key by DEFAULT, a join, a hash partition, COPY in both formats
CREATE TABLE event (id ulid PRIMARY KEY DEFAULT next_ulid(), n int);
INSERT INTO event (n) SELECT generate_series(1, 1000);
SELECT bool_and(id > before) AS rises, bool_and(abs(extract(epoch FROM ulid_time(id) - now())) < 60) AS of_now
  FROM (SELECT id, lag(id, 1, ulid_min('1970-01-01Z')) OVER (ORDER BY n) AS before FROM event) s;
SELECT count(DISTINCT next_ksuid()) FROM generate_series(1, 1000);
SELECT count(DISTINCT substr(v::bytea, 5, 5)) AS processes, count(DISTINCT v) AS values FROM (SELECT next_objectid() AS v FROM generate_series(1, 1000)) s;
CREATE TABLE parted (id ksuid) PARTITION BY HASH (id);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parted SELECT next_ksuid() FROM generate_series(1, 1000);
SELECT count(*) FROM parted;
SELECT (SELECT count(*) FROM parted_0) BETWEEN 350 AND 650 AS halves;
SELECT count(*) FROM kept_ulid a JOIN (SELECT DISTINCT v FROM kept_ulid) b USING (v);
DROP TABLE event, parted, kept_ulid, kept_ksuid, kept_objectid;
DROP FUNCTION of_each, sample, sorted;
