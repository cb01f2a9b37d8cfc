-- Migration of existing tables: faces, findings, refusals, privileges. Kills and concurrent sessions: test/t/022_migrate.pl.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
SET idgen.shards = '5';
\set VERBOSITY default
\set SHOW_CONTEXT never

-- IDs for many instants: a full tick spills, taken ones are passed by, all ascend.
SELECT id_time(id, l), id_shard(id, l), id_sequence(id, l)
  FROM (SELECT 'epoch=2020-01-01T00:00:00Z unit=1s time=30 shard=3 sequence=1'::id_layout AS l) AS layout,
       unnest(id_make_array(ARRAY['2026-11-21 00:00:00', '2026-11-21 00:00:00.5', '2026-11-21 00:00:00.9', '2026-11-21 00:00:05']::timestamptz[],
                            5, 0, ARRAY[id_make('2026-11-21', 5, 1, l)], l)) AS id;
SELECT id_make_array('{}', 5) AS nothing, id_make_array('{2026-11-21}', 5, id_make('2026-11-22', 5, 7)) = ARRAY[id_make('2026-11-22', 5, 8)] AS above;
SELECT id_make_array('{2026-11-21}', NULL, layout => 'mastodon') = ARRAY[id_make('2026-11-21', 0, 0, 'mastodon')] AS without_shard;
SELECT refusals('id_make_array(NULL, 5)', 'id_make_array(''{NULL}'', 5)', 'id_make_array(''{2026-11-21}'', NULL)',
                'id_make_array(''{2026-11-21}'', 8192)', 'id_make_array(''{2026-11-21}'', -1)', 'id_make_array(''{2026-11-21}'', 5, NULL)',
                'id_make_array(''{2026-11-21}'', 5, 0, NULL)', 'id_make_array(''{2026-11-21}'', 5, 0, ''{2,1}'')',
                'id_make_array(''{2026-11-21,2026-11-20}'', 5)', 'id_make_array(''{infinity}'', 5)', 'id_make_array(''{2000-01-01}'', 5)',
                'id_make_array(''{2050-01-01}'', 5)', 'id_make_array(''{2026-11-21}'', 5, layout => NULL)',
                'id_make_array(''{2026-11-21}'', 5, layout => ''trace'')');

-- A row's ID by where it lies; a map that is none, or is cut short, has none.
SELECT idgen_migrate_find(map, '(7,2)', '2026-11-21') AS found, idgen_migrate_find(map, '(7,1)', '2026-11-22') AS other_time,
       idgen_migrate_find(map, '(7,3)', '2026-11-21') AS other_row, idgen_migrate_find(substr(map, 1, 47), '(9,1)', '2026-11-21') AS cut,
       idgen_migrate_find('', '(7,1)', '2026-11-21') AS empty, low, high
  FROM idgen_migrate_map('{"(9,1)","(7,2)","(7,1)"}', ARRAY['2026-11-21', '2026-11-21', '2026-11-21']::timestamptz[], '{3,2,1}');
SELECT low, high, length(map) FROM idgen_migrate_map('{"(9,1)","(700,2)"}', ARRAY['2026-11-21', '2026-11-21']::timestamptz[], '{1,2}');
SELECT * FROM idgen_migrate_map('{}', '{}', '{}');
SELECT refusals('idgen_migrate_map(''{"(0,1)"}'', ''{}'', ''{1}'')', 'idgen_migrate_map(''{"(0,1)"}'', ''{2026-11-21}'', ''{1,2}'')',
                'idgen_migrate_map(''{NULL}'', ''{2026-11-21}'', ''{1}'')', 'idgen_migrate_map(NULL, ''{}'', ''{}'')');

-- Backfill: refused, then done.
CREATE TABLE old (key integer PRIMARY KEY, id bigint, made timestamptz, day date, note text);
INSERT INTO old SELECT n, NULL, '2020-01-01'::timestamptz + n / 1500 * interval '1 ms', '2020-01-01'::date + n % 2000, 'row ' || n
  FROM generate_series(1, 3000) n;
CALL idgen_backfill('old', 'id', 'made', 5);
CALL idgen_backfill('old', 'nothing', 'made', 5);
CALL idgen_backfill('old', 'note', 'made', 5);
CALL idgen_backfill('old', 'key', 'made', 5);
CREATE UNIQUE INDEX ON old (id);
CALL idgen_backfill('old', 'id', 'nothing', 5);
CALL idgen_backfill('old', 'id', 'note', 5);
CALL idgen_backfill('old', 'id', NULL, 5);
CALL idgen_backfill('old', 'id', 'made', 8192);
CALL idgen_backfill('old', 'id', 'made', NULL);
CALL idgen_backfill('old', 'id', 'made', 5, batch => 0);
CALL idgen_backfill('old', 'id', 'made', 5, tie_column => 'nothing');
CALL idgen_backfill('old', 'id', 'made', 5, layout => 'trace');
CALL idgen_backfill(NULL, 'id', 'made', 5);
BEGIN;
CALL idgen_backfill('old', 'id', 'made', 5);
ROLLBACK;
UPDATE old SET made = NULL WHERE key IN (7, 8);
CALL idgen_backfill('old', 'id', 'made', 5);
UPDATE old SET made = '2009-01-01' WHERE key = 7;
UPDATE old SET made = '2046-06-27 12:00' WHERE key = 8;
SELECT ok, finding FROM idgen_migration_check('backfill', 'old', 'id', 'made', 5) WHERE finding !~ 'about|epoch';
CALL idgen_backfill('old', 'id', 'made', 5);
UPDATE old SET made = '2020-01-01' WHERE key = 7;
CALL idgen_backfill('old', 'id', 'made', 5);
SELECT count(id) FROM old;
UPDATE old SET made = '2020-01-01' WHERE key = 8;
CALL idgen_backfill('old', 'id', 'made', 5, batch => 700);
SELECT count(*), count(DISTINCT id), bool_and(id_shard(id) = 5), min(id_time(id)), max(id_time(id)) FROM old;
SELECT count(*) AS out_of_order FROM (SELECT id, lag(id) OVER (ORDER BY made, key) AS before FROM old) o WHERE id <= before;
SELECT relation, id_column, kind, step, rows_done, rows_estimated, state, next_step FROM idgen_migration;
-- Again: nothing to do. With holes: those rows, none of the IDs that are there.
CALL idgen_backfill('old', 'id', 'made', 5);
UPDATE old SET id = NULL WHERE key % 3 = 0;
CALL idgen_backfill('old', 'id', 'made', 5, tie_column => 'note');
SELECT count(*), count(DISTINCT id), bool_and(id_time(id) - made < '4 ms') FROM old;
-- From a day, a timestamp, a uuid of version 7
ALTER TABLE old ADD day_id bigint, ADD local timestamp DEFAULT '2021-02-03 04:05:06', ADD local_id bigint,
                ADD v7 uuid, ADD v7_id bigint;
UPDATE old SET v7 = (lpad(to_hex(1600000000000 + key), 12, '0') || '7000a' || lpad(to_hex(key), 15, '0'))::uuid;
CREATE UNIQUE INDEX ON old (day_id);
CREATE UNIQUE INDEX ON old (local_id);
CREATE UNIQUE INDEX ON old (v7_id);
CALL idgen_backfill('old', 'day_id', 'day', 5);
CALL idgen_backfill('old', 'local_id', 'local', 5);
CALL idgen_backfill('old', 'v7_id', 'v7', 5);
SELECT bool_and(id_time(day_id) = day::timestamp AT TIME ZONE 'UTC') AS day, count(DISTINCT day_id) AS days,
       bool_and(id_time(local_id) - local AT TIME ZONE 'UTC' BETWEEN '0' AND '2 ms') AS local,
       bool_and(id_time(v7_id) = to_timestamp((1600000000000 + key) / 1000.0)) AS v7 FROM old;
UPDATE old SET v7 = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6', v7_id = NULL WHERE key = 1;
CALL idgen_backfill('old', 'v7_id', 'v7', 5);

-- What the check says of triggers, generated columns, defaults, references, and of tables that cannot be filled
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.note := ''touched''; RETURN NEW; END';
CREATE TRIGGER touched BEFORE UPDATE ON old FOR EACH ROW EXECUTE FUNCTION touch();
ALTER TABLE old ADD twice integer GENERATED ALWAYS AS (key * 2) STORED;
CREATE TABLE refers (old_id bigint REFERENCES old (id));
SELECT ok, finding, advice FROM idgen_migration_check('backfill', 'old', 'id', 'local', 5) WHERE finding !~ 'about';
CREATE TABLE parted (id bigint, made timestamptz) PARTITION BY RANGE (made);
CREATE VIEW seen AS SELECT id, made FROM old;
CREATE TABLE child () INHERITS (old);
SELECT p, ok, finding, advice FROM unnest('{parted,seen,old}'::regclass[]) p, idgen_migration_check('backfill', p, 'id', 'made', 5) WHERE NOT ok;
SELECT * FROM idgen_migration_check('backfill', 'old', 'twice', 'made', 5) WHERE NOT ok;
DROP TABLE child, parted CASCADE;
SELECT refusals('idgen_migration_check(''nothing'', ''old'', ''id'')', 'idgen_migration_check(NULL, ''old'', ''id'')',
                'idgen_migration_check(''backfill'', NULL, ''id'')');

-- Roles: the owner of a table migrates it, nobody else does or sees it.
CREATE ROLE idgen_owner;
CREATE ROLE idgen_other;
CREATE SCHEMA own AUTHORIZATION idgen_owner;
SET ROLE idgen_owner;
CREATE TABLE own.t (id bigint UNIQUE, made timestamptz DEFAULT '2024-01-01');
INSERT INTO own.t (made) SELECT '2024-01-01' FROM generate_series(1, 10);
SET search_path = pg_catalog;
CALL public.idgen_backfill('own.t', 'id', 'made', 5);
RESET search_path;
SELECT count(DISTINCT id) FROM own.t;
SELECT relation, state FROM idgen_migration;
RESET ROLE;
GRANT USAGE ON SCHEMA own TO idgen_other;
GRANT ALL ON own.t TO idgen_other;
SET ROLE idgen_other;
CALL idgen_backfill('own.t', 'id', 'made', 5);
SELECT count(*) FROM idgen_migration;
INSERT INTO idgen_migration_state (relation, id_column, kind, step) VALUES ('own.t'::regclass, 'made', 'backfill', 'done');
UPDATE idgen_migration_state SET step = 'mine';
RESET ROLE;
SELECT count(*) FROM idgen_migration WHERE step = 'mine';
ALTER TABLE own.t ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SET ROLE idgen_owner;
CALL idgen_backfill('own.t', 'id', 'made', 5);
RESET ROLE;

-- Serial and identity
CREATE TABLE small (id serial PRIMARY KEY, note text);
CREATE TABLE small_ref (small_id integer REFERENCES small);
CREATE TABLE counted (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, note text);
CREATE TABLE serials (id bigserial PRIMARY KEY, note text);
INSERT INTO small (note) VALUES ('a'), ('b');
INSERT INTO small_ref VALUES (1), (2);
INSERT INTO counted (note) VALUES ('a');
INSERT INTO serials (note) VALUES ('a');
SELECT ok, finding FROM idgen_migration_check('serial', 'small', 'id') WHERE finding !~ 'about|largest';
\set VERBOSITY terse
CALL idgen_replace_serial('small', 'id');
\set VERBOSITY default
CREATE VIEW uses AS SELECT id FROM small;
CALL idgen_replace_serial('small', 'id', widen => true);
DROP VIEW uses;
CALL idgen_replace_serial('small', 'note');
CALL idgen_replace_serial('small', 'id', widen => true);
CALL idgen_replace_serial('counted', 'id', 5, layout => 'snowflake');
CALL idgen_replace_serial('serials', 'id');
SELECT attrelid::regclass, attname, atttypid::regtype, attidentity, pg_get_expr(adbin, adrelid), pg_get_serial_sequence(attrelid::regclass::text, attname)
  FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
 WHERE attrelid IN ('small'::regclass, 'small_ref'::regclass, 'counted'::regclass, 'serials'::regclass) AND attname LIKE '%id' AND attnum > 0
 ORDER BY attrelid::regclass::text COLLATE "C";
INSERT INTO small (note) VALUES ('c');
INSERT INTO counted (note) VALUES ('c');
SELECT max(id) = max(id) FILTER (WHERE note = 'c') AS larger, count(*) FROM small;
SELECT max(id) = max(id) FILTER (WHERE note = 'c') AS larger, id_time(max(id), 'snowflake') > now() - interval '1 h' AS now FROM counted;
-- Ids of the future are refused, and a layout whose IDs would be smaller.
INSERT INTO serials VALUES (id_max('2046-06-27 12:00'), 'future');
\set VERBOSITY terse
SELECT ok, finding ~ '^public.serials.id goes up to \d+, past what next_id\(\) makes now$' AS past FROM idgen_migration_check('serial', 'serials', 'id') WHERE NOT ok;
CALL idgen_replace_serial('serials', 'id', layout => 'trace');
\set VERBOSITY default

-- From uuid: what stands in the way
CREATE TABLE thing (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), made timestamptz DEFAULT '2024-01-01');
CREATE TABLE owner_of (thing uuid REFERENCES thing DEFERRABLE, thing_new bigint);
CALL idgen_uuid_start('small', 'new');
CALL idgen_uuid_start('thing', 'made');
CALL idgen_uuid_start('thing', 'new');
ALTER TABLE owner_of ALTER CONSTRAINT owner_of_thing_fkey NOT DEFERRABLE, DROP thing_new;
CALL idgen_uuid_link('thing', 'new');
CALL idgen_uuid_switch('thing', 'new');
CALL idgen_uuid_finish('thing', 'new');
CALL idgen_uuid_abandon('thing', 'new');
INSERT INTO thing DEFAULT VALUES;
INSERT INTO owner_of SELECT id FROM thing;
CALL idgen_uuid_start('thing', 'new');
CALL idgen_uuid_link('thing', 'new');
CREATE UNIQUE INDEX ON thing (new);
CALL idgen_uuid_link('thing', 'new');
CALL idgen_backfill('thing', 'new', 'made', 5);
CALL idgen_uuid_link('thing', 'new');
CALL idgen_uuid_switch('thing', 'new');
SELECT id_column, kind, step, rows_done, state, next_step FROM idgen_migration WHERE kind IN ('uuid', 'reference') ORDER BY 1;
CALL idgen_uuid_abandon('thing', 'new');
\d thing
\d owner_of
SELECT count(*) FROM pg_proc WHERE proname LIKE 'idgen_sync%';
SELECT count(*) FROM idgen_migration WHERE kind IN ('uuid', 'reference');

DROP VIEW seen;
DROP TABLE refers, old, small_ref, small, counted, serials, owner_of, thing, own.t;
DROP SCHEMA own;
DROP FUNCTION touch;
DROP ROLE idgen_owner, idgen_other;
DELETE FROM idgen_migration_state;
