-- How calls run: outside of a transaction block, and under locks that are tried for.

-- How the server refuses a COMMIT in a transaction block, in the language of its messages: a function is always in one.
CREATE FUNCTION idgen_migrate.block_refusal() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    COMMIT;
EXCEPTION WHEN invalid_transaction_termination THEN
    RETURN SQLERRM;
END
$$;

-- Refuses a transaction block, in which no batch could be committed. The COMMIT here never happens: in a block the server
-- refuses it for that, elsewhere for the EXCEPTION clause.
CREATE PROCEDURE idgen_migrate.refuse_block() LANGUAGE plpgsql AS $$
DECLARE
    refusal text;
BEGIN
    @PIN@
    BEGIN
        COMMIT;
    EXCEPTION WHEN invalid_transaction_termination THEN
        refusal := SQLERRM;
    END;
    IF refusal = idgen_migrate.block_refusal() THEN
        RAISE EXCEPTION USING ERRCODE = 'active_sql_transaction', MESSAGE = 'a migration cannot run inside a transaction block',
            DETAIL = 'It commits each of its batches.', HINT = 'CALL it by itself, without BEGIN, and not from a function.';
    END IF;
END
$$;

-- How long each lock of this transaction is waited for.
CREATE FUNCTION idgen_migrate.set_lock_timeout(lock_wait interval) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('lock_timeout', greatest(1000 * extract(epoch FROM lock_wait), 1)::bigint::text, true);
END
$$;

-- Locks tables until the transaction ends, each by its own mode; an error if one takes longer than the wait. What the step itself
-- locks is waited for no longer. In the order in which they were made: transactions mostly write what is referred to first.
CREATE FUNCTION idgen_migrate.lock_tables(relations oid[], lock_wait interval, referenced oid[] DEFAULT '{}') RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one oid;
BEGIN
    PERFORM idgen_migrate.set_lock_timeout(lock_wait);
    FOR one IN SELECT r FROM unnest(relations || referenced) r GROUP BY r ORDER BY r LOOP
        IF one = ANY (relations) THEN
            PERFORM idgen_migrate.guard(one);
            EXECUTE 'LOCK TABLE ONLY ' || idgen_migrate.name_of(one) || ' IN ACCESS EXCLUSIVE MODE';
            PERFORM idgen_migrate.guard(one);
        ELSIF idgen_migrate.is_own(one) THEN
            EXECUTE 'LOCK TABLE ONLY ' || idgen_migrate.name_of(one) || ' IN SHARE ROW EXCLUSIVE MODE';
        END IF;
    END LOOP;
END
$$;

-- Tries a step that needs locks, again and again, each time for lock_wait; no session queues behind it longer.
CREATE PROCEDURE idgen_migrate.try(step text, relation oid, id_column name, child oid, child_column name, shard bigint,
                                   lock_wait interval, attempts integer, layout id_layout, columns name[] DEFAULT NULL)
LANGUAGE plpgsql AS $$
BEGIN
    @PIN@
    FOR attempt IN 1 .. attempts LOOP
        IF idgen_migrate.step(step, relation, id_column, child, child_column, shard, lock_wait, layout, columns) THEN
            COMMIT;
            @PIN@
            RETURN;
        END IF;
        ROLLBACK;
        @PIN@
        RAISE NOTICE '% is in use: attempt % of %', idgen_migrate.name_of(relation), attempt, attempts;
        PERFORM pg_sleep_for(lock_wait);
    END LOOP;
    RAISE EXCEPTION USING ERRCODE = 'lock_not_available',
        MESSAGE = format('%s, or a table that references it, is in use', idgen_migrate.name_of(relation)),
        DETAIL = 'No attempt got the lock. Nothing has been changed.',
        HINT = 'Call it again when no long transaction uses them.';
END
$$;

-- What a step needs: asked before its locks are tried, and again under them.
CREATE FUNCTION idgen_migrate.require_for(step text, relation oid, id_column name, shard bigint, layout id_layout) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    stands_at text[] := CASE step WHEN 'guard' THEN '{linking}' WHEN 'reference' THEN '{linking}' WHEN 'switch' THEN '{linked}'
                                  WHEN 'finish' THEN '{switched}' WHEN 'rename' THEN '{done}'
                                  WHEN 'abandon' THEN '{started,ranking,filling,filled,linking,linked}' END;
BEGIN
    IF stands_at IS NOT NULL THEN
        PERFORM idgen_migrate.require_step(relation, id_column, stands_at);
    END IF;
    IF step IN ('serial', 'start', 'switch', 'finish', 'rename') THEN
        PERFORM idgen_migrate.require(CASE step WHEN 'start' THEN 'uuid' ELSE step END, relation, id_column, NULL, shard, 1, coalesce(layout, 'instagram'), 'fast');
    END IF;
END
$$;

-- One step under its locks, in a transaction of its own. False if they could not be had.
CREATE FUNCTION idgen_migrate.step(step text, relation oid, id_column name, child oid, child_column name, shard bigint,
                                   lock_wait interval, layout id_layout, columns name[]) RETURNS boolean
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    locked_views oid[];
BEGIN
    IF step = 'widen' THEN
        locked_views := idgen_migrate.lock_views(relation, columns, lock_wait);
    END IF;
    PERFORM idgen_migrate.lock_tables(idgen_migrate.tables_of_step(step, relation, child, columns), lock_wait, idgen_migrate.referenced_by(relation, columns));
    PERFORM idgen_migrate.require_for(step, relation, id_column, shard, layout);
    CASE step
        WHEN 'widen' THEN PERFORM idgen_migrate.widen_columns(relation, columns, locked_views);
        WHEN 'serial' THEN PERFORM idgen_migrate.switch_serial(relation, id_column, shard, layout);
        WHEN 'start' THEN PERFORM idgen_migrate.start_move(relation, id_column, shard, layout);
        WHEN 'guard' THEN PERFORM idgen_migrate.add_guard(relation, id_column, child, child_column);
        WHEN 'reference' THEN PERFORM idgen_migrate.add_reference(relation, id_column, child, child_column);
        WHEN 'switch' THEN PERFORM idgen_migrate.switch_key(relation, id_column);
        WHEN 'finish' THEN PERFORM idgen_migrate.finish_move(relation, id_column);
        WHEN 'rename' THEN PERFORM idgen_migrate.rename_columns(relation, id_column);
        WHEN 'abandon' THEN PERFORM idgen_migrate.abandon_move(relation, id_column);
    END CASE;
    RETURN true;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    RETURN false;
END
$$;

-- The tables that columns of a table refer to, whose foreign keys are made again when a type changes.
CREATE FUNCTION idgen_migrate.referenced_by(relation oid, columns name[]) RETURNS oid[]
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(array_agg(DISTINCT k.confrelid), '{}') FROM idgen_migrate.tree(relation) AS t(oid) JOIN pg_constraint k ON k.contype = 'f' AND k.conrelid = t.oid
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (k.conkey) AND a.attname = ANY (columns)
$$;

-- The tables that a step locks, in one order for all: a guard that of its column, a reference both, the switch of a serial the
-- table and what inherits from it, widening also those that reference its columns, the others all that the step changes.
CREATE FUNCTION idgen_migrate.tables_of_step(step text, relation oid, child oid, columns name[]) RETURNS oid[]
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF step = 'guard' THEN
        RETURN ARRAY[coalesce(child, relation)];
    ELSIF step IN ('serial', 'widen') THEN
        RETURN ARRAY(SELECT t.oid FROM idgen_migrate.tree(relation) AS t(oid)
                     UNION SELECT k.conrelid FROM idgen_migrate.tree(relation) AS t(oid) JOIN pg_constraint k ON k.contype = 'f' AND k.confrelid = t.oid
                       JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (k.confkey) AND a.attname = ANY (columns)
                     ORDER BY 1);
    END IF;
    RETURN ARRAY(SELECT t.oid FROM (
        SELECT relation AS oid
        UNION SELECT child
        UNION SELECT r.child FROM idgen_migrate.references_to(relation, idgen_migrate.key_column(relation)) r WHERE tables_of_step.child IS NULL
        UNION SELECT m.child FROM idgen_migrate.moved_references(relation) m WHERE step IN ('finish', 'rename', 'abandon')) t
     WHERE t.oid IS NOT NULL ORDER BY t.oid);
END
$$;

COMMENT ON FUNCTION idgen_migrate.block_refusal() IS 'how the server refuses a COMMIT in a transaction block';
COMMENT ON PROCEDURE idgen_migrate.refuse_block() IS 'refuses a transaction block';
COMMENT ON FUNCTION idgen_migrate.referenced_by(oid, name[]) IS 'tables that columns refer to';
COMMENT ON FUNCTION idgen_migrate.set_lock_timeout(interval) IS 'how long locks are waited for';
COMMENT ON FUNCTION idgen_migrate.lock_tables(oid[], interval, oid[]) IS 'locks tables, or fails after a time';
COMMENT ON PROCEDURE idgen_migrate.try(text, oid, name, oid, name, bigint, interval, integer, id_layout, name[]) IS 'tries a step until it has the locks';
COMMENT ON FUNCTION idgen_migrate.require_for(text, oid, name, bigint, id_layout) IS 'what a step needs';
COMMENT ON FUNCTION idgen_migrate.step(text, oid, name, oid, name, bigint, interval, id_layout, name[]) IS 'a step that needs locks';
COMMENT ON FUNCTION idgen_migrate.tables_of_step(text, oid, oid, name[]) IS 'tables that a step locks';
