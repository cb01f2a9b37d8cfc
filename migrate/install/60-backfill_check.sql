-- What speaks about a backfill before its rows are read.
CREATE FUNCTION idgen_migrate.backfill_findings(relation oid, id_column name, time_column name, shard bigint, batch integer, layout id_layout)
    RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    id_type oid := idgen_migrate.column_type(relation, id_column);
    time_type oid := idgen_migrate.column_type(relation, time_column);
    info record;
BEGIN
    SELECT * INTO info FROM idgen_migrate.layout_limits(layout);
    RETURN QUERY SELECT false, '42804', format('%s.%I is of type %s', target, id_column, format_type(id_type, NULL)),
        'IDs need a column of type bigint or id64: add a new one.' WHERE id_type NOT IN ('bigint'::regtype, idgen_migrate.id64_type());
    RETURN QUERY SELECT false, '22023', 'the time of this layout wraps, so its IDs do not sort by time',
        'Use a layout that does not wrap.' WHERE info.wraps;
    RETURN QUERY SELECT false, '22003', format('shard %s is out of range', coalesce(shard::text, 'null')),
        format('Name a shard from 0 to %s that nobody else fills the table with.', info.shards - 1)
        WHERE info.shards > 1 AND time_column IS NOT NULL AND (shard IS NULL OR shard NOT BETWEEN 0 AND info.shards - 1);
    RETURN QUERY SELECT false, '22023', 'a batch must have from 1 to 1000000 rows', 'The default is 10000.'
        WHERE coalesce(batch, 0) NOT BETWEEN 1 AND 1000000;
    RETURN QUERY SELECT true, NULL, 'no column of times is named: IDs are made by next_id(), of the time of the backfill',
        'Name the column whose times the IDs should have, if there is one.' WHERE time_column IS NULL;
    RETURN QUERY SELECT false, '42703', format('%s has no column %I', target, time_column), 'Name the column whose times the IDs should have.'
        WHERE time_column IS NOT NULL AND time_type IS NULL;
    RETURN QUERY SELECT false, '42804', format('%s.%I is of type %s', target, time_column, format_type(time_type, NULL)),
        'Name a timestamptz, a timestamp or date (taken as UTC), or a uuid of version 7; null for IDs of now.'
        WHERE time_type NOT IN ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype, 'uuid'::regtype);
    RETURN QUERY SELECT false, '55000', format('%s.%I has no unique index', target, id_column),
        format('CREATE UNIQUE INDEX CONCURRENTLY ON %s (%I)', target, id_column)
        WHERE idgen_migrate.unique_index(relation, id_column) IS NULL AND id_type IN ('bigint'::regtype, idgen_migrate.id64_type());
    RETURN QUERY SELECT true, NULL, format('%s.%I is taken as UTC', target, time_column),
        'Convert it to timestamptz first if it is not.' WHERE time_type IN ('timestamp'::regtype, 'date'::regtype);
    RETURN QUERY SELECT true, NULL, n.finding, n.advice FROM idgen_migrate.backfill_notes(relation, id_column) n;
END
$$;

-- What is worth knowing about a backfill, and is not an obstacle.
CREATE FUNCTION idgen_migrate.backfill_notes(relation oid, id_column name) RETURNS TABLE (finding text, advice text)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    id_number smallint := idgen_migrate.column_number(relation, id_column);
BEGIN
    RETURN QUERY SELECT format('trigger %I fires for each row', t.tgname),
        format('If it should not: ALTER TABLE %s DISABLE TRIGGER %I', target, t.tgname)
        FROM pg_trigger t WHERE t.tgrelid = relation AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')
         AND (t.tgtype & 16) <> 0 AND (t.tgattr = ''::int2vector OR id_number = ANY (t.tgattr::int2[])) ORDER BY t.tgname;
    RETURN QUERY SELECT format('generated column %I is computed again for each row', a.attname), 'Nothing needs to be done.'
        FROM pg_attribute a WHERE a.attrelid = relation AND a.attgenerated = 's' ORDER BY a.attnum;
    RETURN QUERY SELECT format('%s.%I has no default: rows that come meanwhile get no ID', target, id_column),
        format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', target, id_column, idgen_migrate.default_text(-1, NULL))
        FROM pg_attribute a WHERE a.attrelid = relation AND a.attnum = id_number AND NOT a.atthasdef;
    RETURN QUERY SELECT format('foreign key %I of %s references %I', r.constraint_name, idgen_migrate.name_of(r.child), id_column),
        'Only rows without an ID get one, and nothing references those.' FROM idgen_migrate.references_to(relation, id_column) r;
    RETURN QUERY SELECT 'each batch locks its rows until it commits; no lock of the table keeps readers or writers out',
        'Sessions that update the same rows wait for a batch: a smaller one is shorter.';
END
$$;

-- What speaks about the rows themselves; reads the whole table once.
CREATE FUNCTION idgen_migrate.row_findings(relation oid, id_column name, time_column name, batch integer, layout id_layout)
    RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    is_uuid boolean := idgen_migrate.column_type(relation, time_column) IS NOT DISTINCT FROM 'uuid'::regtype;
    info record;
    n record;
BEGIN
    SELECT * INTO info FROM idgen_migrate.layout_limits(layout);
    EXECUTE format($q$
        SELECT count(*) AS rows, count(*) - count(at) AS unknown, min(at) AS first, max(at) AS last,
               count(*) FILTER (WHERE at < $1) AS early, count(*) FILTER (WHERE at > $2) AS late
          FROM (SELECT %s AS at FROM ONLY %s t WHERE t.%I IS NULL) r$q$, idgen_migrate.time_text(relation, time_column), target, id_column)
        INTO n USING info.first_time, least(clock_timestamp(), info.last_time);
    RETURN QUERY SELECT true, NULL, format('rows without an ID: %s', n.rows),
        format('Batches of up to %s rows: %s.', batch, ceil(n.rows::numeric / batch));
    RETURN QUERY SELECT true, NULL, format('their times are from %s to %s', n.first, n.last), 'Nothing needs to be done.'
        WHERE n.first IS NOT NULL AND n.unknown = 0;
    RETURN QUERY SELECT false, '22004', format('rows without an ID and without a time: %s', n.unknown),
        format('Give them one: UPDATE %s SET %I = ... WHERE %I IS NULL', target, time_column, time_column)
        WHERE n.unknown > 0 AND time_column IS NOT NULL AND NOT is_uuid;
    RETURN QUERY SELECT false, '22023', format('rows with a uuid that is not of version 7: %s', n.unknown),
        'It holds no time to go by: name a column of times, or null for IDs of now.' WHERE n.unknown > 0 AND is_uuid;
    RETURN QUERY SELECT false, '22003', format('rows with a time before the epoch of the layout, %s: %s', info.first_time, n.early),
        'Use a layout with an earlier epoch, or give those rows a later time.' WHERE n.early > 0;
    RETURN QUERY SELECT false, '22003', format('rows with a time in the future or past the end of the layout: %s', n.late),
        'next_id() could make their IDs again: give those rows a time in the past.' WHERE n.late > 0;
END
$$;

COMMENT ON FUNCTION idgen_migrate.backfill_findings(oid, name, name, bigint, integer, id_layout) IS 'findings about a backfill';
COMMENT ON FUNCTION idgen_migrate.backfill_notes(oid, name) IS 'what to know about a backfill';
COMMENT ON FUNCTION idgen_migrate.row_findings(oid, name, name, integer, id_layout) IS 'findings about the rows to be filled';
