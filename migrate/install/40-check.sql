-- What would happen before it happens.

-- Who may migrate: the very role that owns the table and all around it, in a session that it began itself. What triggers,
-- checks, domains and policies of these tables do is then done with the rights of their owner. Neither SET ROLE nor SET
-- SESSION AUTHORIZATION takes rights from a session for good: a trigger can reset both.
CREATE FUNCTION idgen_migrate.role_findings(relation oid) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tables oid[] := ARRAY(SELECT idgen_migrate.tables_around(relation));
BEGIN
    RETURN QUERY SELECT false, '42501', format('%s belongs to %I', idgen_migrate.name_of(c.oid), pg_get_userbyid(c.relowner)),
        format('Connect as %I and call it again: all that is touched must belong to the caller.', pg_get_userbyid(c.relowner))
        FROM pg_class c WHERE c.oid = ANY (tables) AND pg_get_userbyid(c.relowner) <> current_user ORDER BY c.oid <> relation, 3;
    RETURN QUERY SELECT false, '42501', 'this session was started by a superuser',
        format('Connect as %I and call it again: a trigger could take the superuser''s rights back.', current_user)
        FROM pg_roles r WHERE r.rolsuper AND r.rolname <> current_user
         AND (r.rolname = session_user OR r.oid = (SELECT usesysid FROM pg_stat_get_activity(pg_backend_pid())));
    IF (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = current_user) THEN
        RETURN QUERY SELECT false, '42501', format('a superuser''s table uses %s of %I', f.object, f.owner),
            'It would run with the superuser''s rights: give the table to an ordinary role, or the object to a superuser.'
            FROM idgen_migrate.foreign_code(tables) f;
        RETURN QUERY SELECT false, '42501', format('event trigger %I calls %s of %I', e.evtname, pg_describe_object('pg_proc'::regclass, p.oid, 0), r.rolname),
            'It would run with the superuser''s rights: disable the event trigger, or give the function to a superuser.'
            FROM pg_event_trigger e JOIN pg_proc p ON p.oid = e.evtfoid JOIN pg_roles r ON r.oid = p.proowner AND NOT r.rolsuper WHERE e.evtenabled <> 'D' ORDER BY e.evtname;
        RETURN QUERY SELECT DISTINCT false, '42501', format('a superuser''s table lies in schema %I of %s', n.nspname, m.maker),
            'Its owner could put another table in its place: give the table to an ordinary role, or move it to a superuser''s schema.'
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace CROSS JOIN LATERAL idgen_migrate.makers_in(n.oid) m
           WHERE c.oid = ANY (tables) AND m.is_owner;
        -- A snapshot of before the lock would not show a trigger that came while it was waited for.
        RETURN QUERY SELECT * FROM idgen_migrate.isolation_findings();
    END IF;
    RETURN QUERY SELECT false, '42501', format('row level security hides rows of %s from %I', idgen_migrate.name_of(relation), current_user),
        format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', idgen_migrate.name_of(relation))
        FROM pg_class c WHERE c.oid = relation AND c.relkind IN ('r', 'p') AND row_security_active(relation);
END
$$;

-- A snapshot of before a lock does not show what came while it was waited for.
CREATE FUNCTION idgen_migrate.isolation_findings() RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT false, '25001', format('tables are not migrated under %s', current_setting('transaction_isolation')),
        'SET default_transaction_isolation = ''read committed'';' WHERE current_setting('transaction_isolation') <> 'read committed';
END
$$;

-- The first of these findings as an error. Each batch asks again, under a lock that lets no trigger come.
CREATE FUNCTION idgen_migrate.guard(relation oid) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found record;
BEGIN
    FOR found IN SELECT * FROM idgen_migrate.role_findings(relation) LOOP
        RAISE EXCEPTION USING ERRCODE = found.state, MESSAGE = found.finding, HINT = found.advice,
            DETAIL = 'Only the owner of the tables may migrate them.';
    END LOOP;
END
$$;

-- Locks a table against changes of its shape, as an UPDATE does, and asks who may migrate it: for a superuser also the tables that it
-- reaches, to which others may have a right to add a trigger. Names can be given to other tables, and schemas can be renamed: so it also
-- looks whether the name of the statements still means that table.
CREATE FUNCTION idgen_migrate.hold(relation oid, target text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    reached oid;
BEGIN
    EXECUTE format('LOCK TABLE ONLY %s IN ROW EXCLUSIVE MODE', target);
    IF (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = current_user) THEN
        FOR reached IN SELECT c.oid FROM idgen_migrate.used_by(ARRAY(SELECT idgen_migrate.tables_around(relation))) u JOIN pg_class c ON c.oid = u.object
                        JOIN pg_roles r ON r.oid = c.relowner AND r.rolsuper WHERE u.class = 'pg_class'::regclass AND c.relkind IN ('r', 'p', 'v') ORDER BY c.oid LOOP
            EXECUTE format('LOCK TABLE ONLY %s IN ROW EXCLUSIVE MODE', idgen_migrate.name_of(reached));
        END LOOP;
    END IF;
    IF to_regclass(target) IS DISTINCT FROM relation::regclass THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('%s is a different table now', target),
            DETAIL = 'It, or its schema, has been renamed meanwhile.', HINT = 'Call it again, with the name that the table has now.';
    END IF;
    PERFORM idgen_migrate.guard(relation);
END
$$;

-- What holds for every migration of a table.
CREATE FUNCTION idgen_migrate.table_findings(relation oid, id_column name, kind text) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    class record;
BEGIN
    SELECT c.relkind, c.reltuples INTO class FROM pg_class c WHERE c.oid = relation;
    RETURN QUERY SELECT false, '42809', target || ' is partitioned', 'Migrate its partitions one by one.'
        WHERE class.relkind = 'p' AND kind NOT IN ('serial', 'widen');
    RETURN QUERY SELECT false, '42809', target || ' is not an ordinary table', 'Give a table.' WHERE class.relkind NOT IN ('r', 'p');
    RETURN QUERY SELECT false, '42809', target || ' has tables that inherit from it', 'Migrate tables without children.'
        WHERE class.relkind = 'r' AND kind NOT IN ('serial', 'widen') AND EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = relation);
    RETURN QUERY SELECT false, '42703', format('%s has no column %I', target, id_column),
        format('ALTER TABLE %s ADD COLUMN %I bigint', target, id_column)
        WHERE idgen_migrate.column_number(relation, id_column) IS NULL AND class.relkind IN ('r', 'p') AND kind <> 'uuid';
    RETURN QUERY SELECT false, '42809', format('%s.%I is a generated column', target, id_column), 'Give a column that can be written.'
        FROM pg_attribute a WHERE a.attrelid = relation AND a.attname = id_column AND a.attgenerated <> '';
    RETURN QUERY SELECT true, NULL, format('rows of %s: %s, in %s', target,
                                           CASE WHEN class.reltuples < 0 THEN 'not known before ANALYZE' ELSE 'about ' || class.reltuples END,
                                           pg_size_pretty(pg_relation_size(relation))), 'Nothing needs to be done.'
        WHERE class.relkind = 'r' AND NOT EXISTS (SELECT FROM idgen_migrate.citus_table(relation));
    RETURN QUERY SELECT * FROM idgen_migrate.citus_findings(relation, id_column, kind);
END
$$;

-- All findings about one kind of migration; `all`: also those that read the rows. What a role may not migrate is not read.
CREATE FUNCTION idgen_migrate.findings(kind text, relation oid, id_column name, time_column name, shard bigint,
                                       batch integer, layout id_layout, what text) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one idgen_migrate.finding;
    is_table boolean := (SELECT c.relkind = 'r' OR c.relkind = 'p' AND kind IN ('serial', 'widen') FROM pg_class c WHERE c.oid = relation);
    is_refused boolean := false;
    is_other boolean := false;
BEGIN
    IF relation IS NULL OR id_column IS NULL OR layout IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'table, ID column and layout must not be null',
            DETAIL = 'They say what to migrate.', HINT = 'Give a value.';
    END IF;
    FOR one IN
        SELECT * FROM idgen_migrate.role_findings(relation)
        UNION ALL SELECT * FROM idgen_migrate.isolation_findings() WHERE kind <> 'backfill'
        UNION ALL SELECT * FROM idgen_migrate.table_findings(relation, id_column, kind)
        UNION ALL SELECT * FROM idgen_migrate.backfill_findings(relation, id_column, time_column, shard, batch, layout) WHERE is_table AND kind = 'backfill'
        UNION ALL SELECT * FROM idgen_migrate.serial_findings(relation, id_column, layout, kind = 'widen') WHERE is_table AND kind IN ('serial', 'widen')
        UNION ALL SELECT * FROM idgen_migrate.key_findings(relation, id_column) WHERE is_table AND kind IN ('uuid', 'switch')
        UNION ALL SELECT * FROM idgen_migrate.switch_findings(relation, id_column) WHERE is_table AND kind = 'switch'
        UNION ALL SELECT * FROM idgen_migrate.finish_findings(relation, id_column) WHERE is_table AND kind = 'finish'
        UNION ALL SELECT * FROM idgen_migrate.rename_findings(relation, id_column) WHERE is_table AND kind = 'rename'
    LOOP
        is_refused := is_refused OR NOT one.ok;
        is_other := is_other OR NOT one.ok AND one.state IN ('42501', '25001');
        RETURN NEXT one;
    END LOOP;
    IF what = 'all' AND NOT is_other AND is_table THEN
        RETURN QUERY SELECT * FROM idgen_migrate.citus_row_findings(relation);
    END IF;
    IF what = 'all' AND NOT is_refused THEN
        RETURN QUERY SELECT * FROM idgen_migrate.row_findings(relation, id_column, time_column, batch, layout) WHERE kind = 'backfill'
            UNION ALL SELECT * FROM idgen_migrate.largest_findings(relation, id_column, layout) WHERE kind IN ('serial', 'widen');
    END IF;
END
$$;

-- The first of the findings that speaks against a migration, as an error.
CREATE FUNCTION idgen_migrate.require(kind text, relation oid, id_column name, time_column name, shard bigint,
                                      batch integer, layout id_layout, what text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found record;
BEGIN
    FOR found IN SELECT c.* FROM idgen_migrate.findings(kind, relation, id_column, time_column, shard, batch, layout, what) c
                  WHERE NOT c.ok LOOP
        RAISE EXCEPTION USING ERRCODE = found.state, MESSAGE = found.finding, HINT = found.advice,
            DETAIL = 'idgen_migrate.check() lists all that stands in the way.';
    END LOOP;
END
$$;

CREATE FUNCTION idgen_migrate.check(kind text, relation regclass, id_column name, time_column name DEFAULT NULL,
                                      shard bigint DEFAULT idgen.own_shards(), batch integer DEFAULT 10000,
                                      layout id_layout DEFAULT 'instagram')
    RETURNS TABLE (ok boolean, finding text, advice text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF kind IS NULL OR kind NOT IN ('backfill', 'serial', 'widen', 'uuid', 'switch', 'finish', 'rename') THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('there is no migration %s', coalesce(quote_literal(kind), 'null')),
            DETAIL = 'The kinds are backfill, serial, widen, uuid, switch, finish and rename.', HINT = 'Give one of them.';
    END IF;
    RETURN QUERY SELECT f.ok, f.finding, f.advice
        FROM idgen_migrate.findings(kind, relation, id_column, time_column, shard, batch, layout, 'all') f;
END
$$;

COMMENT ON FUNCTION idgen_migrate.role_findings(oid) IS 'findings about who migrates';
COMMENT ON FUNCTION idgen_migrate.isolation_findings() IS 'findings about the isolation level';
COMMENT ON FUNCTION idgen_migrate.guard(oid) IS 'the first finding about who migrates as an error';
COMMENT ON FUNCTION idgen_migrate.hold(oid, text) IS 'locks a table as an UPDATE does, and asks who may migrate it';
COMMENT ON FUNCTION idgen_migrate.table_findings(oid, name, text) IS 'findings of every kind';
COMMENT ON FUNCTION idgen_migrate.findings(text, oid, name, name, bigint, integer, id_layout, text) IS 'all findings about a table';
COMMENT ON FUNCTION idgen_migrate.require(text, oid, name, name, bigint, integer, id_layout, text) IS 'the first finding against a migration as an error';
COMMENT ON FUNCTION idgen_migrate.check(text, regclass, name, name, bigint, integer, id_layout) IS
    'what a migration of that kind (backfill, serial, widen, uuid, switch, finish, rename) of id_column in relation would find, called with that time_column, shard, batch and layout: whether that is all right, and what to do';
