-- idgen.audit: each finding, made and found.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET IntervalStyle = 'postgres';
SET idgen.shards = '0-9';
\pset null '-'

-- Nothing wrong: three shards in ten ticks, two IDs in one of them.
CREATE TABLE photo (title text, id bigint);
INSERT INTO photo (id)
SELECT id_make('2026-11-01 12:00+00'::timestamptz + n * interval '1 second', CASE WHEN n <= 6 THEN 5 WHEN n <= 9 THEN 6 ELSE 7 END, 0)
  FROM generate_series(1, 10) AS n;
INSERT INTO photo (id) SELECT id_make('2026-11-01 12:00:10+00', 7, 1);
SELECT * FROM idgen.audit('photo', 'id');

-- A finding by its name, of a table to which rows are added.
CREATE FUNCTION found(finding text, relation regclass DEFAULT 'photo', layout id_layout DEFAULT 'instagram')
RETURNS TABLE (value text, ok boolean, advice text) LANGUAGE sql
AS $$ SELECT a.value, a.ok, a.advice FROM idgen.audit(relation, 'id', layout => layout) AS a WHERE a.finding = $1 $$;

-- Duplicates: one ID twice more, another once more.
BEGIN;
INSERT INTO photo (id) SELECT min(id) FROM photo, generate_series(1, 2);
INSERT INTO photo (id) SELECT max(id) FROM photo;
SELECT * FROM found('duplicates');
SELECT * FROM found('busiest tick');
ROLLBACK;

-- Nulls
BEGIN;
INSERT INTO photo (title) VALUES ('none'), ('none either');
SELECT * FROM found('null');
SELECT * FROM found('rows');
SELECT * FROM found('duplicates');
ROLLBACK;

-- Numbers that the layout cannot have made: negative, zero, above its bits, below its first sequence.
BEGIN;
INSERT INTO photo (id) VALUES (-5), (0);
SELECT * FROM found('not of the layout');
INSERT INTO photo (id) VALUES (9007199254740992);
SELECT * FROM found('not of the layout', layout => 'js53');
DELETE FROM photo;
INSERT INTO photo (id) VALUES (1 << 22), ((1 << 22) + 1);
SELECT * FROM found('not of the layout', layout => 'trace');
SELECT * FROM found('not of the layout', layout => 'js53');
ROLLBACK;

-- The numbers of a sequence
BEGIN;
INSERT INTO photo (id) SELECT generate_series(1, 100);
SELECT * FROM found('like a counter''s');
SELECT * FROM found('not of the layout');
SELECT * FROM found('first time');
-- Where time wraps, every turn has its first minute.
SELECT value FROM found('like a counter''s', layout => 'epoch=2020-01-01 unit=1ms time=41 shard=10 sequence=12');
SELECT value FROM found('like a counter''s', layout => 'epoch=2020-01-01 unit=1ms time=41w shard=10 sequence=12');
-- Up to the end of the layout's first minute
DELETE FROM photo;
INSERT INTO photo (id) SELECT id_make('2020-01-01 00:00:59.999', 1, 0, 'snowflake') UNION SELECT id_make('2020-01-01 00:01', 1, 0, 'snowflake');
SELECT value FROM found('like a counter''s', layout => 'snowflake');
ROLLBACK;

-- Many shards: the five with the most IDs are named.
BEGIN;
INSERT INTO photo (id) SELECT id_make('2026-11-02', shard, n) FROM generate_series(10, 15) AS shard, generate_series(1, 1 + shard % 4) AS n;
SELECT * FROM found('shards');
SELECT * FROM found('shards', layout => 'mastodon');
ROLLBACK;

-- The layout: that of the DEFAULT, whatever the IDs look like; else the one of the last ID, if it was made just now.
CREATE TABLE tweet (id bigint DEFAULT next_id(layout => 'twitter'), code id64 DEFAULT next_id()::id64, plain bigint DEFAULT 5);
SELECT column_name, a.value, a.ok, a.advice
  FROM unnest(ARRAY['id', 'code', 'plain']) AS column_name, idgen.audit('tweet', column_name) AS a WHERE a.finding = 'layout';
SELECT * FROM found('layout', 'tweet', 'twitter');
BEGIN;
ALTER TABLE tweet ALTER id DROP DEFAULT;
INSERT INTO tweet (id) SELECT id_make(clock_timestamp() - interval '1 hour', 5, 0, 'idgen');
SELECT value, ok, regexp_replace(advice, '\d{4}-\d\d-\d\d [\d:.]+\+00', 'T', 'g') AS advice FROM found('layout', 'tweet');
SELECT * FROM found('layout', 'tweet', 'idgen');
-- An old ID is of any layout.
UPDATE tweet SET id = id_make(clock_timestamp() - interval '40 days', 5, 0, 'idgen');
SELECT * FROM found('layout', 'tweet');
ROLLBACK;
-- Another's function of that name says nothing of a layout.
CREATE SCHEMA legacy;
CREATE FUNCTION legacy.next_id() RETURNS bigint LANGUAGE sql AS 'SELECT 5::bigint';
ALTER TABLE tweet ALTER plain SET DEFAULT legacy.next_id();
SELECT value, ok, advice FROM idgen.audit('tweet', 'plain', layout => 'twitter') WHERE finding = 'layout';
-- What idgen.next_id() makes is of the default layout.
ALTER TABLE tweet ALTER plain SET DEFAULT idgen.next_id();
SELECT value, ok, advice FROM idgen.audit('tweet', 'plain', layout => 'twitter') WHERE finding = 'layout';
DROP TABLE tweet;
DROP SCHEMA legacy CASCADE;

-- From the future: beyond idgen.max_lead; an hour ahead, and a second behind it.
BEGIN;
INSERT INTO photo (id) SELECT id_make(clock_timestamp() + interval '1 hour', 5, 0);
INSERT INTO photo (id) SELECT id_make(clock_timestamp() - interval '1 second', 5, 0);
SELECT regexp_replace(value, 'as 00:5\d:.*', 'as 00:5...') AS value, ok, advice FROM found('in the future');
-- What the lead admits is no finding.
DELETE FROM photo;
INSERT INTO photo (id) SELECT id_make(clock_timestamp() + interval '900 ms', 5, 0);
SELECT * FROM found('in the future');
-- New IDs
DELETE FROM photo;
INSERT INTO photo (id) SELECT next_ids(10000);
SELECT * FROM found('in the future');
SELECT * FROM found('like a counter''s');
SELECT * FROM found('not of the layout');
SELECT * FROM found('duplicates');
-- Where time wraps, what looks like the future may be the past.
DELETE FROM photo;
INSERT INTO photo (id) SELECT id_make(clock_timestamp() - interval '1 day', 5, 1, 'trace');
SELECT * FROM found('in the future', layout => 'trace');
INSERT INTO photo (id) SELECT id_make(clock_timestamp() - interval '200 days', 5, 1, 'trace');
SELECT regexp_replace(value, 'as 188 days.*', 'as 188 days ...') AS value, ok, advice FROM found('in the future', layout => 'trace');
ROLLBACK;

-- Out of the order of storage, within a shard: 5 seconds back, then 2; another shard does not count.
BEGIN;
INSERT INTO photo (id) SELECT id_make('2026-11-01 12:00:05', 7, 0) UNION ALL SELECT id_make('2026-11-01 12:00:11', 7, 0)
                       UNION ALL SELECT id_make('2026-11-01 12:00:09', 7, 0) UNION ALL SELECT id_make('2026-11-01 12:00:09', 8, 0);
SELECT * FROM found('out of order');
ROLLBACK;
-- An UPDATE moves a row.
BEGIN;
UPDATE photo SET title = 'moved' WHERE id = (SELECT min(id) FROM photo);
SELECT value FROM found('out of order');
ROLLBACK;

-- A full tick
BEGIN;
INSERT INTO photo (id) SELECT id_make('2026-11-01 13:00', 5, n) FROM generate_series(0, 1022) AS n;
SELECT * FROM found('busiest tick');
INSERT INTO photo (id) SELECT id_make('2026-11-01 13:00', 5, 1023);
SELECT * FROM found('busiest tick');
ROLLBACK;

-- A sample says so; it judges no duplicates away. None of it, and all of it.
SELECT * FROM idgen.audit('photo', 'id', 0);
SELECT count(*) AS findings, bool_or(value ~ '^11$') AS "all" FROM idgen.audit('photo', 'id', 100);
BEGIN;
INSERT INTO photo (id) SELECT id_make('2026-11-01 14:00', 5, n % 1024) FROM generate_series(1, 50000) AS n;
SELECT finding, value::int BETWEEN 1 AND 50010 AS some, ok, advice FROM idgen.audit('photo', 'id', 50) WHERE finding = 'rows';
ROLLBACK;

-- An empty table
CREATE TABLE empty (id bigint);
SELECT * FROM idgen.audit('empty', 'id');

-- A domain over a domain over bigint; hostile names
CREATE SCHEMA "a ""schema""; --";
CREATE DOMAIN "an id" AS bigint CHECK (VALUE > 0);
CREATE DOMAIN photo_id AS "an id";
CREATE TABLE "a ""schema""; --"."SELECT '%s %I %1$s" ("; DROP TABLE photo; -- %L ""x""" photo_id, id bigint, part oid, place tid, at date);
INSERT INTO "a ""schema""; --"."SELECT '%s %I %1$s" SELECT id FROM photo;
SELECT * FROM idgen.audit('"a ""schema""; --"."SELECT ''%s %I %1$s"', '; DROP TABLE photo; -- %L "x"') WHERE finding = 'shards';
SELECT value FROM idgen.audit('"a ""schema""; --"."SELECT ''%s %I %1$s"', 'id') WHERE finding = 'null';

-- A column of id64, and of a domain over it
CREATE DOMAIN photo_code AS id64;
CREATE TABLE coded (id id64, code photo_code);
INSERT INTO coded SELECT id, id::id64 FROM photo;
SELECT i.finding, i.value, i.value = c.value AS same
  FROM idgen.audit('coded', 'id') AS i JOIN idgen.audit('coded', 'code') AS c USING (finding) WHERE finding IN ('rows', 'shards', 'not of the layout');
DROP TABLE coded;
DROP DOMAIN photo_code;

-- Partitions and children; each has its own order of storage.
CREATE TABLE message (id bigint) PARTITION BY HASH (id);
CREATE TABLE message_0 PARTITION OF message FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE message_1 PARTITION OF message FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO message SELECT id FROM photo;
SELECT finding, value, ok FROM idgen.audit('message', 'id') WHERE finding IN ('rows', 'shards', 'out of order');
SELECT value IS NOT NULL AS rows FROM idgen.audit('message', 'id', 50) WHERE finding = 'rows';
CREATE TABLE later_photo () INHERITS (photo);
INSERT INTO later_photo (id) SELECT min(id) FROM photo;
SELECT value FROM found('duplicates');
SELECT value FROM found('out of order');
DROP TABLE later_photo;

-- A materialized view has places; a view has none, nor a foreign table, nor a table with a foreign partition.
CREATE MATERIALIZED VIEW kept AS SELECT id FROM photo;
SELECT value FROM found('out of order', 'kept');
CREATE VIEW both_tables AS SELECT id FROM photo UNION ALL SELECT id FROM message;
SELECT finding, value, ok, advice FROM idgen.audit('both_tables', 'id') WHERE finding IN ('rows', 'duplicates', 'out of order');
SELECT value, advice FROM idgen.audit('both_tables', 'id', 0) WHERE finding = 'rows';
CREATE EXTENSION file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE in_file (id bigint) SERVER files OPTIONS (program 'echo 10; echo 10');
SELECT finding, value, ok FROM idgen.audit('in_file', 'id') WHERE finding IN ('rows', 'duplicates', 'out of order');
CREATE TABLE mixed (id bigint) PARTITION BY RANGE (id);
CREATE FOREIGN TABLE mixed_file PARTITION OF mixed FOR VALUES FROM (0) TO (100) SERVER files OPTIONS (program 'echo 10; echo 11');
SELECT finding, value, advice FROM idgen.audit('mixed', 'id') WHERE finding IN ('rows', 'out of order');
SELECT value, advice FROM idgen.audit('mixed', 'id', 0) WHERE finding = 'rows';
DROP TABLE mixed;
DROP FOREIGN TABLE in_file;
DROP SERVER files;
DROP EXTENSION file_fdw;

-- A dropped column is none; neither is one of another type, nor a relation that holds no rows.
ALTER TABLE photo ADD gone bigint;
ALTER TABLE photo DROP gone;
CREATE DOMAIN count AS integer;
CREATE TABLE other_types (small int, number numeric, words text, counted count, ids bigint[]);
\pset format unaligned
\pset tuples_only
SELECT refusals($$idgen.audit('photo', 'gone')$$, $$idgen.audit('photo', '........pg.dropped.3........')$$, $$idgen.audit('photo', 'ID')$$,
                $$idgen.audit('photo', 'title')$$, $$idgen.audit('photo', 'ctid')$$,
                $$idgen.audit('other_types', 'small')$$, $$idgen.audit('other_types', 'number')$$, $$idgen.audit('other_types', 'words')$$,
                $$idgen.audit('other_types', 'counted')$$, $$idgen.audit('other_types', 'ids')$$,
                $$idgen.audit('idgen.horizon', 'last_value')$$, $$idgen.audit(0, 'id')$$, $$idgen.audit(4294967295, 'id')$$,
                $$idgen.audit('photo', 'id', -1)$$, $$idgen.audit('photo', 'id', 100.1)$$, $$idgen.audit('photo', 'id', 'NaN')$$,
                $$idgen.audit('photo', 'id', 'Infinity')$$,
                $$idgen.audit(NULL, 'id')$$, $$idgen.audit('photo', NULL)$$, $$idgen.audit('photo', 'id', NULL)$$,
                $$idgen.audit('photo', 'id', layout => NULL)$$);
\pset format aligned
\pset tuples_only off

-- The caller's privileges: none; on the column alone, so that ctid is not seen; on the table; through row security.
CREATE ROLE audit_reader;
CREATE SCHEMA closed CREATE TABLE inner_photo (id bigint);
SELECT 'closed.inner_photo'::regclass::oid AS closed \gset
SET ROLE audit_reader;
\pset format unaligned
\pset tuples_only
SELECT refusals($$idgen.audit('photo', 'id')$$);
SELECT regexp_replace(refusals(format('idgen.audit(%s, %L)', :closed, 'id')), '\d{4,}, ', 'OID, ');
\pset format aligned
\pset tuples_only off
RESET ROLE;
DROP SCHEMA closed CASCADE;
GRANT SELECT (id) ON photo TO audit_reader;
SET ROLE audit_reader;
SELECT finding, value, advice FROM idgen.audit('photo', 'id') WHERE finding IN ('rows', 'out of order');
RESET ROLE;
GRANT SELECT ON photo TO audit_reader;
ALTER TABLE photo ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_shard_5 ON photo USING (id_shard(id) = 5);
SET ROLE audit_reader;
SELECT finding, value, advice FROM idgen.audit('photo', 'id') WHERE finding IN ('rows', 'shards', 'out of order');
SET row_security = off;
\pset format unaligned
\pset tuples_only
SELECT refusals($$idgen.audit('photo', 'id')$$);
\pset format aligned
\pset tuples_only off
RESET row_security;
RESET ROLE;

-- The order is that of storage, also if a policy's condition reads by an index, and if another scan has stopped midway.
CREATE TABLE guarded (id bigint, shown int);
INSERT INTO guarded SELECT id_make('2026-11-01 12:00'::timestamptz + n * interval '1 second', 5, 0), -n FROM generate_series(1, 100) AS n;
CREATE INDEX ON guarded (shown);
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY shown ON guarded USING (shown < 0);
GRANT SELECT ON guarded TO audit_reader;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET ROLE audit_reader;
EXPLAIN (COSTS OFF) SELECT id FROM guarded;
SELECT value FROM idgen.audit('guarded', 'id') WHERE finding = 'out of order';
RESET ROLE;
RESET enable_seqscan;
RESET enable_bitmapscan;
DROP TABLE guarded;
CREATE UNLOGGED TABLE large (id bigint, filler text);
ALTER TABLE large ALTER filler SET STORAGE PLAIN;
INSERT INTO large SELECT id_make('2026-11-01 12:00'::timestamptz + n * interval '1 second', 5, 0), repeat('x', 7000) FROM generate_series(1, 4500) AS n;
BEGIN;
DECLARE reader CURSOR FOR SELECT FROM large;
MOVE 2000 IN reader;
COMMIT;
SELECT value FROM idgen.audit('large', 'id') WHERE finding = 'out of order';
SHOW synchronize_seqscans;
DROP TABLE large;

-- More shards than it begins with, and more rows than its memory holds
SET maintenance_work_mem = '1MB';
CREATE TABLE spread AS SELECT id_make('2026-11-01 12:00'::timestamptz + n * interval '1 ms', n % 7000, 0) AS id FROM generate_series(100000, 1, -1) AS n;
INSERT INTO spread SELECT id FROM spread LIMIT 10;
SELECT finding, value FROM idgen.audit('spread', 'id') WHERE finding IN ('rows', 'duplicates', 'shards', 'out of order', 'busiest tick');
RESET maintenance_work_mem;
DROP TABLE spread;

-- The aggregate by itself is harmless.
SELECT idgen.audit_facts(5, NULL, '2026-11-01', 'instagram') FILTER (WHERE false);
SELECT n, idgen.audit_facts(n % 10, NULL, '2026-11-01', 'instagram') FROM generate_series(1, 2) AS n GROUP BY n ORDER BY n;
SELECT idgen.audit_facts(n, NULL, '2026-11-01', 'instagram') OVER () FROM generate_series(1, 2) AS n;
\pset format unaligned
\pset tuples_only
SELECT refusals($$idgen.audit_facts(5, NULL, NULL, 'instagram')$$, $$idgen.audit_facts(5, NULL, '2026-11-01', NULL)$$,
                $$idgen.audit_facts(5, NULL, 'infinity', 'instagram')$$);
\pset format aligned
\pset tuples_only off

-- It needs neither search_path nor its schema's name, and trusts no operator of the caller's.
CREATE SCHEMA traps;
CREATE FUNCTION traps.never(bigint, bigint) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE OPERATOR traps.> (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = traps.never);
CREATE OPERATOR traps.<> (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = traps.never);
CREATE TABLE traps.pg_class (oid oid, relkind "char");
SET search_path = traps, pg_catalog;
SELECT finding, value, ok FROM idgen.audit('public.photo', 'id') WHERE finding IN ('rows', 'shards', 'duplicates');
RESET search_path;
DROP OPERATOR traps.> (bigint, bigint), traps.<> (bigint, bigint);
DROP FUNCTION traps.never;
DROP TABLE traps.pg_class;
DROP SCHEMA traps;

-- Other layouts; named arguments
TRUNCATE photo;
INSERT INTO photo (id) SELECT id_make('2026-11-01', 106, n, 'twitter') FROM generate_series(0, 9) AS n;
SELECT * FROM idgen.audit("table" => 'photo', "column" => 'id', layout => 'twitter');

DROP VIEW both_tables;
DROP MATERIALIZED VIEW kept;
DROP FUNCTION found;
DROP TABLE photo, empty, message, other_types, "a ""schema""; --"."SELECT '%s %I %1$s";
DROP SCHEMA "a ""schema""; --";
DROP DOMAIN photo_id, "an id", count;
DROP ROLE audit_reader;
