-- Reading by ID: up to where a reader may read, and what is refused.
\set SHOW_CONTEXT never
SET idgen.shards = '5';
CREATE TABLE event (id bigint PRIMARY KEY DEFAULT next_id(), what text);

-- A tick counts as soon as it has ended; IDs may be drawn ahead of the clock, as right after CREATE EXTENSION.
CREATE PROCEDURE pass(id bigint) LANGUAGE plpgsql AS $$
BEGIN
    WHILE id_time(id) + interval '2 ms' > clock_timestamp() LOOP
        PERFORM pg_sleep(0.001);
    END LOOP;
END
$$;

-- All that was committed before lies below, nothing that is drawn after.
INSERT INTO event (what) SELECT 'committed' FROM generate_series(1, 100);
SELECT max(id) AS last FROM event \gset
CALL pass(:last);
CALL id_settled() \gset
SELECT :upto > :last AS all_below;
SELECT next_id() >= :upto AS none_below;
SELECT count(*) FROM event WHERE id < :upto;

-- A transaction that is not over holds it back, from its first ID on; a subtransaction is part of it.
BEGIN;
SELECT next_id() AS first \gset
SAVEPOINT s;
INSERT INTO event (what) VALUES ('in a savepoint') RETURNING id \gset
ROLLBACK TO s;
CALL pass(:id);
CALL id_settled() \gset
SELECT :upto <= :first AS held, :upto > :last AS others_go_on;
COMMIT;
CALL id_settled() \gset
SELECT :upto > :id AS let_go;

-- One that has drawn nothing does not.
BEGIN;
SELECT pg_current_xact_id() IS NOT NULL AS has_xid;
CALL pass(:id);
CALL id_settled() \gset
SELECT :upto > :id AS not_held;
COMMIT;

-- Each layout has an answer of its own: the first ID of a tick.
CALL id_settled(layout => 'sonyflake') \gset
SELECT id_shard(:upto, 'sonyflake') AS shard, id_sequence(:upto, 'sonyflake') AS sequence,
       id_time(:upto, 'sonyflake') BETWEEN now() - interval '1 hour' AND clock_timestamp() AS is_now;
CALL id_settled(NULL, 'epoch=2200-01-01T00:00:00Z unit=1ms time=41 shard=13 sequence=9');
CALL id_settled(NULL, 'epoch=2000-01-01T00:00:00Z unit=1ms time=20 shard=13 sequence=9');

-- In PL/pgSQL.
DO $$
DECLARE
    upto bigint;
BEGIN
    CALL id_settled(upto);
    RAISE NOTICE 'settled: %', upto > 0;
    CALL id_settled(upto, 'twitter');
    RAISE NOTICE 'of another layout: %', id_time(upto, 'twitter') > now() - interval '1 hour';
END
$$;

-- Where the answer would be of no use.
BEGIN ISOLATION LEVEL REPEATABLE READ;
CALL id_settled();
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
CALL id_settled();
ROLLBACK;
CALL id_settled(layout => NULL);
CALL id_settled(layout => 'trace');
SELECT id_settled();
CREATE FUNCTION settled() RETURNS bigint STABLE LANGUAGE plpgsql AS $$
DECLARE
    upto bigint;
BEGIN
    CALL id_settled(upto);
    RETURN upto;
END
$$;
SELECT settled();
DROP FUNCTION settled();
CREATE FUNCTION settled() RETURNS void LANGUAGE sql AS 'CALL id_settled()';

-- Anybody may ask who may make IDs.
CREATE ROLE regress_reader;
SET ROLE regress_reader;
CALL id_settled() \gset
RESET ROLE;
SELECT :upto > :id AS answered;
DROP ROLE regress_reader;

-- What holds it back is shown.
SELECT key, value, ok, advice FROM idgen.status() WHERE key = 'settled';
BEGIN;
INSERT INTO event (what) VALUES ('shown') RETURNING id \gset
CALL pass(:id);
SELECT regexp_replace(regexp_replace(value, pg_backend_pid()::text, 'PID'), '[0-9-]{10} [0-9:.]+\S*', 'TIME', 'g') AS value, ok, advice
  FROM idgen.status() WHERE key = 'settled';
SELECT draws_from = id_time(:id) AS draws_from, xact_start = now() AS xact_start, prepared, gid
  FROM idgen.stat_backend WHERE pid = pg_backend_pid();
SELECT settled_lag BETWEEN 1 AND 3600000 AS lag FROM idgen.stat_database;
COMMIT;
SELECT draws_from, xact_start = now() AS xact_start FROM idgen.stat_backend WHERE pid = pg_backend_pid();
SELECT settled_lag FROM idgen.stat_database;
DROP TABLE event;
DROP PROCEDURE pass(bigint);
