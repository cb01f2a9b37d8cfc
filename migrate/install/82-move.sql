-- The steps of a move, as people call them.

-- An error if a move is not at one of the steps from which to continue.
CREATE FUNCTION idgen_migrate.require_step(relation oid, id_column name, steps text[]) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    now_at text;
    is_primary boolean := EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = relation AND k.contype = 'p'
                                     AND k.conkey = ARRAY[idgen_migrate.column_number(relation, id_column)]);
BEGIN
    PERFORM idgen_migrate.guard(relation);
    SELECT j.step INTO now_at FROM idgen_migrate.job j
     WHERE j.relation = $1 AND j.id_column = $2 AND j.kind = 'uuid' AND j.step <> 'abandoned' AND (j.step IN ('switched', 'done')) = is_primary;
    IF now_at IS NULL OR now_at <> ALL (steps) THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('the move of %s to %I is %s', idgen_migrate.name_of(relation), id_column, coalesce(now_at, 'not started')),
            DETAIL = format('This step needs it to be %s.', array_to_string(steps, ' or ')),
            HINT = 'SELECT * FROM idgen_migrate.progress shows what comes next.';
    END IF;
END
$$;

-- An error if the column still has gaps, or has no unique index.
CREATE FUNCTION idgen_migrate.require_filled(relation oid, id_column name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    is_missing boolean;
BEGIN
    IF idgen_migrate.unique_index(relation, id_column) IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('%s.%I has no unique index', target, id_column),
            DETAIL = 'The references need it.', HINT = format('CREATE UNIQUE INDEX CONCURRENTLY ON %s (%I)', target, id_column);
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM ONLY %s WHERE %I IS NULL)', target, id_column) INTO is_missing;
    IF is_missing THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('rows of %s have no ID yet', target),
            DETAIL = 'The references cannot be moved before.', HINT = format('CALL idgen_migrate.backfill(%L, %L, ...)', target, id_column);
    END IF;
END
$$;

-- Proves the constraints of a move that are not validated yet.
CREATE FUNCTION idgen_migrate.prove(relation oid, filled name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one name;
BEGIN
    PERFORM idgen_migrate.guard(relation);
    FOR one IN SELECT k.conname FROM pg_constraint k WHERE k.conrelid = relation AND NOT k.convalidated
                  AND (k.conname = idgen_migrate.guard_name(relation, filled)
                       OR k.contype = 'f' AND k.conkey = ARRAY[idgen_migrate.column_number(relation, filled)]) LOOP
        EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', idgen_migrate.name_of(relation), one);
    END LOOP;
END
$$;

-- Fills the references of a range of pages, and enters that; the range is open to the end if it has none. Triggers
-- fire, so the statement runs under the path of the caller, and nothing in it is looked up by that.
CREATE FUNCTION idgen_migrate.fill_links(relation oid, id_column name, child oid, child_column name, first_page bigint, end_page bigint, path text)
    RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    beside name := idgen_migrate.beside(child_column, id_column);
    first_tid tid := format('(%s,0)', first_page);
    end_tid tid := format('(%s,0)', least(end_page, 4294967295));
    filled bigint;
    fill_text text := format('UPDATE ONLY %1$s t SET %2$I = p.%3$I FROM ONLY %4$s p WHERE p.%5$I OPERATOR(pg_catalog.=) t.%6$I AND t.%2$I IS NULL'
                             ' AND t.ctid OPERATOR(pg_catalog.>=) $1 AND t.ctid OPERATOR(pg_catalog.<) $2', idgen_migrate.name_of(child), beside,
                             id_column, idgen_migrate.name_of(relation), idgen_migrate.key_column(relation), child_column);
BEGIN
    PERFORM idgen_migrate.hold(child, idgen_migrate.name_of(child)), idgen_migrate.hold(relation, idgen_migrate.name_of(relation));
    PERFORM pg_catalog.set_config('enable_hashjoin', 'off', true), pg_catalog.set_config('enable_mergejoin', 'off', true);
    PERFORM pg_catalog.set_config('search_path', path, true);
    EXECUTE fill_text USING first_tid, end_tid;
    GET DIAGNOSTICS filled = ROW_COUNT;
    @PIN@
    RETURN idgen_migrate.record(child, beside, filled, NULL, NULL, NULL);
END
$$;

-- Fills one reference, and makes and proves its foreign key. Rows that come after the last page of now, or that sessions
-- change meanwhile, are filled by the trigger.
CREATE PROCEDURE idgen_migrate.link(relation oid, id_column name, child oid, child_column name, beside name, batch integer, pause interval,
                                    notice interval, lock_wait interval, attempts integer, path text)
LANGUAGE plpgsql AS $$
DECLARE
    noticed timestamptz;
    page bigint;
    pages bigint;
    batch_pages bigint;
    done bigint;
BEGIN
    @PIN@
    noticed := clock_timestamp();
    page := 0;
    SELECT pg_relation_size(c.oid) / current_setting('block_size')::bigint, greatest(batch / greatest(c.reltuples / nullif(c.relpages, 0), 1), 1)::bigint
      INTO pages, batch_pages FROM pg_class c WHERE c.oid = child;
    PERFORM idgen_migrate.enter(child, beside, 'reference', 'filling');
    @COMMIT@
    WHILE page < pages LOOP
        done := idgen_migrate.fill_links(relation, id_column, child, child_column, page, page + batch_pages, path);
        @COMMIT@
        page := page + batch_pages;
        IF clock_timestamp() >= noticed + notice THEN
            RAISE NOTICE '%.%: % rows have their reference, page % of %', idgen_migrate.name_of(child), quote_ident(beside), done, least(page, pages), pages;
            noticed := clock_timestamp();
        END IF;
        PERFORM pg_sleep_for(pause);
    END LOOP;
    -- The constraint waits for every writer of before and lets no more gaps in: what is left is seen now.
    CALL idgen_migrate.try('guard', relation, id_column, child, child_column, NULL, lock_wait, attempts, NULL);
    done := idgen_migrate.fill_links(relation, id_column, child, child_column, 0, 4294967295, path);
    @COMMIT@
    PERFORM idgen_migrate.prove(child, beside);
    @COMMIT@
    CALL idgen_migrate.try('reference', relation, id_column, child, child_column, NULL, lock_wait, attempts, NULL);
    PERFORM idgen_migrate.prove(child, beside);
    PERFORM idgen_migrate.leave(child, beside, 'linked');
    @COMMIT@
    RAISE NOTICE '%.%: rows that have got their reference: %', idgen_migrate.name_of(child), quote_ident(beside), done;
END
$$;

CREATE PROCEDURE idgen_migrate.uuid_start(relation regclass, id_column name, shard bigint DEFAULT idgen.own_shards(),
                                          lock_wait interval DEFAULT '2 seconds', attempts integer DEFAULT 30,
                                          layout id_layout DEFAULT 'instagram')
LANGUAGE plpgsql AS $$
BEGIN
    @PIN@
    CALL idgen_migrate.refuse_block();
    PERFORM idgen_migrate.require_for('start', relation, id_column, shard, layout);
    -- An unusable shard is an error now, not at the first insert.
    PERFORM idgen_migrate.new_ids(1, shard, layout);
    CALL idgen_migrate.try('start', relation, id_column, NULL, NULL, shard, lock_wait, attempts, layout);
    RAISE NOTICE 'new rows of % have both keys; next: %', idgen_migrate.name_of(relation),
        idgen_migrate.next_step(relation, id_column, 'uuid', 'started');
END
$$;

CREATE PROCEDURE idgen_migrate.uuid_link(relation regclass, id_column name, batch integer DEFAULT 10000, pause interval DEFAULT '0',
                                         notice interval DEFAULT '10 seconds', lock_wait interval DEFAULT '2 seconds',
                                         attempts integer DEFAULT 30, triggers_path text DEFAULT pg_catalog.current_setting('search_path'))
LANGUAGE plpgsql AS $$
DECLARE
    link record;
BEGIN
    @PIN@
    CALL idgen_migrate.refuse_block();
    PERFORM idgen_migrate.require_step(relation, id_column, '{started,filled,linking,linked}');
    PERFORM idgen_migrate.require_filled(relation, id_column);
    PERFORM idgen_migrate.enter(relation, id_column, 'uuid', 'linking');
    @COMMIT@
    CALL idgen_migrate.try('guard', relation, id_column, NULL, NULL, NULL, lock_wait, attempts, NULL);
    PERFORM idgen_migrate.require_filled(relation, id_column);
    PERFORM idgen_migrate.prove(relation, id_column);
    @COMMIT@
    FOR link IN SELECT * FROM idgen_migrate.moved_references(relation) LOOP
        CALL idgen_migrate.link(relation, id_column, link.child, link.child_column, link.beside, batch, pause, notice, lock_wait, attempts, triggers_path);
    END LOOP;
    PERFORM idgen_migrate.leave(relation, id_column, 'linked');
END
$$;

CREATE PROCEDURE idgen_migrate.uuid_switch(relation regclass, id_column name, lock_wait interval DEFAULT '2 seconds', attempts integer DEFAULT 30)
LANGUAGE plpgsql AS $$
BEGIN
    @PIN@
    CALL idgen_migrate.refuse_block();
    PERFORM idgen_migrate.require_for('switch', relation, id_column, NULL, NULL);
    CALL idgen_migrate.try('switch', relation, id_column, NULL, NULL, NULL, lock_wait, attempts, NULL);
    RAISE NOTICE '%.% is the primary key now; the old key stays unique, references by it are kept until idgen_migrate.uuid_finish()',
        idgen_migrate.name_of(relation), quote_ident(id_column);
END
$$;

CREATE PROCEDURE idgen_migrate.uuid_finish(relation regclass, id_column name, lock_wait interval DEFAULT '2 seconds', attempts integer DEFAULT 30)
LANGUAGE plpgsql AS $$
BEGIN
    @PIN@
    CALL idgen_migrate.refuse_block();
    PERFORM idgen_migrate.require_for('finish', relation, id_column, NULL, NULL);
    CALL idgen_migrate.try('finish', relation, id_column, NULL, NULL, NULL, lock_wait, attempts, NULL);
END
$$;

CREATE PROCEDURE idgen_migrate.uuid_abandon(relation regclass, id_column name, lock_wait interval DEFAULT '2 seconds', attempts integer DEFAULT 30)
LANGUAGE plpgsql AS $$
BEGIN
    @PIN@
    CALL idgen_migrate.refuse_block();
    PERFORM idgen_migrate.require_for('abandon', relation, id_column, NULL, NULL);
    CALL idgen_migrate.try('abandon', relation, id_column, NULL, NULL, NULL, lock_wait, attempts, NULL);
END
$$;

COMMENT ON FUNCTION idgen_migrate.require_step(oid, name, text[]) IS 'the step at which a move stands';
COMMENT ON FUNCTION idgen_migrate.require_filled(oid, name) IS 'the ID column has no gaps';
COMMENT ON FUNCTION idgen_migrate.prove(oid, name) IS 'proves the constraints of a move';
COMMENT ON FUNCTION idgen_migrate.fill_links(oid, name, oid, name, bigint, bigint, text) IS 'fills the references of a range of pages';
COMMENT ON PROCEDURE idgen_migrate.link(oid, name, oid, name, name, integer, interval, interval, interval, integer, text) IS
    'fills one reference and makes its foreign key';
COMMENT ON PROCEDURE idgen_migrate.uuid_start(regclass, name, bigint, interval, integer, id_layout) IS
    'from uuid or integer keys to IDs, first step: adds id_column, of shard and layout, to relation, and columns beside its references; new rows get both keys. Its locks are tried for lock_wait at a time, attempts times';
COMMENT ON PROCEDURE idgen_migrate.uuid_link(regclass, name, integer, interval, interval, interval, integer, text) IS
    'from uuid or integer keys to IDs, after the backfill of id_column in relation: fills the references, in transactions of batch rows, a pause after each, a notice as often, triggers with triggers_path as search_path; and makes their foreign keys. Its locks are tried for lock_wait at a time, attempts times';
COMMENT ON PROCEDURE idgen_migrate.uuid_switch(regclass, name, interval, integer) IS
    'from uuid or integer keys to IDs: id_column becomes the primary key of relation, the old key a unique key. Its locks are tried for lock_wait at a time, attempts times';
COMMENT ON PROCEDURE idgen_migrate.uuid_finish(regclass, name, interval, integer) IS
    'from uuid or integer keys to IDs in id_column of relation, once nobody writes the old references: nothing keeps them any more. Its locks are tried for lock_wait at a time, attempts times';
COMMENT ON PROCEDURE idgen_migrate.uuid_abandon(regclass, name, interval, integer) IS
    'from uuid or integer keys to IDs in id_column of relation: takes everything back, at any step before the switch. Its locks are tried for lock_wait at a time, attempts times';

-- The end of a move: the old columns go, and the new ones take their names.

-- The old columns of a finished move that are still there, each with the one that takes its name.
CREATE FUNCTION idgen_migrate.old_columns(relation oid, id_column name) RETURNS TABLE (holder oid, old name, new name)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT m.child, m.child_column, m.beside FROM idgen_migrate.moved_references(relation) m
     WHERE m.beside = idgen_migrate.beside(m.child_column, id_column)
    UNION ALL
    SELECT j.relation, j.source, j.id_column FROM idgen_migrate.job j
     WHERE j.relation = $1 AND j.id_column = $2 AND j.kind = 'uuid' AND j.step = 'done' AND idgen_migrate.column_number(j.relation, j.source) IS NOT NULL
$$;

-- Replica identities with old columns in them, which are NOT NULL for that.
CREATE FUNCTION idgen_migrate.identity_findings(relation oid, id_column name) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT false, '55000', format('the replica identity of %s is an index of %I', idgen_migrate.name_of(o.holder), o.old),
        format('ALTER TABLE %s REPLICA IDENTITY DEFAULT', idgen_migrate.name_of(o.holder))
        FROM idgen_migrate.old_columns(relation, id_column) o JOIN pg_index i ON i.indrelid = o.holder AND i.indisreplident
         AND idgen_migrate.column_number(o.holder, o.old) = ANY (i.indkey::int2[]);
END
$$;

-- What must be true before the old columns go. DROP COLUMN takes indexes and constraints along, also those of several
-- columns: they would be missed later, so they stand in the way.
CREATE FUNCTION idgen_migrate.rename_findings(relation oid, id_column name) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT false, '55000', format('the move of %s to %I is not finished', idgen_migrate.name_of(relation), id_column),
        'SELECT * FROM idgen_migrate.progress shows what comes next.'
        WHERE NOT EXISTS (SELECT FROM idgen_migrate.old_columns(relation, id_column) o WHERE o.holder = relation AND o.new = id_column);
    RETURN QUERY SELECT DISTINCT false, '2BP01', format('%s rests on %s.%I', pg_describe_object(d.classid, d.objid, d.objsubid), idgen_migrate.name_of(o.holder), o.old),
        format('Make another one with %I, and drop this one.', o.new)
        FROM idgen_migrate.old_columns(relation, id_column) o
        JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = o.holder AND d.refobjsubid = idgen_migrate.column_number(o.holder, o.old)
       WHERE NOT idgen_migrate.is_of_column(d.classid, d.objid, o.holder, o.old, o.new)
       ORDER BY 3;
    RETURN QUERY SELECT * FROM idgen_migrate.identity_findings(relation, id_column);
    RETURN QUERY SELECT false, '55000', format('%s.%I has rights or a comment that %I has not', idgen_migrate.name_of(o.holder), o.old, o.new),
        format('Give the like to %I, or take them from %I.', o.new, o.old)
        FROM idgen_migrate.old_columns(relation, id_column) o
        JOIN pg_attribute a ON a.attrelid = o.holder AND a.attname = o.old JOIN pg_attribute n ON n.attrelid = o.holder AND n.attname = o.new
       WHERE a.attacl IS NOT NULL AND n.attacl IS NULL OR col_description(o.holder, a.attnum) IS NOT NULL AND col_description(o.holder, n.attnum) IS NULL;
    RETURN QUERY SELECT true, NULL, format('%s.%I of type %s goes, and %I takes its name', idgen_migrate.name_of(o.holder), o.old,
            format_type(idgen_migrate.column_type(o.holder, o.old), NULL), o.new), 'Nothing that runs may still use the old column.'
        FROM idgen_migrate.old_columns(relation, id_column) o;
END
$$;

-- Whether an object is about the old column only, so that it will not be missed: its default, its sequence, an index or
-- a check of nothing else. What makes it unique, and a default, must have its like on the new column; a foreign key is about two
-- tables.
CREATE FUNCTION idgen_migrate.is_of_column(class oid, object oid, holder oid, old name, new name) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT FROM pg_attrdef f WHERE class = 'pg_attrdef'::regclass AND f.oid = object AND f.adrelid = holder AND f.adnum = n.number AND n.has_default)
        OR EXISTS (SELECT FROM pg_class c WHERE class = 'pg_class'::regclass AND c.oid = object AND c.relkind = 'S')
        OR EXISTS (SELECT FROM pg_index i WHERE class = 'pg_class'::regclass AND i.indexrelid = object AND i.indnatts = 1 AND i.indkey[0] = n.number
                      AND i.indpred IS NULL AND (NOT i.indisunique OR n.is_unique))
        OR EXISTS (SELECT FROM pg_constraint k WHERE class = 'pg_constraint'::regclass AND k.oid = object AND k.conrelid = holder
                      AND k.conkey = ARRAY[n.number] AND (k.contype IN ('c', 'n') OR k.contype = 'u' AND n.is_unique))
      FROM (SELECT idgen_migrate.column_number(holder, old) AS number, idgen_migrate.unique_index(holder, new) IS NOT NULL AS is_unique,
                   EXISTS (SELECT FROM pg_attrdef d WHERE d.adrelid = holder AND d.adnum = idgen_migrate.column_number(holder, new)) AS has_default) n
$$;

CREATE FUNCTION idgen_migrate.rename_columns(relation oid, id_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT idgen_migrate.name_of(o.holder) AS holder, o.old, o.new FROM idgen_migrate.old_columns(relation, id_column) o LOOP
        EXECUTE format('ALTER TABLE %s DROP COLUMN %I', one.holder, one.old);
        EXECUTE format('ALTER TABLE %s RENAME COLUMN %I TO %I', one.holder, one.new, one.old);
    END LOOP;
END
$$;

CREATE PROCEDURE idgen_migrate.uuid_rename(relation regclass, id_column name, lock_wait interval DEFAULT '2 seconds', attempts integer DEFAULT 30)
LANGUAGE plpgsql AS $$
BEGIN
    @PIN@
    CALL idgen_migrate.refuse_block();
    PERFORM idgen_migrate.require_for('rename', relation, id_column, NULL, NULL);
    CALL idgen_migrate.try('rename', relation, id_column, NULL, NULL, NULL, lock_wait, attempts, NULL);
END
$$;

COMMENT ON FUNCTION idgen_migrate.old_columns(oid, name) IS 'old columns of a finished move';
COMMENT ON FUNCTION idgen_migrate.identity_findings(oid, name) IS 'findings about replica identities';
COMMENT ON FUNCTION idgen_migrate.rename_findings(oid, name) IS 'findings before the old columns go';
COMMENT ON FUNCTION idgen_migrate.is_of_column(oid, oid, oid, name, name) IS 'whether an object is about the old column only';
COMMENT ON FUNCTION idgen_migrate.rename_columns(oid, name) IS 'drops the old columns and gives their names to the new ones';
COMMENT ON PROCEDURE idgen_migrate.uuid_rename(regclass, name, interval, integer) IS
    'from uuid or integer keys to IDs in id_column of relation, after uuid_finish: the old columns go, the new ones take their names. Its locks are tried for lock_wait at a time, attempts times';
