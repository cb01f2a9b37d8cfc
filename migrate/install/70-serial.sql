-- From serial and identity to next_id(): one short transaction under a lock that is tried for, not waited for.

-- Findings about a column that counts. What widening mends is not an obstacle if it is wanted. The tables that are widened with it
-- have owners of their own.
CREATE FUNCTION idgen_migrate.serial_findings(relation oid, id_column name, layout id_layout, is_widened boolean) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    id_type oid := idgen_migrate.column_type(relation, id_column);
    advice text := CASE WHEN (SELECT count(*) = 1 FROM idgen_migrate.tree(relation)) THEN ' Or move the key by a new column: CALL idgen_migrate.uuid_start(...).' END;
    one record;
BEGIN
    RETURN QUERY SELECT false, '42809', format('%s inherits %I from %s', target, id_column, idgen_migrate.name_of(o.origin)), 'Give that table.'
        FROM idgen_migrate.origin_of(relation, id_column) AS o(origin) WHERE o.origin <> relation;
    RETURN QUERY SELECT false, '42804', format('%s.%I is of type %s', target, id_column, format_type(id_type, NULL)),
        'Only integer columns become IDs in place; for uuid see idgen_migrate.uuid_start().'
        WHERE id_type NOT IN ('bigint'::regtype, 'integer'::regtype, 'smallint'::regtype);
    FOR one IN SELECT h.* FROM idgen_migrate.columns_with(relation, id_column) h
                WHERE h.holder_type IN ('integer'::regtype, 'smallint'::regtype) ORDER BY h.holder <> relation, idgen_migrate.name_of(h.holder), 2 LOOP
        RETURN QUERY SELECT is_widened, '42804', format('%s.%I%s is of type %s, which is too small for IDs', idgen_migrate.name_of(one.holder), one.holder_column,
                   CASE WHEN one.holder <> relation OR one.holder_column <> id_column THEN ', which references it,' END, format_type(one.holder_type, NULL)),
            format('Widen it, which rewrites %s under a lock: widen => true.', idgen_migrate.size_of(one.holder)) || coalesce(advice, '');
        RETURN QUERY SELECT false, '42809', format('%s uses %s.%I', k.keeper, idgen_migrate.name_of(one.holder), one.holder_column),
            'Drop it before, and make it again after.'
            FROM idgen_migrate.keepers_of_type(one.holder, one.holder_column) AS k(keeper) WHERE is_widened ORDER BY 3;
        RETURN QUERY SELECT * FROM idgen_migrate.name_findings(one.holder, ARRAY[one.holder_column]) WHERE is_widened;
        RETURN QUERY SELECT * FROM idgen_migrate.referenced_findings(one.holder, ARRAY[one.holder_column]) WHERE is_widened;
        RETURN QUERY SELECT * FROM idgen_migrate.role_findings(one.holder) WHERE is_widened AND one.holder <> relation;
    END LOOP;
    RETURN QUERY SELECT false, '42809', format('%s calls currval() of the sequence, which next_id() does not set', pg_describe_object('pg_attrdef'::regclass, f.oid, 0)),
        'Drop that default before, or make it one that does not need the sequence.'
        FROM pg_attrdef f JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_class'::regclass
       WHERE f.adrelid IN (SELECT idgen_migrate.tree(relation)) AND f.adnum <> idgen_migrate.column_number(f.adrelid, id_column)
         AND pg_get_expr(f.adbin, f.adrelid) ~ '\mcurrval\(' AND d.refobjid IN (SELECT idgen_migrate.sequences_of(relation, id_column));
    RETURN QUERY SELECT false, '42809', format('%s is partitioned by %I', idgen_migrate.name_of(p.partrelid), id_column),
        'Make partitions for new IDs first, by id_min() and id_max(); then: ALTER TABLE ... ALTER COLUMN ... SET DEFAULT idgen.next_id().'
        FROM pg_partitioned_table p WHERE p.partstrat <> 'h' AND p.partrelid IN (SELECT idgen_migrate.tree(relation))
         AND idgen_migrate.column_number(p.partrelid, id_column) = ANY (p.partattrs);
    RETURN QUERY SELECT false, '22023', 'the time of this layout wraps, so new IDs are not larger than all old ones',
        'Use a layout that does not wrap.' FROM idgen_migrate.layout_limits(layout) i WHERE i.wraps;
    RETURN QUERY SELECT true, NULL, 'its identity is dropped, with its sequence', 'New rows count by next_id().'
        FROM pg_attribute a WHERE a.attrelid = relation AND a.attname = id_column AND a.attidentity <> '';
    RETURN QUERY SELECT true, NULL, 'the switch needs an ACCESS EXCLUSIVE lock for a moment',
        'It is tried for a time (lock_wait) and again, so that nobody queues behind it for long.';
END
$$;

-- The sequences that make a column: its own, and those that its default calls.
CREATE FUNCTION idgen_migrate.sequences_of(relation oid, id_column name) RETURNS SETOF oid
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.oid FROM pg_depend d LEFT JOIN pg_attrdef f ON d.classid = 'pg_attrdef'::regclass AND f.oid = d.objid
      JOIN pg_class c ON c.relkind = 'S' AND c.oid = CASE WHEN f.oid IS NULL THEN d.objid ELSE d.refobjid END
     WHERE d.refclassid = 'pg_class'::regclass AND (
         d.classid = 'pg_class'::regclass AND d.refobjid = relation AND d.refobjsubid = idgen_migrate.column_number(relation, id_column)
         OR f.adrelid = relation AND f.adnum = idgen_migrate.column_number(relation, id_column))
$$;

-- Whether a check of one column holds for a value; an error is a refusal, too. What the check calls is found again by its name, and
-- runs with the rights of this role: nothing is evaluated that others own, or could put something else in the place of.
CREATE FUNCTION idgen_migrate.is_allowed(holder oid, column_name name, check_oid oid, value bigint) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_good boolean := true;
BEGIN
    IF NOT EXISTS (SELECT FROM idgen_migrate.role_findings(holder) UNION ALL SELECT FROM idgen_migrate.name_findings(holder, ARRAY[column_name])) THEN
        EXECUTE (SELECT format('SELECT (%s) IS NOT FALSE FROM (SELECT $1 AS %I) AS t', pg_get_expr(k.conbin, k.conrelid), column_name)
                   FROM pg_constraint k WHERE k.oid = check_oid) INTO is_good USING value;
    END IF;
    RETURN is_good;
EXCEPTION WHEN OTHERS THEN
    RETURN false;
END
$$;

-- Findings about the largest number; reads it by its index, or the whole table.
CREATE FUNCTION idgen_migrate.largest_findings(relation oid, id_column name, layout id_layout) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    smallest bigint := idgen_migrate.first_id(clock_timestamp(), layout);
    largest bigint;
BEGIN
    EXECUTE format('SELECT max(%I) FROM %s', id_column, target) INTO largest;
    RETURN QUERY SELECT false, '55000', format('%s.%I goes up to %s, past what next_id() makes now', target, id_column, largest),
        'New IDs would be smaller than old ones: use a layout with an earlier epoch or fewer bits of time, or wait.' WHERE largest >= smallest;
    RETURN QUERY SELECT true, NULL, format('the largest old value is %s, the smallest new one %s', largest, smallest),
        'Nothing needs to be done.' WHERE largest < smallest;
    RETURN QUERY SELECT DISTINCT false, '42809', format('check %I of %s refuses IDs', k.conname, idgen_migrate.name_of(k.conrelid)),
        format('ALTER TABLE %s DROP CONSTRAINT %I', idgen_migrate.name_of(k.conrelid), k.conname)
        FROM idgen_migrate.columns_with(relation, id_column) h CROSS JOIN LATERAL idgen_migrate.tree(h.holder) AS t(oid)
        JOIN pg_constraint k ON k.contype = 'c' AND k.conrelid = t.oid AND k.coninhcount = 0 AND k.conkey = ARRAY[idgen_migrate.column_number(t.oid, h.holder_column)]
       WHERE NOT idgen_migrate.is_allowed(h.holder, h.holder_column, k.oid, smallest);
END
$$;

-- The switch itself, under its locks.
CREATE FUNCTION idgen_migrate.switch_serial(relation oid, id_column name, shard bigint, layout id_layout) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    next bigint := (idgen_migrate.new_ids(1, shard, layout))[1];
    largest bigint;
    sequence oid;
BEGIN
    EXECUTE format('SELECT max(%I) FROM %s', id_column, target) INTO largest;
    IF largest >= next THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('%s.%I goes up to %s, past the new ID %s', target, id_column, largest, next),
            DETAIL = 'New IDs would be smaller than old ones.', HINT = 'Use a layout with an earlier epoch, or wait.';
    END IF;
    IF EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = relation AND a.attname = id_column AND a.attidentity <> '') THEN
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I DROP IDENTITY', target, id_column);
    END IF;
    PERFORM idgen_migrate.set_default(relation, id_column, shard, layout);
    FOR sequence IN SELECT d.objid FROM idgen_migrate.tree(relation) AS t(oid) JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.deptype = 'a'
                        AND d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid AND d.refobjsubid = idgen_migrate.column_number(t.oid, id_column)
                      JOIN pg_class c ON c.oid = d.objid AND c.relkind = 'S' ORDER BY idgen_migrate.name_of(d.objid) LOOP
        -- Clients set the sequence that pg_get_serial_sequence() names to the largest key, and IDs are out of its bounds. What
        -- Citus has distributed is left as it is.
        IF NOT EXISTS (SELECT FROM idgen_migrate.citus_table(relation)) THEN
            EXECUTE format('ALTER SEQUENCE %s OWNED BY NONE', idgen_migrate.name_of(sequence));
        END IF;
        RAISE NOTICE 'the sequence % stays; when nothing else draws from it: DROP SEQUENCE %',
            idgen_migrate.name_of(sequence), idgen_migrate.name_of(sequence);
    END LOOP;
END
$$;

-- Locks the views that show columns of a table, the outermost first, as a query of them does: before the table. Those of other
-- roles keep the type, and are not touched.
CREATE FUNCTION idgen_migrate.lock_views(relation oid, columns name[], lock_wait interval) RETURNS oid[]
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one record;
    locked oid[];
BEGIN
    PERFORM idgen_migrate.set_lock_timeout(lock_wait);
    PERFORM idgen_migrate.guard(relation);
    FOR one IN SELECT v.view, c.relkind, idgen_migrate.name_of(v.view) AS target FROM idgen_migrate.views_on(relation, columns) v JOIN pg_class c ON c.oid = v.view
                WHERE idgen_migrate.is_own(v.view) ORDER BY v.depth DESC, v.view LOOP
        -- Only a lock: the owner is this role. If the name has come to mean another view, this would take that: all is undone.
        EXECUTE format('ALTER %s %s OWNER TO CURRENT_USER', CASE one.relkind WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END, one.target);
        IF to_regclass(one.target) IS DISTINCT FROM one.view::regclass THEN
            RAISE lock_not_available;
        END IF;
        locked := locked || one.view;
    END LOOP;
    RETURN coalesce(locked, '{}');
END
$$;

-- Makes columns of a table bigint: the server writes the table again, once for all of them. The views that show them are dropped
-- and made again: they are locked, but for one that has just come. What they call runs only after it is known to be what it was,
-- or a superuser's or this role's.
CREATE FUNCTION idgen_migrate.widen_columns(relation oid, columns name[], locked_views oid[]) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kept text;
    found record;
    statement text;
    statements text[] := ARRAY(SELECT t.statement FROM idgen_migrate.views_on(relation, columns) v
                               CROSS JOIN LATERAL idgen_migrate.view_texts(v.view) WITH ORDINALITY AS t(statement, place) ORDER BY v.depth, v.view, t.place);
    fillings text[] := ARRAY(SELECT 'REFRESH MATERIALIZED VIEW ' || idgen_migrate.name_of(v.view) FROM idgen_migrate.views_on(relation, columns) v
                             JOIN pg_class c ON c.oid = v.view AND c.relkind = 'm' AND c.relispopulated ORDER BY v.depth, v.view);
    named text[] := ARRAY(SELECT concat_ws(' ', n.class, n.object) FROM idgen_migrate.named_for(relation, columns) n);
BEGIN
    FOR kept IN SELECT k.keeper FROM unnest(columns) c CROSS JOIN LATERAL idgen_migrate.keepers_of_type(relation, c) AS k(keeper) LOOP
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('%s uses a column of %s', kept, idgen_migrate.name_of(relation)),
            DETAIL = 'It has come meanwhile.', HINT = 'Call it again.';
    END LOOP;
    FOR found IN SELECT * FROM idgen_migrate.name_findings(relation, columns) UNION ALL SELECT * FROM idgen_migrate.referenced_findings(relation, columns) LOOP
        RAISE EXCEPTION USING ERRCODE = found.state, MESSAGE = found.finding, DETAIL = 'It has come meanwhile.', HINT = found.advice;
    END LOOP;
    IF EXISTS (SELECT FROM idgen_migrate.views_on(relation, columns) v WHERE v.view <> ALL (locked_views)) THEN
        RAISE lock_not_available;
    END IF;
    FOR statement IN SELECT format('DROP %s %s', CASE c.relkind WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END, idgen_migrate.name_of(v.view))
                       FROM idgen_migrate.views_on(relation, columns) v JOIN pg_class c ON c.oid = v.view ORDER BY v.depth DESC, v.view LOOP
        EXECUTE statement;
    END LOOP;
    EXECUTE format('ALTER TABLE %s %s', idgen_migrate.name_of(relation),
                   (SELECT string_agg(format('ALTER COLUMN %I TYPE bigint', c), ', ') FROM unnest(columns) c
                     WHERE idgen_migrate.column_type(relation, c) IN ('integer'::regtype, 'smallint'::regtype)));
    FOREACH statement IN ARRAY statements LOOP
        EXECUTE statement;
    END LOOP;
    FOR found IN SELECT n.part, pg_describe_object(n.class, n.object, 0) AS text FROM idgen_migrate.named_for(relation, columns) n
                  WHERE concat_ws(' ', n.class, n.object) <> ALL (named)
                    AND (idgen_migrate.is_others(n.class, n.object)
                         OR n.class = 'pg_class'::regclass AND n.object NOT IN (SELECT v.view FROM idgen_migrate.views_on(relation, columns) v)) LOOP
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = format('%s would use %s', found.part, found.text),
            DETAIL = 'Another role has put it in the place of what was used before. Nothing has been changed.', HINT = 'Have it dropped, and call it again.';
    END LOOP;
    FOREACH statement IN ARRAY fillings LOOP
        EXECUTE statement;
    END LOOP;
END
$$;

-- Bytes of a table with its partitions, children and indexes, to be read.
CREATE FUNCTION idgen_migrate.size_of(relation oid) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT pg_size_pretty(sum(pg_total_relation_size(t.oid))) FROM idgen_migrate.tree(relation) AS t(oid)
$$;

CREATE PROCEDURE idgen_migrate.replace_serial(relation regclass, id_column name, shard bigint DEFAULT idgen.own_shards(),
                                              widen boolean DEFAULT false, lock_wait interval DEFAULT '2 seconds',
                                              attempts integer DEFAULT 30, layout id_layout DEFAULT 'instagram')
LANGUAGE plpgsql AS $$
DECLARE
    one record;
BEGIN
    @PIN@
    CALL idgen_migrate.refuse_block();
    PERFORM idgen_migrate.require(CASE WHEN widen THEN 'widen' ELSE 'serial' END, relation, id_column, NULL, shard, 1, layout, 'all');
    PERFORM idgen_migrate.enter(relation, id_column, 'serial', 'locking');
    @COMMIT@
    FOR one IN SELECT h.holder, array_agg(h.holder_column ORDER BY h.holder_column) AS columns FROM idgen_migrate.columns_with(relation, id_column) h
                WHERE h.holder_type IN ('integer'::regtype, 'smallint'::regtype) GROUP BY h.holder ORDER BY idgen_migrate.name_of(h.holder) LOOP
        CALL idgen_migrate.try('widen', one.holder, id_column, NULL, NULL, NULL, lock_wait, attempts, NULL, one.columns);
    END LOOP;
    CALL idgen_migrate.try('serial', relation, id_column, NULL, NULL, shard, lock_wait, attempts, layout);
    PERFORM idgen_migrate.leave(relation, id_column, 'done');
    RAISE NOTICE '%.% is now made by next_id()', idgen_migrate.name_of(relation), quote_ident(id_column);
END
$$;

COMMENT ON FUNCTION idgen_migrate.serial_findings(oid, name, id_layout, boolean) IS 'findings about a column that counts';
COMMENT ON FUNCTION idgen_migrate.sequences_of(oid, name) IS 'the sequences that make a column';
COMMENT ON FUNCTION idgen_migrate.is_allowed(oid, name, oid, bigint) IS 'whether a check of one column allows a value';
COMMENT ON FUNCTION idgen_migrate.largest_findings(oid, name, id_layout) IS 'findings about the largest number of a column';
COMMENT ON FUNCTION idgen_migrate.switch_serial(oid, name, bigint, id_layout) IS 'from a serial to next_id()';
COMMENT ON FUNCTION idgen_migrate.lock_views(oid, name[], interval) IS 'locks the views that show columns of a table';
COMMENT ON FUNCTION idgen_migrate.widen_columns(oid, name[], oid[]) IS 'makes columns of a table bigint';
COMMENT ON FUNCTION idgen_migrate.size_of(oid) IS 'bytes of a table and what inherits from it';
COMMENT ON PROCEDURE idgen_migrate.replace_serial(regclass, name, bigint, boolean, interval, integer, id_layout) IS
    'lets next_id(), with shard and layout, make id_column of relation, which a serial or an identity made; refuses if new IDs would not be larger than all old ones. widen: first from integer to bigint, with the columns that reference it, table by table. Its locks are tried for lock_wait at a time, attempts times';
