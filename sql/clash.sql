-- CREATE EXTENSION refuses where a function of the same name is in its schema, and names it.
CREATE TEMP TABLE called_names AS SELECT DISTINCT proname AS name FROM called JOIN pg_proc USING (oid, proname) WHERE pronamespace = 'public'::regnamespace;
DROP EXTENSION idgen_kinds, idgen;

-- The function of Instagram's blog post
CREATE SEQUENCE table_id_seq;
CREATE FUNCTION next_id(OUT result bigint) LANGUAGE plpgsql AS $$
DECLARE
    our_epoch bigint := 1314220021721;
    seq_id bigint;
    now_millis bigint;
    shard_id int := 5;
BEGIN
    SELECT nextval('table_id_seq') % 1024 INTO seq_id;
    SELECT FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) INTO now_millis;
    result := (now_millis - our_epoch) << 23;
    result := result | (shard_id << 10);
    result := result | (seq_id);
END;
$$;
CREATE TABLE photo (id bigint DEFAULT next_id(), title text);
\set SHOW_CONTEXT never
CREATE EXTENSION idgen;
\set VERBOSITY sqlstate
CREATE EXTENSION idgen;
\set VERBOSITY default
SELECT count(*) FROM pg_extension WHERE extname = 'idgen';

-- Several are all named.
CREATE FUNCTION id_time(text) RETURNS text LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION id_time(text, text) RETURNS text LANGUAGE sql AS 'SELECT $1';
CREATE EXTENSION idgen;
DROP FUNCTION id_time(text);
DROP FUNCTION id_time(text, text);

-- Beside the types and functions of pgx_ulid and pg_uuidv7, in another schema
CREATE SCHEMA others;
CREATE DOMAIN others.ulid AS uuid;
CREATE FUNCTION others.gen_ulid() RETURNS others.ulid LANGUAGE sql AS 'SELECT gen_random_uuid()';
CREATE FUNCTION others.gen_monotonic_ulid() RETURNS others.ulid LANGUAGE sql AS 'SELECT gen_random_uuid()';
CREATE FUNCTION others.ulid_to_bytea(others.ulid) RETURNS bytea LANGUAGE sql AS $$SELECT '\x00'::bytea$$;
CREATE FUNCTION others.uuid_generate_v7() RETURNS uuid LANGUAGE sql AS 'SELECT gen_random_uuid()';
CREATE FUNCTION others.uuid_v7_to_timestamptz(uuid) RETURNS timestamptz LANGUAGE sql AS 'SELECT now()';
ALTER FUNCTION next_id() RENAME TO old_next_id;
SET search_path = public, others;
CREATE EXTENSION idgen;
CREATE EXTENSION idgen_kinds;
SELECT pg_typeof(next_ulid()) AS ours, pg_typeof(gen_ulid()) AS theirs, uuid_version_number(next_uuidv7()), uuid_version_number(uuid_generate_v7()) AS theirs;
SET search_path = others, public;
SELECT pg_typeof(next_ulid()) AS ours, pg_typeof(gen_ulid()) AS theirs, '01ARYZ6S41TSV4RRFFQ69G5FAV'::public.ulid::text;
RESET search_path;
DROP EXTENSION idgen_kinds;
DROP SCHEMA others CASCADE;

-- Another extension's type, in the same schema
CREATE DOMAIN ulid AS uuid;
CREATE EXTENSION idgen_kinds;
CREATE SCHEMA kinds;
CREATE EXTENSION idgen_kinds SCHEMA kinds;
SELECT pg_typeof(kinds.next_ulid());
DROP EXTENSION idgen_kinds, idgen;
DROP SCHEMA kinds;
DROP DOMAIN ulid;
ALTER FUNCTION old_next_id() RENAME TO next_id;

-- In a schema whose name must be quoted
CREATE SCHEMA "Shard 5";
CREATE FUNCTION "Shard 5".next_ids(int) RETURNS int LANGUAGE sql AS 'SELECT $1';
CREATE EXTENSION idgen SCHEMA "Shard 5";
DROP FUNCTION "Shard 5".next_ids(int);
CREATE EXTENSION idgen SCHEMA "Shard 5";
SELECT "Shard 5".id_shard(5120);
DROP EXTENSION idgen;
DROP SCHEMA "Shard 5";

-- One remedy: a schema of its own. Both work beside each other, and IDs decode the same.
CREATE SCHEMA ids;
CREATE EXTENSION idgen SCHEMA ids;
SET idgen.shards = '5';
INSERT INTO photo (title) VALUES ('old');
ALTER TABLE photo ALTER COLUMN id SET DEFAULT ids.next_id();
INSERT INTO photo (title) VALUES ('new');
SELECT title, ids.id_shard(id), abs(extract(epoch FROM ids.id_time(id) - clock_timestamp())) < 10 AS this_instant FROM photo ORDER BY title;
SET search_path = public, ids;
SELECT id_shard(next_id());
RESET search_path;
ALTER TABLE photo ALTER COLUMN id SET DEFAULT next_id();
DROP EXTENSION idgen;
DROP SCHEMA ids;

-- The other: rename it. The column's default goes with it, until it is changed.
ALTER FUNCTION next_id() RENAME TO next_id_of_2012;
CREATE EXTENSION idgen;
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'photo'::regclass;
ALTER TABLE photo ALTER COLUMN id SET DEFAULT next_id();
INSERT INTO photo (title) VALUES ('newer');
SELECT title, id_shard(id) FROM photo ORDER BY title;
DROP TABLE photo;
DROP FUNCTION next_id_of_2012();
DROP SEQUENCE table_id_seq;

-- Functions in other schemas are of no matter.
DROP EXTENSION idgen;
CREATE SCHEMA other;
CREATE FUNCTION other.next_id() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
CREATE EXTENSION idgen;
DROP SCHEMA other CASCADE;

-- Every function that people call is refused when its name is taken, whatever its arguments.
DROP EXTENSION idgen;
DO $$
DECLARE
    taken text;
    refused int := 0;
BEGIN
    FOR taken IN SELECT name FROM called_names LOOP
        EXECUTE format('CREATE FUNCTION %I(text, text, text, text, text) RETURNS text LANGUAGE sql AS ''SELECT $1''', taken);
        BEGIN
            CREATE EXTENSION idgen;
            CREATE EXTENSION idgen_kinds;
            RAISE WARNING '% is not refused', taken;
            DROP EXTENSION idgen_kinds;
            DROP EXTENSION idgen;
        EXCEPTION WHEN duplicate_function THEN
            IF position(taken || '(text,text,text,text,text)' IN sqlerrm) > 0 THEN
                refused := refused + 1;
            ELSE
                RAISE WARNING '% is not named: %', taken, sqlerrm;
            END IF;
        END;
        EXECUTE format('DROP FUNCTION %I', taken);
    END LOOP;
    RAISE NOTICE 'all refused: %', refused > 0 AND refused = (SELECT count(*) FROM called_names);
END
$$;
CREATE EXTENSION idgen;
CREATE EXTENSION idgen_kinds;

-- A warning, if roles that are not trusted may create where calls look.
CREATE ROLE regress_idgen_mallory;
GRANT CREATE ON SCHEMA public TO PUBLIC, regress_idgen_mallory;
DROP EXTENSION idgen_kinds, idgen;
CREATE EXTENSION idgen;
CREATE EXTENSION idgen_kinds;
SELECT * FROM idgen.status() WHERE key = 'schemas';
REVOKE CREATE ON SCHEMA public FROM PUBLIC, regress_idgen_mallory;
SELECT * FROM idgen.status() WHERE key = 'schemas';
DROP EXTENSION idgen_kinds, idgen;
CREATE EXTENSION idgen;
CREATE EXTENSION idgen_kinds;
DROP ROLE regress_idgen_mallory;
