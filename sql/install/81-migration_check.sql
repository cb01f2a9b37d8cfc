-- What would happen before it happens: findings about a table, each with advice. The state of one is the SQLSTATE of
-- the error that it becomes.

-- What holds for every migration of a table.
CREATE FUNCTION idgen_migrate_table_findings(relation oid, id_column name)
    RETURNS TABLE (ok boolean, state text, finding text, advice text)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text;
    class record;
BEGIN
    @SEARCH_OWN_SCHEMA@
    target := idgen_migrate_name(relation);
    SELECT c.relowner, c.relkind, c.relpages, c.reltuples INTO class FROM pg_class c WHERE c.oid = relation;
    RETURN QUERY SELECT false, '42501', format('%s belongs to %I', target, pg_get_userbyid(class.relowner)), 'Migrate it as its owner.'
        WHERE NOT pg_has_role(class.relowner, 'USAGE');
    RETURN QUERY SELECT false, '42809', target || ' is partitioned', 'Migrate its partitions one by one.'
        WHERE class.relkind = 'p';
    RETURN QUERY SELECT false, '42809', target || ' is not an ordinary table', 'Give a table.'
        WHERE class.relkind NOT IN ('r', 'p');
    RETURN QUERY SELECT false, '42809', format('%s has tables that inherit from it', target), 'Migrate tables without children.'
        WHERE class.relkind = 'r' AND EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = relation);
    RETURN QUERY SELECT false, '42501', format('row level security hides rows of %s from %I', target, current_user),
        'Migrate it as a role that sees all rows.'
        WHERE row_security_active(relation);
    RETURN QUERY SELECT false, '42703', format('%s has no column %I', target, id_column),
        format('ALTER TABLE %s ADD COLUMN %I bigint', target, id_column)
        WHERE idgen_migrate_column(relation, id_column) IS NULL AND class.relkind IN ('r', 'p');
    RETURN QUERY SELECT false, '42809', format('%s.%I is a generated column', target, id_column), 'Give a column that can be written.'
        FROM pg_attribute a WHERE a.attrelid = relation AND a.attname = id_column AND a.attgenerated <> '';
    RETURN QUERY SELECT true, NULL, format('%s has about %s rows in %s', target, greatest(class.reltuples, 0),
                                           pg_size_pretty(pg_relation_size(relation))), 'Nothing needs to be done.'
        WHERE class.relkind = 'r';
END
$$;

-- A row's instant as an expression over the alias t.
CREATE FUNCTION idgen_migrate_time(relation oid, time_column name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT pg_catalog.format(CASE a.atttypid
            WHEN 'pg_catalog.timestamptz'::pg_catalog.regtype THEN 't.%1$I'
            WHEN 'pg_catalog.uuid'::pg_catalog.regtype THEN
                $e$pg_catalog.to_timestamp(('x' || pg_catalog.translate(pg_catalog.left(t.%1$I::text, 13), '-', ''))::bit(48)::bigint / 1000.0)$e$
            ELSE $e$pg_catalog.timezone('UTC', t.%1$I::timestamp)$e$ END, a.attname)
          FROM pg_catalog.pg_attribute a WHERE a.attrelid = relation AND a.attname = time_column AND a.attnum > 0);

-- What speaks about a backfill before its rows are read.
CREATE FUNCTION idgen_migrate_backfill_findings(relation oid, id_column name, time_column name, shard bigint,
                                                batch integer, layout id_layout)
    RETURNS TABLE (ok boolean, state text, finding text, advice text)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text;
    id_number smallint;
    id_type oid;
    time_type oid;
    info record;
BEGIN
    @SEARCH_OWN_SCHEMA@
    target := idgen_migrate_name(relation);
    id_number := idgen_migrate_column(relation, id_column);
    SELECT a.atttypid INTO id_type FROM pg_attribute a WHERE a.attrelid = relation AND a.attnum = id_number;
    SELECT a.atttypid INTO time_type FROM pg_attribute a
     WHERE a.attrelid = relation AND a.attnum = idgen_migrate_column(relation, time_column);
    SELECT * INTO info FROM id_layout_info(layout);
    RETURN QUERY SELECT false, '42804', format('%s.%I is of type %s', target, id_column, format_type(id_type, NULL)),
        'IDs need a bigint column: add a new one.' WHERE id_type <> 'bigint'::regtype;
    RETURN QUERY SELECT false, '22023', 'the time of this layout wraps, so its IDs do not sort by time',
        'Use a layout that does not wrap.' WHERE info.wraps;
    RETURN QUERY SELECT false, '22003', format('shard %s is out of range', coalesce(shard::text, 'null')),
        format('Name a shard from 0 to %s that nobody else fills the table with.', info.shards - 1)
        WHERE info.shards > 1 AND (shard IS NULL OR shard NOT BETWEEN 0 AND info.shards - 1);
    RETURN QUERY SELECT false, '22023', 'a batch must have from 1 to 1000000 rows', 'The default is 10000.'
        WHERE coalesce(batch, 0) NOT BETWEEN 1 AND 1000000;
    RETURN QUERY SELECT false, '42703', 'no column of times is named', 'Name the column whose times the IDs shall have.'
        WHERE time_column IS NULL;
    RETURN QUERY SELECT false, '42703', format('%s has no column %I', target, time_column), 'Name the column whose times the IDs shall have.'
        WHERE time_column IS NOT NULL AND time_type IS NULL;
    RETURN QUERY SELECT false, '42804', format('%s.%I is of type %s', target, time_column, format_type(time_type, NULL)),
        'Name a timestamptz, a timestamp or date (taken as UTC), or a uuid of version 7.'
        WHERE time_type NOT IN ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype, 'uuid'::regtype);
    RETURN QUERY SELECT false, '55000', format('%s.%I has no unique index', target, id_column),
        format('CREATE UNIQUE INDEX CONCURRENTLY ON %s (%I)', target, id_column)
        WHERE idgen_migrate_unique(relation, id_column) IS NULL AND id_type = 'bigint'::regtype;
    RETURN QUERY SELECT true, NULL, format('%s.%I is taken as UTC', target, time_column),
        'Convert it to timestamptz first where it is not.' WHERE time_type IN ('timestamp'::regtype, 'date'::regtype);
    RETURN QUERY SELECT true, NULL, format('trigger %I fires for each row', t.tgname),
        format('Where it should not: ALTER TABLE %s DISABLE TRIGGER %I', target, t.tgname)
        FROM pg_trigger t WHERE t.tgrelid = relation AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')
         AND (t.tgtype & 16) <> 0 AND (t.tgattr = ''::int2vector OR id_number = ANY (t.tgattr::int2[])) ORDER BY t.tgname;
    RETURN QUERY SELECT true, NULL, format('generated column %I is computed anew for each row', a.attname), 'Nothing needs to be done.'
        FROM pg_attribute a WHERE a.attrelid = relation AND a.attgenerated = 's' ORDER BY a.attnum;
    RETURN QUERY SELECT true, NULL, format('%s.%I has no default: rows that come meanwhile get no ID', target, id_column),
        format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT next_id()', target, id_column)
        FROM pg_attribute a WHERE a.attrelid = relation AND a.attnum = id_number AND NOT a.atthasdef;
    RETURN QUERY SELECT true, NULL, format('foreign key %I of %s references %I', r.constraint_name, idgen_migrate_name(r.child), id_column),
        'Only rows without an ID get one, and nothing references those.' FROM idgen_migrate_references(relation, id_column) r;
    RETURN QUERY SELECT true, NULL, 'each batch locks its rows until it commits; no lock of the table keeps readers or writers out',
        'Sessions that update the same rows wait for a batch: a smaller one is shorter.';
END
$$;

-- What speaks about the rows themselves; reads the whole table once.
CREATE FUNCTION idgen_migrate_row_findings(relation oid, id_column name, time_column name, batch integer, layout id_layout)
    RETURNS TABLE (ok boolean, state text, finding text, advice text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text;
    at text;
    other text := 'false';
    info record;
    n record;
BEGIN
    @SEARCH_OWN_SCHEMA@
    target := idgen_migrate_name(relation);
    at := idgen_migrate_time(relation, time_column);
    SELECT * INTO info FROM id_layout_info(layout);
    IF at LIKE '%to_timestamp%' THEN
        other := format('substr(t.%I::text, 15, 1) <> ''7''', time_column);
    END IF;
    EXECUTE format($q$
        SELECT count(*) AS rows, count(*) - count(at) AS unknown, min(at) AS first, max(at) AS last,
               count(*) FILTER (WHERE at < $1) AS early, count(*) FILTER (WHERE at > $2) AS late,
               count(*) FILTER (WHERE other) AS other
          FROM (SELECT %s AS at, %s AS other FROM ONLY %s t WHERE t.%I IS NULL) r$q$, at, other, target, id_column)
        INTO n USING info.first_time, least(clock_timestamp(), info.last_time);
    RETURN QUERY SELECT true, NULL, format('%s rows have no ID', n.rows),
        format('%s batches of up to %s rows.', ceil(n.rows::numeric / batch), batch);
    RETURN QUERY SELECT true, NULL, format('their times are from %s to %s', n.first, n.last), 'Nothing needs to be done.'
        WHERE n.first IS NOT NULL AND n.other = 0;
    RETURN QUERY SELECT false, '22004', format('%s rows without an ID have no time', n.unknown),
        format('Give them one: UPDATE %s SET %I = ... WHERE %I IS NULL', target, time_column, time_column) WHERE n.unknown > 0;
    RETURN QUERY SELECT false, '22023', format('%s rows have a uuid that is not of version 7', n.other),
        'It holds no time to go by: name a column of times.' WHERE n.other > 0;
    RETURN QUERY SELECT false, '22003', format('%s rows are older than the epoch of the layout, %s', n.early, info.first_time),
        'Use a layout with an earlier epoch, or give those rows a later time.' WHERE n.early > 0 AND n.other = 0;
    RETURN QUERY SELECT false, '22003', format('%s rows have a time in the future or past the end of the layout', n.late),
        'next_id() could make their IDs again: give those rows a time in the past.' WHERE n.late > 0 AND n.other = 0;
END
$$;

-- All findings about one kind of migration; `all`: also those that read the rows.
CREATE FUNCTION idgen_migrate_findings(kind text, relation oid, id_column name, time_column name, shard bigint,
                                       batch integer, layout id_layout, what text)
    RETURNS TABLE (ok boolean, state text, finding text, advice text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_refused boolean := false;
BEGIN
    @SEARCH_OWN_SCHEMA@
    IF relation IS NULL OR id_column IS NULL OR layout IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'table, ID column and layout must not be null',
            DETAIL = 'They say what to migrate.', HINT = 'Give a value.';
    END IF;
    FOR ok, state, finding, advice IN
        SELECT * FROM idgen_migrate_table_findings(relation, id_column) f
         WHERE f.state IS DISTINCT FROM '42703' OR kind <> 'uuid'
        UNION ALL SELECT * FROM idgen_migrate_backfill_findings(relation, id_column, time_column, shard, batch, layout) WHERE kind = 'backfill'
        UNION ALL SELECT * FROM idgen_migrate_serial_findings(relation, id_column, shard, layout, kind = 'widen') WHERE kind IN ('serial', 'widen')
        UNION ALL SELECT * FROM idgen_migrate_uuid_findings(relation, id_column) WHERE kind = 'uuid'
        UNION ALL SELECT * FROM idgen_migrate_switch_findings(relation, id_column) WHERE kind = 'switch'
    LOOP
        is_refused := is_refused OR NOT ok;
        RETURN NEXT;
    END LOOP;
    IF kind = 'backfill' AND what = 'all' AND NOT is_refused THEN
        RETURN QUERY SELECT * FROM idgen_migrate_row_findings(relation, id_column, time_column, batch, layout);
    END IF;
END
$$;

CREATE FUNCTION idgen_migration_check(kind text, relation regclass, id_column name, time_column name DEFAULT NULL,
                                      shard bigint DEFAULT idgen_own_shards(), batch integer DEFAULT 10000,
                                      layout id_layout DEFAULT 'instagram')
    RETURNS TABLE (ok boolean, finding text, advice text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    @SEARCH_OWN_SCHEMA@
    IF kind IS NULL OR kind NOT IN ('backfill', 'serial', 'widen', 'uuid', 'switch') THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
            MESSAGE = format('there is no migration %s', coalesce(quote_literal(kind), 'null')),
            DETAIL = 'The kinds are backfill, serial, widen, uuid and switch.', HINT = 'Give one of them.';
    END IF;
    RETURN QUERY SELECT f.ok, f.finding, f.advice
        FROM idgen_migrate_findings(kind, relation, id_column, time_column, shard, batch, layout, 'all') f;
END
$$;

COMMENT ON FUNCTION idgen_migration_check(text, regclass, name, name, bigint, integer, id_layout) IS
    'what a migration (backfill, serial, widen, uuid, switch) would find: whether that is all right, and what to do';
COMMENT ON FUNCTION idgen_migrate_findings(text, oid, name, name, bigint, integer, id_layout, text) IS
    'part of the migration: all findings about a table';
COMMENT ON FUNCTION idgen_migrate_table_findings(oid, name) IS 'part of the migration: findings of every kind';
COMMENT ON FUNCTION idgen_migrate_time(oid, name) IS 'part of the migration: the instant of a row as an expression';
COMMENT ON FUNCTION idgen_migrate_backfill_findings(oid, name, name, bigint, integer, id_layout) IS
    'part of the migration: findings about a backfill';
COMMENT ON FUNCTION idgen_migrate_row_findings(oid, name, name, integer, id_layout) IS
    'part of the migration: findings about the rows to be filled';
