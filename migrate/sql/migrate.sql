-- Migration of existing tables: faces, findings, refusals, privileges. Kills and concurrent sessions: migrate/t.
\getenv house PG_ABS_SRCDIR
\set helpers :house /../sql/helpers.sql
\set ECHO none
\i :helpers
\set ECHO all
CREATE EXTENSION idgen;
CREATE EXTENSION idgen_migrate;
SELECT extrelocatable, extnamespace::regnamespace FROM pg_extension WHERE extname = 'idgen_migrate';
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

-- Backfill: refused, then done.
CREATE TABLE old (key integer PRIMARY KEY, id bigint, made timestamptz, day date, note text);
INSERT INTO old SELECT n, NULL, '2020-01-01'::timestamptz + n / 1500 * interval '1 ms', '2020-01-01'::date + n % 2000, 'row ' || n
  FROM generate_series(1, 3000) n;
CALL idgen_migrate.backfill('old', 'id', 'made', 5);
CALL idgen_migrate.backfill('old', 'nothing', 'made', 5);
CALL idgen_migrate.backfill('old', 'note', 'made', 5);
CALL idgen_migrate.backfill('old', 'key', 'made', 5);
CREATE UNIQUE INDEX ON old (id);
CALL idgen_migrate.backfill('old', 'id', 'nothing', 5);
CALL idgen_migrate.backfill('old', 'id', 'note', 5);
CALL idgen_migrate.backfill('old', 'id', 'made', 8192);
CALL idgen_migrate.backfill('old', 'id', 'made', NULL);
CALL idgen_migrate.backfill('old', 'id', 'made', 5, batch => 0);
CALL idgen_migrate.backfill('old', 'id', 'made', 5, tie_column => 'nothing');
CALL idgen_migrate.backfill('old', 'id', 'made', 5, layout => 'trace');
CALL idgen_migrate.backfill(NULL, 'id', 'made', 5);
BEGIN;
CALL idgen_migrate.backfill('old', 'id', 'made', 5);
ROLLBACK;
BEGIN\; CALL idgen_migrate.uuid_start('old', 'id');
ROLLBACK;
CREATE FUNCTION call() RETURNS void LANGUAGE plpgsql AS $$ BEGIN CALL idgen_migrate.replace_serial('old', 'id'); END $$;
SELECT call();
DROP FUNCTION call;
UPDATE old SET made = NULL WHERE key IN (7, 8);
CALL idgen_migrate.backfill('old', 'id', 'made', 5);
UPDATE old SET made = '2009-01-01' WHERE key = 7;
UPDATE old SET made = '2046-06-27 12:00' WHERE key = 8;
SELECT ok, finding FROM idgen_migrate.check('backfill', 'old', 'id', 'made', 5) WHERE finding !~ '^rows of|epoch';
CALL idgen_migrate.backfill('old', 'id', 'made', 5);
UPDATE old SET made = '2020-01-01' WHERE key = 7;
CALL idgen_migrate.backfill('old', 'id', 'made', 5);
SELECT count(id) FROM old;
UPDATE old SET made = '2020-01-01' WHERE key = 8;
CALL idgen_migrate.backfill('old', 'id', 'made', 5, batch => 700);
SELECT count(*), count(DISTINCT id), bool_and(id_shard(id) = 5), min(id_time(id)), max(id_time(id)) FROM old;
SELECT count(*) AS out_of_order FROM (SELECT id, lag(id) OVER (ORDER BY made, key) AS before FROM old) o WHERE id <= before;
SELECT relation, id_column, kind, step, rows_done, rows_estimated, state, next_step FROM idgen_migrate.progress;
-- Again: nothing to do. With holes: those rows, none of the IDs that are there.
CALL idgen_migrate.backfill('old', 'id', 'made', 5);
UPDATE old SET id = NULL WHERE key % 3 = 0;
CALL idgen_migrate.backfill('old', 'id', 'made', 5, tie_column => 'note');
SELECT count(*), count(DISTINCT id), bool_and(id_time(id) - made < '4 ms') FROM old;
-- From a day, a timestamp, a uuid of version 7
ALTER TABLE old ADD day_id bigint, ADD local timestamp DEFAULT '2021-02-03 04:05:06', ADD local_id bigint,
                ADD v7 uuid, ADD v7_id bigint;
UPDATE old SET v7 = (lpad(to_hex(1600000000000 + key), 12, '0') || '7000a' || lpad(to_hex(key), 15, '0'))::uuid;
CREATE UNIQUE INDEX ON old (day_id);
CREATE UNIQUE INDEX ON old (local_id);
CREATE UNIQUE INDEX ON old (v7_id);
CALL idgen_migrate.backfill('old', 'day_id', 'day', 5);
CALL idgen_migrate.backfill('old', 'local_id', 'local', 5);
CALL idgen_migrate.backfill('old', 'v7_id', 'v7', 5);
SELECT bool_and(id_time(day_id) = day::timestamp AT TIME ZONE 'UTC') AS day, count(DISTINCT day_id) AS days,
       bool_and(id_time(local_id) - local AT TIME ZONE 'UTC' BETWEEN '0' AND '2 ms') AS local,
       bool_and(id_time(v7_id) = to_timestamp((1600000000000 + key) / 1000.0)) AS v7 FROM old;
UPDATE old SET v7 = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6', v7_id = NULL WHERE key = 1;
CALL idgen_migrate.backfill('old', 'v7_id', 'v7', 5);

-- What the check says of triggers, generated columns, defaults, references, and of tables that cannot be filled
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.note := ''touched''; RETURN NEW; END';
CREATE TRIGGER touched BEFORE UPDATE ON old FOR EACH ROW EXECUTE FUNCTION touch();
ALTER TABLE old ADD twice integer GENERATED ALWAYS AS (key * 2) STORED;
CREATE TABLE refers (old_id bigint REFERENCES old (id));
SELECT ok, finding, advice FROM idgen_migrate.check('backfill', 'old', 'id', 'local', 5) WHERE finding !~ '^rows of';
CREATE TABLE parted (id bigint, made timestamptz) PARTITION BY RANGE (made);
CREATE VIEW seen AS SELECT id, made FROM old;
CREATE TABLE child () INHERITS (old);
SELECT p, ok, finding, advice FROM unnest('{parted,seen,old}'::regclass[]) p, idgen_migrate.check('backfill', p, 'id', 'made', 5) WHERE NOT ok;
SELECT * FROM idgen_migrate.check('backfill', 'old', 'twice', 'made', 5) WHERE NOT ok;
DROP TABLE child, parted CASCADE;
SELECT refusals('idgen_migrate.check(''nothing'', ''old'', ''id'')', 'idgen_migrate.check(NULL, ''old'', ''id'')',
                'idgen_migrate.check(''backfill'', NULL, ''id'')');

-- Roles: only the owner of a table migrates it, in a session that this role began.
CREATE ROLE idgen_owner;
CREATE SCHEMA own AUTHORIZATION idgen_owner;
SET ROLE idgen_owner;
CREATE TABLE own.t (id bigint UNIQUE, made timestamptz DEFAULT '2024-01-01');
INSERT INTO own.t (made) SELECT '2024-01-01' FROM generate_series(1, 10);
\set VERBOSITY terse
CALL idgen_migrate.backfill('own.t', 'id', 'made', 5);
SELECT count(*) FROM idgen_migrate.progress;
INSERT INTO idgen_migrate.job (relation, id_column, kind, step) VALUES ('old', 'id', 'backfill', 'done');
INSERT INTO idgen_migrate.job (relation, id_column, kind, step) VALUES ('own.t', 'id', 'backfill', 'done');
UPDATE idgen_migrate.job SET relation = 'old';
UPDATE idgen_migrate.job SET step = 'mine';
DELETE FROM idgen_migrate.job;
UPDATE idgen_migrate.job SET step = 'filling';
SELECT relation, step FROM idgen_migrate.progress;
RESET ROLE;
CALL idgen_migrate.backfill('own.t', 'id', 'made', 5);
SELECT ok, finding, advice FROM idgen_migrate.check('backfill', 'own.t', 'id', 'made', 5) WHERE NOT ok;
\set VERBOSITY default
-- What a superuser's own table calls belongs to a superuser; a table around it belongs to its owner.
GRANT USAGE ON SCHEMA own TO PUBLIC;
CREATE TABLE mine (id bigint UNIQUE, made timestamptz DEFAULT '2024-01-01');
CREATE FUNCTION own.look() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER look BEFORE UPDATE ON mine FOR EACH ROW EXECUTE FUNCTION own.look();
SELECT finding FROM idgen_migrate.check('backfill', 'mine', 'id', 'made', 5) WHERE NOT ok;
ALTER FUNCTION own.look() OWNER TO idgen_owner;
SELECT finding FROM idgen_migrate.check('backfill', 'mine', 'id', 'made', 5) WHERE NOT ok;
DROP TRIGGER look ON mine;
CREATE TABLE own.refers (id bigint REFERENCES mine (id));
ALTER TABLE own.refers OWNER TO idgen_owner;
SELECT finding FROM idgen_migrate.check('backfill', 'mine', 'id', 'made', 5) WHERE NOT ok;
DROP TABLE own.refers, mine;

-- Serial and identity
CREATE TABLE small (id serial PRIMARY KEY, note text);
CREATE TABLE small_ref (small_id integer REFERENCES small);
CREATE TABLE counted (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, note text);
CREATE TABLE serials (id bigserial PRIMARY KEY, note text);
INSERT INTO small (note) VALUES ('a'), ('b');
INSERT INTO small_ref VALUES (1), (2);
INSERT INTO counted (note) VALUES ('a');
INSERT INTO serials (note) VALUES ('a');
SELECT ok, finding FROM idgen_migrate.check('serial', 'small', 'id') WHERE finding !~ '^rows of|largest';
\set VERBOSITY terse
CALL idgen_migrate.replace_serial('small', 'id');
\set VERBOSITY default
CALL idgen_migrate.replace_serial('small', 'note');
CREATE POLICY uses ON small USING (id > 0);
CALL idgen_migrate.replace_serial('small', 'id', widen => true);
DROP POLICY uses ON small;
CREATE VIEW shows AS SELECT id FROM small;
CALL idgen_migrate.replace_serial('small', 'id', widen => true);
SELECT count(*) FROM shows;
DROP VIEW shows;
CALL idgen_migrate.replace_serial('counted', 'id', 5, layout => 'snowflake');
CALL idgen_migrate.replace_serial('serials', 'id');
SELECT attrelid::regclass, attname, atttypid::regtype, attidentity, pg_get_expr(adbin, adrelid), pg_get_serial_sequence(attrelid::regclass::text, attname)
  FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
 WHERE attrelid IN ('small'::regclass, 'small_ref'::regclass, 'counted'::regclass, 'serials'::regclass) AND attname LIKE '%id' AND attnum > 0
 ORDER BY attrelid::regclass::text COLLATE "C";
INSERT INTO small (note) VALUES ('c');
INSERT INTO counted (note) VALUES ('c');
-- What Django's sqlsequencereset and loaddata, and Rails' reset_pk_sequence!, send.
SELECT setval(pg_get_serial_sequence('"small"', 'id'), coalesce(max(id), 1), max(id) IS NOT NULL) FROM small;
SELECT setval(pg_get_serial_sequence('"serials"', 'id'), coalesce(max(id), 1), max(id) IS NOT NULL) FROM serials;
SELECT max(id) = max(id) FILTER (WHERE note = 'c') AS larger, count(*) FROM small;
SELECT max(id) = max(id) FILTER (WHERE note = 'c') AS larger, id_time(max(id), 'snowflake') > now() - interval '1 h' AS now FROM counted;
-- Ids of the future are refused, and a layout whose IDs would be smaller.
INSERT INTO serials VALUES (id_max('2046-06-27 12:00'), 'future');
\set VERBOSITY terse
SELECT ok, finding ~ '^public.serials.id goes up to \d+, past what next_id\(\) makes now$' AS past FROM idgen_migrate.check('serial', 'serials', 'id') WHERE NOT ok;
CALL idgen_migrate.replace_serial('serials', 'id', layout => 'trace');
\set VERBOSITY default

-- A partitioned serial
CREATE TABLE parted (id serial, made date, PRIMARY KEY (id, made)) PARTITION BY RANGE (made);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
INSERT INTO parted (made) VALUES ('2024-01-01'), ('2024-01-02');
SELECT finding FROM idgen_migrate.check('serial', 'parted', 'id') WHERE NOT ok;
CALL idgen_migrate.replace_serial('parted', 'id', widen => true);
INSERT INTO parted (made) VALUES ('2024-01-03');
INSERT INTO parted_1 (made) VALUES ('2024-01-04');
SELECT made, id < 1000 AS old, id_shard(id) = 5 AS new FROM parted ORDER BY made;
DROP TABLE parted;
CREATE TABLE parted (id bigint GENERATED ALWAYS AS IDENTITY, made date) PARTITION BY RANGE (made);
CREATE TABLE parted_1 PARTITION OF parted DEFAULT;
CALL idgen_migrate.replace_serial('parted', 'id');
INSERT INTO parted (made) VALUES ('2024-01-03') RETURNING id_shard(id);
DROP TABLE parted;

-- An integer key with references moves by a new column. The child has a uuid of version 4 as its key, and no time.
CREATE TABLE customer (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, made timestamptz DEFAULT '2024-01-01');
CREATE TABLE visit (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), customer integer NOT NULL REFERENCES customer ON UPDATE CASCADE ON DELETE SET NULL);
INSERT INTO customer SELECT FROM generate_series(1, 100);
INSERT INTO visit (customer) SELECT id FROM customer;
CALL idgen_migrate.uuid_start('customer', 'new');
CREATE UNIQUE INDEX ON customer (new);
CREATE UNIQUE INDEX ON customer (id);
CALL idgen_migrate.backfill('customer', 'new', 'made', 7);
CALL idgen_migrate.uuid_link('customer', 'new');
CALL idgen_migrate.uuid_switch('customer', 'new');
CALL idgen_migrate.uuid_finish('customer', 'new');
CALL idgen_migrate.uuid_start('customer', 'new');
SELECT count(*), count(DISTINCT new), bool_and(customer_new = new) FROM visit JOIN customer ON customer = customer.id;
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid IN ('customer'::regclass, 'visit'::regclass) AND contype <> 'n' ORDER BY 1;
CALL idgen_migrate.uuid_start('visit', 'new');
CREATE UNIQUE INDEX ON visit (new);
CREATE UNIQUE INDEX ON visit (id);
SELECT ok, finding, advice FROM idgen_migrate.check('backfill', 'visit', 'new', NULL, 5) WHERE finding !~ '^rows of';
CALL idgen_migrate.backfill('visit', 'new', NULL, 7);
CALL idgen_migrate.backfill('visit', 'new', NULL, idgen.own_shards(), batch => 30);
CALL idgen_migrate.uuid_link('visit', 'new');
CALL idgen_migrate.uuid_switch('visit', 'new');
CALL idgen_migrate.uuid_rename('visit', 'new');
CALL idgen_migrate.uuid_finish('visit', 'new');
SELECT count(DISTINCT new), bool_and(id_time(new) > now() - interval '1 hour') AS of_now, bool_and(id_shard(new) = 5) FROM visit;

-- The old columns go with what is about them alone; what is about others, too, stands in the way, and then nothing is changed.
ALTER TABLE visit ADD note text, ADD CONSTRAINT note_of_customer UNIQUE (customer, note), ADD CHECK (customer > 0), ADD CONSTRAINT one_visit UNIQUE (customer),
                  ADD CONSTRAINT some_note CHECK (customer > 0 OR note <> '');
CREATE INDEX visit_customer_idx ON visit (customer);
CREATE UNIQUE INDEX visit_once_idx ON visit (customer);
CREATE INDEX visit_noted_idx ON visit (customer) WHERE note <> '';
CREATE INDEX visit_double_idx ON visit ((customer * 2));
CREATE VIEW seen_customer AS SELECT id FROM customer;
CREATE TABLE owes (customer integer REFERENCES customer (id));
SELECT ok, finding, advice FROM idgen_migrate.check('rename', 'customer', 'new') WHERE finding !~ '^rows of' ORDER BY ok, finding COLLATE "C";
SELECT ok, finding FROM idgen_migrate.check('rename', 'customer', 'made') WHERE finding !~ '^rows of';
CALL idgen_migrate.uuid_rename('customer', 'new');
DROP TABLE owes;
DROP VIEW seen_customer;
DROP INDEX visit_noted_idx, visit_double_idx;
ALTER TABLE visit DROP CONSTRAINT note_of_customer, DROP CONSTRAINT some_note, ADD UNIQUE (customer_new);
SELECT ok, finding FROM idgen_migrate.check('rename', 'customer', 'new') WHERE finding !~ '^rows of' ORDER BY ok, finding COLLATE "C";
BEGIN;
CALL idgen_migrate.uuid_rename('customer', 'new');
ROLLBACK;
CALL idgen_migrate.uuid_rename('customer', 'new');
CALL idgen_migrate.uuid_rename('customer', 'new');
CALL idgen_migrate.uuid_rename('visit', 'new');
\d customer
\d visit
SELECT count(*) FROM visit v JOIN customer c ON v.customer = c.id;
SELECT id_column, step, state, next_step FROM idgen_migrate.progress WHERE kind = 'uuid';
DROP TABLE visit, customer;

-- IDs of type id64: of their times, and none that the column holds already.
CREATE TABLE shown (key integer PRIMARY KEY, id id64 UNIQUE, made timestamptz);
INSERT INTO shown SELECT n, CASE WHEN n % 10 = 0 THEN id_make('2024-01-01 00:00Z', 7, n) END, '2024-01-01 00:00Z' FROM generate_series(0, 99) n;
CALL idgen_migrate.backfill('shown', 'id', 'made', 7, batch => 20);
SELECT count(DISTINCT id), bool_and(id_time(id::bigint) = made), max(id_sequence(id::bigint)) FROM shown;
DROP TABLE shown;

-- From uuid: what stands in the way
CREATE TABLE given (id uuid PRIMARY KEY);
SELECT ok, finding, advice FROM idgen_migrate.check('uuid', 'given', 'new') WHERE finding !~ '^rows of';
DROP TABLE given;
CREATE TABLE thing (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), made timestamptz DEFAULT '2024-01-01');
CREATE TABLE owner_of (thing uuid REFERENCES thing DEFERRABLE, thing_new bigint);
CREATE TABLE texts (id text PRIMARY KEY);
CALL idgen_migrate.uuid_start('texts', 'new');
CALL idgen_migrate.uuid_start('thing', 'made');
CALL idgen_migrate.uuid_start('thing', 'new');
ALTER TABLE owner_of ALTER CONSTRAINT owner_of_thing_fkey NOT DEFERRABLE, DROP thing_new;
CALL idgen_migrate.uuid_link('thing', 'new');
CALL idgen_migrate.uuid_switch('thing', 'new');
CALL idgen_migrate.uuid_finish('thing', 'new');
CALL idgen_migrate.uuid_abandon('thing', 'new');
INSERT INTO thing DEFAULT VALUES;
INSERT INTO owner_of SELECT id FROM thing;
CALL idgen_migrate.uuid_start('thing', 'new');
CALL idgen_migrate.uuid_link('thing', 'new');
CREATE UNIQUE INDEX ON thing (new);
CALL idgen_migrate.uuid_link('thing', 'new');
CALL idgen_migrate.backfill('thing', 'new', 'made', 5);
CALL idgen_migrate.uuid_link('thing', 'new');
CALL idgen_migrate.uuid_switch('thing', 'new');
SELECT id_column, kind, step, rows_done, state, next_step FROM idgen_migrate.progress WHERE kind IN ('uuid', 'reference') ORDER BY 1;
CALL idgen_migrate.uuid_abandon('thing', 'new');
\d thing
\d owner_of
SELECT count(*) FROM pg_proc WHERE proname LIKE 'idgen_sync%';
SELECT count(*) FROM idgen_migrate.progress WHERE kind IN ('uuid', 'reference');

-- What was there before a move is there after it.
CREATE TABLE kept (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), new bigint, note text);
INSERT INTO kept (new) VALUES (7);
CALL idgen_migrate.uuid_start('kept', 'new');
CALL idgen_migrate.uuid_abandon('kept', 'new');
SELECT new FROM kept;
DROP TABLE kept;

-- References that are not moved as they are: said before anything is changed.
CREATE TABLE cat (id integer PRIMARY KEY, made timestamptz DEFAULT '2024-01-01', name text);
CREATE TABLE other (id integer PRIMARY KEY);
INSERT INTO cat SELECT n, '2024-01-01', 'cat ' || n FROM generate_series(1, 5) n;
CREATE DOMAIN first_cat AS integer DEFAULT 1;
CREATE TABLE item (n integer UNIQUE, cat_id integer NOT NULL DEFAULT 1 REFERENCES cat ON DELETE SET DEFAULT, old_cat first_cat REFERENCES cat,
                   even integer GENERATED ALWAYS AS (n % 2 + 1) STORED REFERENCES cat, counted integer GENERATED BY DEFAULT AS IDENTITY REFERENCES cat,
                   two integer REFERENCES cat REFERENCES other, of_others integer UNIQUE REFERENCES cat, late integer, taken integer REFERENCES cat, taken_new bigint,
                   a23456789_123456789_123456789_123456789_123456789_123456789_123 integer REFERENCES cat);
ALTER TABLE item ADD FOREIGN KEY (late) REFERENCES cat NOT VALID;
CREATE TABLE of_item (of_others integer REFERENCES item (of_others));
CREATE TRIGGER "~~late" BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TRIGGER " first" BEFORE UPDATE ON item FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TRIGGER "zz disabled" BEFORE UPDATE OF cat_id ON item FOR EACH ROW EXECUTE FUNCTION touch();
ALTER TABLE item DISABLE TRIGGER "zz disabled";
CREATE RULE logs AS ON INSERT TO item DO ALSO INSERT INTO other VALUES (NEW.cat_id);
CREATE TRIGGER "~~after" AFTER UPDATE OF cat_id ON item FOR EACH ROW EXECUTE FUNCTION touch();
SELECT finding, advice FROM idgen_migrate.check('uuid', 'cat', 'new') WHERE NOT ok;
CALL idgen_migrate.uuid_start('cat', 'new');
SELECT count(*) FROM pg_attribute WHERE attrelid = 'cat'::regclass AND attname = 'new';
DROP TABLE of_item, item, cat, other;
DROP DOMAIN first_cat;

-- Triggers between those of the move: they see the old reference of what the new release writes, and may change it.
CREATE TABLE cat (id integer PRIMARY KEY, made timestamptz DEFAULT '2024-01-01', merged_into integer, UNIQUE (id));
INSERT INTO cat SELECT n, '2024-01-01', CASE n WHEN 4 THEN 2 END FROM generate_series(1, 5) n;
CREATE TABLE item (title text, cat_id integer REFERENCES cat, seen integer, tag_id integer REFERENCES cat);
CREATE FUNCTION follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.seen := NEW.cat_id;
    NEW.cat_id := coalesce((SELECT merged_into FROM cat WHERE id = NEW.cat_id), NEW.cat_id);
    IF NEW.cat_id = 5 THEN
        NEW.cat_id := OLD.cat_id;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER merged BEFORE INSERT OR UPDATE ON item FOR EACH ROW EXECUTE FUNCTION follow();
CALL idgen_migrate.uuid_start('cat', 'new');
CREATE UNIQUE INDEX ON cat (new);
CALL idgen_migrate.backfill('cat', 'new', 'made', 7);
CALL idgen_migrate.uuid_link('cat', 'new');
INSERT INTO item (title, cat_id) VALUES ('old, to 1', 1), ('old, to 4', 4), ('old, to none', NULL);
INSERT INTO item (title, cat_id_new) SELECT 'new, to ' || id, new FROM cat WHERE id IN (1, 4);
INSERT INTO item (title, cat_id) SELECT 'old, moved to ' || id, 3 FROM cat;
INSERT INTO item (title, cat_id) SELECT 'new, moved to ' || id, 3 FROM cat;
UPDATE item SET cat_id = id FROM cat WHERE title = 'old, moved to ' || id;
UPDATE item SET cat_id_new = new FROM cat WHERE title = 'new, moved to ' || id;
INSERT INTO item (title, cat_id, tag_id) VALUES ('old, to none later', 1, 3), ('new, to none later', 1, 3);
UPDATE item SET cat_id = NULL WHERE title = 'old, to none later';
UPDATE item SET cat_id_new = NULL WHERE title = 'new, to none later';
INSERT INTO item (cat_id_new) VALUES (1);
UPDATE item SET cat_id_new = 1 WHERE title = 'old, to 1';
UPDATE item SET cat_id = 77 WHERE title = 'old, to 1';
SELECT title, cat_id, seen, (SELECT id FROM cat WHERE new = cat_id_new) AS by_new, (SELECT id FROM cat WHERE new = tag_id_new) AS tag FROM item ORDER BY title COLLATE "C";
CALL idgen_migrate.uuid_abandon('cat', 'new');
DROP TABLE item, cat;
DROP FUNCTION follow;

-- References in primary keys, published by the old key: what the switch and the end of the move ask for, and that it works.
CREATE TABLE tag (id integer PRIMARY KEY, made timestamptz DEFAULT '2024-01-01');
CREATE TABLE edge (tag_id integer REFERENCES tag, other integer REFERENCES tag, "what's" text, PRIMARY KEY (tag_id, "what's", other));
CREATE TABLE edge_note (tag_id integer, "what's" text, other integer, CONSTRAINT of_edge FOREIGN KEY (tag_id, "what's", other) REFERENCES edge);
INSERT INTO tag SELECT generate_series(1, 3);
INSERT INTO edge VALUES (1, 2, 'a'), (2, 3, 'b');
CREATE UNIQUE INDEX edge_identity ON edge (other, tag_id, "what's");
ALTER TABLE edge REPLICA IDENTITY USING INDEX edge_identity;
-- The server warns of wal_level, in words that differ.
SET client_min_messages = error;
CREATE PUBLICATION some_columns FOR TABLE tag (id, made);
CREATE PUBLICATION only_new FOR TABLE tag WITH (publish = 'insert');
RESET client_min_messages;
SELECT ok, finding, advice FROM idgen_migrate.check('uuid', 'tag', 'new') WHERE finding ~ 'primary';
CALL idgen_migrate.uuid_start('tag', 'new');
CREATE UNIQUE INDEX ON tag (new);
CREATE UNIQUE INDEX ON tag (id);
CALL idgen_migrate.backfill('tag', 'new', 'made', 7);
CALL idgen_migrate.uuid_link('tag', 'new');
SELECT kind, id_column, rows_done FROM idgen_migrate.progress ORDER BY 1, 2;
-- A second move of the same table
CALL idgen_migrate.uuid_start('tag', 'newer');
CALL idgen_migrate.uuid_switch('tag', 'new');
ALTER TABLE tag REPLICA IDENTITY USING INDEX tag_id_idx;
ALTER TABLE edge RENAME TO edges;
SELECT ok, finding FROM idgen_migrate.check('switch', 'tag', 'new') WHERE NOT ok;
ALTER TABLE edges RENAME TO edge;
CALL idgen_migrate.uuid_switch('tag', 'new');
UPDATE tag SET made = '2024-01-02';
CALL idgen_migrate.uuid_finish('tag', 'new');
ALTER TABLE edge_note DROP CONSTRAINT of_edge;
SELECT advice FROM idgen_migrate.check('finish', 'tag', 'new') WHERE NOT ok AND finding ~ 'primary' \gset
SELECT regexp_split_to_table(:'advice', '; ') AS statement \gexec
CALL idgen_migrate.uuid_finish('tag', 'new');
ALTER TABLE edge REPLICA IDENTITY DEFAULT;
DROP INDEX edge_identity;
CALL idgen_migrate.uuid_finish('tag', 'new');
ALTER TABLE edge ALTER other SET DEFAULT 1;
COMMENT ON COLUMN edge.tag_id IS 'from';
GRANT SELECT (other) ON edge TO PUBLIC;
CALL idgen_migrate.uuid_rename('tag', 'new');
SELECT finding, advice FROM idgen_migrate.check('rename', 'tag', 'new') WHERE NOT ok;
DROP PUBLICATION some_columns;
ALTER TABLE tag REPLICA IDENTITY DEFAULT;
ALTER TABLE edge ALTER other DROP DEFAULT;
COMMENT ON COLUMN edge.tag_id_new IS 'from';
GRANT SELECT (other_new) ON edge TO PUBLIC;
CALL idgen_migrate.uuid_rename('tag', 'new');
\d edge
DROP TABLE edge_note, edge, tag;
DROP PUBLICATION only_new;

-- Rows that a trigger keeps as they are
CREATE FUNCTION veto() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TABLE vetoed (id integer PRIMARY KEY, made timestamptz DEFAULT '2024-01-01', new bigint UNIQUE);
INSERT INTO vetoed SELECT generate_series(1, 20);
CREATE TRIGGER veto BEFORE UPDATE ON vetoed FOR EACH ROW WHEN (OLD.id % 10 = 0) EXECUTE FUNCTION veto();
CALL idgen_migrate.backfill('vetoed', 'new', 'made', 7);
DROP TRIGGER veto ON vetoed;
CALL idgen_migrate.backfill('vetoed', 'new', 'made', 7);
SELECT count(new) FROM vetoed;
DROP TABLE vetoed;
DROP FUNCTION veto;

-- Not under another isolation: a superuser's table, and what is looked up under a lock
SET default_transaction_isolation = 'repeatable read';
CALL idgen_migrate.backfill('old', 'id', 'made', 5);
SET ROLE idgen_owner;
CREATE TABLE own.cat (id integer PRIMARY KEY);
CREATE TABLE own.item (cat_id integer REFERENCES own.cat);
SELECT finding FROM idgen_migrate.check('backfill', 'own.t', 'id', 'made', 5) WHERE NOT ok;
SELECT finding FROM idgen_migrate.check('uuid', 'own.cat', 'new') WHERE NOT ok;
RESET default_transaction_isolation;
-- A policy that binds the owner of a referencing table
ALTER TABLE own.item ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT finding, advice FROM idgen_migrate.check('uuid', 'own.cat', 'new') WHERE NOT ok AND finding !~ 'session';
RESET ROLE;
DROP TABLE own.item, own.cat;

DROP VIEW seen;
DROP TABLE refers, old, small_ref, small, counted, serials, owner_of, thing, texts, own.t;
DROP FUNCTION own.look();
DROP SCHEMA own;
DROP FUNCTION touch;
DROP ROLE idgen_owner;

-- What CREATE EXTENSION idgen_migrate made.
RESET search_path;
\pset format aligned
\pset tuples_only off
\set objects :house /../sql/objects.sql
\set extensions '''idgen_migrate'''
\set ECHO none
\i :objects
