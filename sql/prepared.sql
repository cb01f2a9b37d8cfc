-- Calls as programs make them: parameters, DEFAULT, COPY, INSERT ... SELECT, functions, savepoints.
SET idgen.shards = '5';

-- An untyped parameter is a shard, the second one a layout; int, smallint and bigint fit.
PREPARE untyped AS SELECT id_shard(next_id($1));
PREPARE with_layout AS SELECT id_shard(next_id($1, $2), $2);
PREPARE bound AS SELECT id_shard(next_id($1, $2::id_layout), $2);
PREPARE small (smallint) AS SELECT id_shard(next_id($1));
PREPARE medium (int) AS SELECT id_shard(next_id($1));
PREPARE large (bigint) AS SELECT id_shard(next_id($1));
PREPARE rows AS SELECT count(*) FROM next_ids($1, $2, $3);
PREPARE list AS SELECT cardinality(next_id_array($1, $2, $3));
PREPARE reader AS SELECT id_time($1), id_shard($1, $2), id_decode($1, $2), id_min($3, $2), id_make($3, $4, $5, $2);
SELECT name, parameter_types FROM pg_prepared_statements ORDER BY name COLLATE "C";
EXECUTE untyped (5);
EXECUTE with_layout (5, 'snowflake');
EXECUTE bound (5, 'epoch=2020-01-01 unit=1ms time=41 shard=10 sequence=12');
EXECUTE small (5);
EXECUTE medium (5);
EXECUTE large (5);
EXECUTE rows (100, 5, 'sonyflake');
EXECUTE list (100, 5, 'sonyflake');
EXECUTE untyped (NULL);

-- Six runs make a generic plan; each still gives a new ID.
CREATE TABLE drawn (id bigint PRIMARY KEY);
PREPARE keep AS INSERT INTO drawn SELECT next_id($1);
EXECUTE keep (5);
EXECUTE keep (5);
EXECUTE keep (5);
EXECUTE keep (5);
EXECUTE keep (5);
EXECUTE keep (5);
EXECUTE keep (5);
SELECT count(*), bool_and(id_shard(id) = 5) AS own FROM drawn;
DROP TABLE drawn;
DEALLOCATE ALL;

-- As DEFAULT
CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_id(), title text);
INSERT INTO photo (title) VALUES ('a'), ('b'), ('c');
INSERT INTO photo DEFAULT VALUES;
INSERT INTO photo (id, title) VALUES (DEFAULT, 'd') RETURNING id_shard(id), title;
INSERT INTO photo (title) SELECT 'row ' || n FROM generate_series(1, 1000) AS n;
COPY photo (title) FROM STDIN;
e
f
\.
SELECT count(*), count(DISTINCT id), bool_and(id_shard(id) = 5) AS own FROM photo;
UPDATE photo SET id = DEFAULT WHERE title = 'a' RETURNING id_shard(id), id > (SELECT max(id) FROM photo) AS later;
ALTER TABLE photo ADD COLUMN key bigint DEFAULT next_id(layout => 'sonyflake');
SELECT count(*), count(DISTINCT key) FROM photo;
SELECT attname, pg_get_expr(adbin, adrelid) FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
 WHERE adrelid = 'photo'::regclass ORDER BY attnum;
CREATE TABLE part (id bigint DEFAULT next_id(), kind int) PARTITION BY LIST (kind);
CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (1);
INSERT INTO part (kind) VALUES (1), (1);
SELECT count(DISTINCT id) FROM part;
INSERT INTO photo (id, title) VALUES ((SELECT min(id) FROM photo), 'taken') ON CONFLICT (id) DO UPDATE SET id = next_id() RETURNING id_shard(id);
MERGE INTO part USING (VALUES (1)) AS v (kind) ON false WHEN NOT MATCHED THEN INSERT (kind) VALUES (v.kind);
SELECT count(DISTINCT id) FROM part;
-- A table's own layout and shard
CREATE TABLE message (id bigint PRIMARY KEY DEFAULT next_id(5, 'snowflake'), body text);
INSERT INTO message (body) VALUES ('x') RETURNING id_shard(id, 'snowflake');

-- What an aborted subtransaction drew is not given again.
BEGIN;
SAVEPOINT a;
INSERT INTO message (body) VALUES ('lost') RETURNING id \gset
ROLLBACK TO a;
INSERT INTO message (body) VALUES ('kept') RETURNING id > :id AS later;
ROLLBACK;
INSERT INTO message (body) VALUES ('after') RETURNING id > :id AS later;

-- In PL/pgSQL, in SQL functions, in triggers, in a DO block with exceptions
CREATE FUNCTION add_message(text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    new_id bigint := next_id(layout => 'snowflake');
BEGIN
    INSERT INTO message VALUES (new_id, $1);
    RETURN id_shard(new_id, 'snowflake');
END
$$;
SELECT DISTINCT add_message('m' || n) FROM generate_series(1, 100) AS n;
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.id := next_id(5, 'snowflake');
    RETURN NEW;
END
$$;
CREATE TRIGGER stamp BEFORE INSERT ON message FOR EACH ROW EXECUTE FUNCTION stamp();
INSERT INTO message SELECT 0, 'triggered' FROM generate_series(1, 100);
SELECT count(*), count(DISTINCT id), min(id) > 0 AS positive FROM message WHERE body = 'triggered';
CREATE FUNCTION shard_of(bigint) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT id_shard($1)';
SELECT shard_of(next_id());
DO $$
DECLARE
    ids bigint[] := '{}';
BEGIN
    FOR i IN 1..100 LOOP
        BEGIN
            ids := ids || next_id();
            IF i % 2 = 0 THEN
                RAISE EXCEPTION 'undone';
            END IF;
        EXCEPTION WHEN raise_exception THEN
            NULL;
        END;
    END LOOP;
    RAISE NOTICE '% IDs, ascending: %', cardinality(ids), ids = ARRAY(SELECT unnest(ids) ORDER BY 1);
END
$$;

-- Generated columns and expression indexes may use the readers, not the makers.
CREATE TABLE event (id bigint DEFAULT next_id(), made timestamptz GENERATED ALWAYS AS (id_time(id)) STORED);
CREATE INDEX ON event (id_shard(id));
INSERT INTO event DEFAULT VALUES;
SELECT made = id_time(id) AS same FROM event;
\set VERBOSITY sqlstate
CREATE INDEX ON event (next_id(id));
\set VERBOSITY default
DROP FUNCTION add_message, shard_of;
DROP TABLE photo, part, message, event;
DROP FUNCTION stamp;
