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
SELECT id_settled() AS upto \gset
SELECT :upto > :last AS all_below;
SELECT next_id() >= :upto AS none_below;
SELECT count(*) FROM event WHERE id < id_settled();

-- A transaction that is not over holds it back, from its first ID on; a subtransaction is part of it.
BEGIN;
SELECT next_id() AS first \gset
SAVEPOINT s;
INSERT INTO event (what) VALUES ('in a savepoint') RETURNING id \gset
ROLLBACK TO s;
CALL pass(:id);
SELECT id_settled() <= :first AS held, id_settled() > :last AS others_go_on;
COMMIT;
SELECT id_settled() > :id AS let_go;

-- One that has drawn nothing does not.
BEGIN;
SELECT pg_current_xact_id() IS NOT NULL AS has_xid;
CALL pass(:id);
SELECT id_settled() > :id AS not_held;
COMMIT;

-- One whose draw fails because the layout has ended does not either, and has no slot.
BEGIN;
SAVEPOINT s;
\set VERBOSITY sqlstate
SELECT next_id(layout => 'epoch=2000-01-01T00:00:00Z unit=1ms time=20 shard=13 sequence=9');
\set VERBOSITY default
ROLLBACK TO s;
CALL pass(:id);
SELECT id_settled() > :id AS not_held;
COMMIT;
SELECT count(*) FROM idgen.stat_shard WHERE layout::text ~ '2000-01-01';

-- Each layout has an answer of its own: the first ID of a tick.
SELECT id_settled('sonyflake') AS upto \gset
SELECT id_shard(:upto, 'sonyflake') AS shard, id_sequence(:upto, 'sonyflake') AS sequence,
       id_time(:upto, 'sonyflake') BETWEEN now() - interval '1 hour' AND clock_timestamp() AS is_now;
SELECT id_settled('epoch=2200-01-01T00:00:00Z unit=1ms time=41 shard=13 sequence=9');
SELECT id_settled(layout => 'epoch=2000-01-01T00:00:00Z unit=1ms time=20 shard=13 sequence=9');

-- A query has one answer, whatever it asks for between; so have two layouts.
SELECT count(DISTINCT id_settled()) FROM generate_series(1, 1000) WHERE next_id() > 0;
SELECT id_time(id_settled()) = id_time(id_settled('twitter'), 'twitter') AS same;
BEGIN;
DECLARE reader CURSOR FOR SELECT id_settled() AS upto FROM generate_series(1, 3);
FETCH reader \gset first_
SELECT pg_sleep(0.01);
SELECT txid_current() IS NOT NULL AS has_xid;
FETCH reader \gset second_
SELECT :first_upto = :second_upto AS same;
COMMIT;

-- In any isolation level, in a view, in PL/pgSQL, and for a column of id64.
CREATE VIEW event_settled AS SELECT * FROM event WHERE id < id_settled();
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM event_settled;
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT count(*) FROM event_settled;
COMMIT;
CREATE FUNCTION upto() RETURNS bigint STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN id_settled(); END $$;
SELECT count(*) FROM event WHERE id < upto();
CREATE TABLE public_event (id id64 PRIMARY KEY DEFAULT next_id());
INSERT INTO public_event DEFAULT VALUES RETURNING id::bigint \gset
CALL pass(:id);
SELECT count(*) FROM public_event WHERE id < id_settled()::id64;

-- The bound is a condition of the index, and keeps its order.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM event_settled WHERE id >= 1 ORDER BY id;
EXPLAIN (COSTS OFF) SELECT * FROM public_event WHERE id < id_settled()::id64 ORDER BY id;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- What is refused.
SELECT id_settled(NULL);
SELECT id_settled('trace');

-- Anybody may ask who may make IDs.
CREATE ROLE regress_reader;
SET ROLE regress_reader;
SELECT id_settled() > 0 AS answered;
RESET ROLE;
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
DROP VIEW event_settled;
DROP FUNCTION upto();
DROP TABLE event, public_event;
DROP PROCEDURE pass(bigint);
