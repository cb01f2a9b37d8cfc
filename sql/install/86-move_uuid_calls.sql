-- The steps of the move from uuid keys to bigint IDs, as people call them.

-- Tries a step that needs a lock, again and again, each time for as long as lock_wait; nobody queues behind it longer.
CREATE PROCEDURE idgen_migrate_try(step text, relation oid, id_column name, child oid, child_column name, shard bigint,
                                   lock_wait interval, attempts integer, layout id_layout)
LANGUAGE plpgsql AS $$
DECLARE
    home text := @OWN_SCHEMA@;
    is_done boolean;
BEGIN
    FOR attempt IN 1 .. attempts LOOP
        EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_uuid_step($1, $2, $3, $4, $5, $6, $7, $8)', home)
           INTO is_done USING step, relation, id_column, child, child_column, shard, lock_wait, layout;
        IF is_done THEN
            COMMIT;
            RETURN;
        END IF;
        ROLLBACK;
        RAISE NOTICE '% is in use: attempt % of %', relation::pg_catalog.regclass, attempt, attempts;
        PERFORM pg_catalog.pg_sleep_for(lock_wait);
    END LOOP;
    RAISE EXCEPTION USING ERRCODE = 'lock_not_available',
        MESSAGE = pg_catalog.format('%s, or a table that references it, is in use', relation::pg_catalog.regclass),
        DETAIL = 'The lock could not be had in any of the attempts.',
        HINT = 'Call it again when no long transaction uses them.';
END
$$;

-- The step at which a move stands; an error where it is not one of those from which to go on.
CREATE FUNCTION idgen_migrate_require_step(relation oid, id_column name, steps text[]) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    now_at text;
BEGIN
    @SEARCH_OWN_SCHEMA@
    SELECT s.step INTO now_at FROM idgen_migration_state s
     WHERE s.relation = $1 AND s.id_column = $2 AND s.kind = 'uuid';
    IF now_at IS NULL OR now_at <> ALL (steps) THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('the move of %s to %I is %s', idgen_migrate_name($1), $2, coalesce(now_at, 'not started')),
            DETAIL = format('This step needs it to be %s.', array_to_string(steps, ' or ')),
            HINT = 'SELECT * FROM idgen_migration shows what comes next.';
    END IF;
END
$$;

CREATE PROCEDURE idgen_uuid_start(relation regclass, id_column name, shard bigint DEFAULT idgen_own_shards(),
                                  lock_wait interval DEFAULT '2 seconds', attempts integer DEFAULT 30,
                                  layout id_layout DEFAULT 'instagram')
LANGUAGE plpgsql AS $$
DECLARE
    home text := @OWN_SCHEMA@;
    advice text;
BEGIN
    COMMIT;
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_require(''uuid'', $1, $2, NULL, $3, 1, $4, ''all'')', home)
      USING relation::oid, id_column, shard, layout;
    -- An unusable shard is an error now, not at the first insert.
    EXECUTE pg_catalog.format('SELECT %s.next_id($1, $2)', home) USING shard, layout;
    COMMIT;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, ' || home, true);
    CALL idgen_migrate_try('start', relation, id_column, NULL, NULL, shard, lock_wait, attempts, layout);
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_uuid_advice($1, $2)', home) INTO advice USING relation::oid, id_column;
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_leave($1, $2, %L, $3)', home, 'started') USING relation::oid, id_column, advice;
    COMMIT;
    RAISE NOTICE 'new rows of % have both keys; next: %', relation, advice;
END
$$;

-- What to run after the start.
CREATE FUNCTION idgen_migrate_uuid_advice(relation oid, id_column name) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text;
    key name;
BEGIN
    @SEARCH_OWN_SCHEMA@
    target := idgen_migrate_name(relation);
    key := idgen_migrate_uuid_key(relation);
    RETURN concat_ws('; ',
        CASE WHEN idgen_migrate_unique(relation, id_column) IS NULL THEN
            format('CREATE UNIQUE INDEX CONCURRENTLY ON %s (%I)', target, id_column) END,
        CASE WHEN (SELECT i.indisprimary FROM pg_index i WHERE i.indexrelid = idgen_migrate_unique(relation, key)) THEN
            format('CREATE UNIQUE INDEX CONCURRENTLY ON %s (%I)', target, key) END,
        format('CALL idgen_backfill(%L, %L, ...)', target, id_column),
        format('CALL idgen_uuid_link(%L, %L)', target, id_column));
END
$$;

-- The references of a move, and the statement that fills those of a range of pages, or all of them.
CREATE FUNCTION idgen_migrate_links(relation oid, id_column name)
    RETURNS TABLE (child oid, child_column name, beside name, label text, fill_text text, pages bigint, per_page numeric)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    @SEARCH_OWN_SCHEMA@
    RETURN QUERY
    SELECT s.relation, s.source, s.id_column, format('%s.%I', idgen_migrate_name(s.relation), s.id_column),
           format('UPDATE ONLY %s t SET %I = p.%I FROM ONLY %s p WHERE p.%I = t.%I AND t.%I IS NULL'
                  ' AND t.ctid >= $1 AND t.ctid < $2', idgen_migrate_name(s.relation), s.id_column, $2, idgen_migrate_name($1),
                  idgen_migrate_uuid_key($1), s.source, s.id_column),
           pg_relation_size(s.relation) / current_setting('block_size')::bigint,
           greatest(c.reltuples / nullif(c.relpages, 0), 1)::numeric
      FROM idgen_migration_state s JOIN pg_class c ON c.oid = s.relation
     WHERE s.parent = $1 AND s.kind = 'reference' ORDER BY 4;
END
$$;

-- Constraints of a move that are not validated yet, as statements.
CREATE FUNCTION idgen_migrate_unproved(child oid, id_column name) RETURNS SETOF text
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    @SEARCH_OWN_SCHEMA@
    RETURN QUERY SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I', idgen_migrate_name(child), k.conname) FROM pg_constraint k
     WHERE k.conrelid = child AND NOT k.convalidated
       AND (k.conname = 'idgen_filled_' || idgen_migrate_column(child, id_column)
            OR k.contype = 'f' AND k.conkey = ARRAY[idgen_migrate_column(child, id_column)]);
END
$$;

-- Fills one reference, and makes and proves its foreign key. Rows are filled under the caller's search_path, because
-- triggers fire; that of the transaction that begins here ends with it.
CREATE PROCEDURE idgen_migrate_link(relation oid, id_column name, child oid, child_column name, batch integer, pause interval,
                                    notice interval, lock_wait interval, attempts integer)
LANGUAGE plpgsql AS $$
DECLARE
    home text := @OWN_SCHEMA@;
    noticed timestamptz := pg_catalog.clock_timestamp();
    link record;
    page bigint := 0;
    step bigint;
    filled bigint;
    done bigint := 0;
    statement text;
BEGIN
    EXECUTE pg_catalog.format('SELECT * FROM %s.idgen_migrate_links($1, $2) WHERE child = $3 AND child_column = $4', home)
       INTO link USING relation, id_column, child, child_column;
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_enter($1, $2, $3, $4)', home) USING link.child, link.beside, 'reference', 'filling';
    COMMIT;
    step := greatest(batch / link.per_page, 1)::bigint;
    -- Rows that come after the last page of now, or that sessions change meanwhile, are filled by the trigger.
    WHILE page < link.pages LOOP
        PERFORM pg_catalog.set_config('enable_hashjoin', 'off', true);
        PERFORM pg_catalog.set_config('enable_mergejoin', 'off', true);
        EXECUTE link.fill_text USING pg_catalog.format('(%s,0)', page)::tid, pg_catalog.format('(%s,0)', page + step)::tid;
        GET DIAGNOSTICS filled = ROW_COUNT;
        EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_record($1, $2, $3, $4, NULL, NULL, NULL)', home)
           INTO done USING link.child, link.beside, 'filling', filled;
        COMMIT;
        page := page + step;
        IF pg_catalog.clock_timestamp() >= noticed + notice THEN
            RAISE NOTICE '%: % rows have their reference, page % of %', link.label, done, least(page, link.pages), link.pages;
            noticed := pg_catalog.clock_timestamp();
        END IF;
        PERFORM pg_catalog.pg_sleep_for(pause);
    END LOOP;
    -- The constraint waits for every writer of before and lets no more gaps in: what is left is seen now.
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, ' || home, true);
    CALL idgen_migrate_try('guard', relation, id_column, link.child, link.child_column, NULL, lock_wait, attempts, NULL);
    EXECUTE link.fill_text USING '(0,0)'::tid, '(4294967295,0)'::tid;
    COMMIT;
    FOR statement IN EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_unproved($1, $2)', home) USING link.child, link.beside LOOP
        EXECUTE statement;
    END LOOP;
    COMMIT;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, ' || home, true);
    CALL idgen_migrate_try('reference', relation, id_column, link.child, link.child_column, NULL, lock_wait, attempts, NULL);
    FOR statement IN EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_unproved($1, $2)', home) USING link.child, link.beside LOOP
        EXECUTE statement;
    END LOOP;
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_leave($1, $2, %L, NULL)', home, 'linked') USING link.child, link.beside;
    COMMIT;
    RAISE NOTICE '%: % rows have their reference', link.label, done;
END
$$;

CREATE PROCEDURE idgen_uuid_link(relation regclass, id_column name, batch integer DEFAULT 10000, pause interval DEFAULT '0',
                                 notice interval DEFAULT '10 seconds', lock_wait interval DEFAULT '2 seconds',
                                 attempts integer DEFAULT 30)
LANGUAGE plpgsql AS $$
DECLARE
    home text := @OWN_SCHEMA@;
    link record;
    statement text;
BEGIN
    COMMIT;
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_require_step($1, $2, $3)', home)
      USING relation::oid, id_column, ARRAY['started', 'filled', 'linking', 'linked'];
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_require_filled($1, $2)', home) USING relation::oid, id_column;
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_enter($1, $2, $3, $4)', home) USING relation::oid, id_column, 'uuid', 'linking';
    COMMIT;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, ' || home, true);
    CALL idgen_migrate_try('guard', relation, id_column, NULL, NULL, NULL, lock_wait, attempts, NULL);
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_require_filled($1, $2)', home) USING relation::oid, id_column;
    FOR statement IN EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_unproved($1, $2)', home) USING relation::oid, id_column LOOP
        EXECUTE statement;
    END LOOP;
    COMMIT;
    FOR link IN EXECUTE pg_catalog.format('SELECT * FROM %s.idgen_migrate_links($1, $2)', home) USING relation::oid, id_column LOOP
        PERFORM pg_catalog.set_config('search_path', 'pg_catalog, ' || home, true);
        CALL idgen_migrate_link(relation, id_column, link.child, link.child_column, batch, pause, notice, lock_wait, attempts);
    END LOOP;
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_leave($1, $2, %L, $3)', home, 'linked')
      USING relation::oid, id_column, pg_catalog.format('CALL idgen_uuid_switch(%L, %L)', relation, id_column);
    COMMIT;
END
$$;

-- An error where the column still has gaps, or has no unique index.
CREATE FUNCTION idgen_migrate_require_filled(relation oid, id_column name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text;
    is_missing boolean;
BEGIN
    @SEARCH_OWN_SCHEMA@
    target := idgen_migrate_name(relation);
    IF idgen_migrate_unique(relation, id_column) IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('%s.%I has no unique index', target, id_column),
            DETAIL = 'The references need it.', HINT = format('CREATE UNIQUE INDEX CONCURRENTLY ON %s (%I)', target, id_column);
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM ONLY %s WHERE %I IS NULL)', target, id_column) INTO is_missing;
    IF is_missing THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('rows of %s have no ID yet', target),
            DETAIL = 'The references cannot be moved before.', HINT = format('CALL idgen_backfill(%L, %L, ...)', target, id_column);
    END IF;
END
$$;

CREATE PROCEDURE idgen_uuid_switch(relation regclass, id_column name, lock_wait interval DEFAULT '2 seconds',
                                   attempts integer DEFAULT 30)
LANGUAGE plpgsql AS $$
DECLARE
    home text := @OWN_SCHEMA@;
BEGIN
    COMMIT;
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_require(''switch'', $1, $2, NULL, NULL, 1, ''instagram'', ''all'')', home)
      USING relation::oid, id_column;
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_require_step($1, $2, $3)', home) USING relation::oid, id_column, ARRAY['linked'];
    COMMIT;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, ' || home, true);
    CALL idgen_migrate_try('switch', relation, id_column, NULL, NULL, NULL, lock_wait, attempts, NULL);
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_leave($1, $2, %L, $3)', home, 'switched')
      USING relation::oid, id_column, pg_catalog.format('CALL idgen_uuid_finish(%L, %L)', relation, id_column);
    COMMIT;
    RAISE NOTICE '%.% is the primary key now; the uuid stays unique, references by it are kept until idgen_uuid_finish()',
        relation, pg_catalog.quote_ident(id_column);
END
$$;

CREATE PROCEDURE idgen_uuid_finish(relation regclass, id_column name, lock_wait interval DEFAULT '2 seconds',
                                   attempts integer DEFAULT 30)
LANGUAGE plpgsql AS $$
DECLARE
    home text := @OWN_SCHEMA@;
BEGIN
    COMMIT;
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_require_step($1, $2, $3)', home) USING relation::oid, id_column, ARRAY['switched'];
    COMMIT;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, ' || home, true);
    CALL idgen_migrate_try('finish', relation, id_column, NULL, NULL, NULL, lock_wait, attempts, NULL);
END
$$;

CREATE PROCEDURE idgen_uuid_abandon(relation regclass, id_column name, lock_wait interval DEFAULT '2 seconds',
                                    attempts integer DEFAULT 30)
LANGUAGE plpgsql AS $$
DECLARE
    home text := @OWN_SCHEMA@;
BEGIN
    COMMIT;
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_require_step($1, $2, $3)', home)
      USING relation::oid, id_column, ARRAY['started', 'ranking', 'filling', 'filled', 'linking', 'linked'];
    COMMIT;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, ' || home, true);
    CALL idgen_migrate_try('abandon', relation, id_column, NULL, NULL, NULL, lock_wait, attempts, NULL);
END
$$;

COMMENT ON PROCEDURE idgen_uuid_start(regclass, name, bigint, interval, integer, id_layout) IS
    'uuid keys to IDs, first step: adds the columns beside them; new rows get both keys';
COMMENT ON PROCEDURE idgen_uuid_link(regclass, name, integer, interval, interval, interval, integer) IS
    'uuid keys to IDs, after idgen_backfill: fills the references and makes their foreign keys';
COMMENT ON PROCEDURE idgen_uuid_switch(regclass, name, interval, integer) IS
    'uuid keys to IDs: the ID becomes the primary key, the uuid a unique key';
COMMENT ON PROCEDURE idgen_uuid_finish(regclass, name, interval, integer) IS
    'uuid keys to IDs, last step: nothing keeps references by uuid any more';
COMMENT ON PROCEDURE idgen_uuid_abandon(regclass, name, interval, integer) IS
    'uuid keys to IDs: takes everything back, at any step before the switch';
COMMENT ON PROCEDURE idgen_migrate_link(oid, name, oid, name, integer, interval, interval, interval, integer) IS
    'part of the migration: fills one reference and makes its foreign key';
COMMENT ON PROCEDURE idgen_migrate_try(text, oid, name, oid, name, bigint, interval, integer, id_layout) IS
    'part of the migration: tries a step until it has the lock';
COMMENT ON FUNCTION idgen_migrate_require_step(oid, name, text[]) IS 'part of the migration: the step at which a move stands';
COMMENT ON FUNCTION idgen_migrate_require_filled(oid, name) IS 'part of the migration: the ID column has no gaps';
COMMENT ON FUNCTION idgen_migrate_uuid_advice(oid, name) IS 'part of the migration: what to run after the start';
COMMENT ON FUNCTION idgen_migrate_links(oid, name) IS 'part of the migration: the references to be filled';
COMMENT ON FUNCTION idgen_migrate_unproved(oid, name) IS 'part of the migration: constraints to be validated';
