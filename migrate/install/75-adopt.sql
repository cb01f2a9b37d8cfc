-- A whole schema: what would be done with each key that a sequence makes, and doing it.

-- The columns of a schema's tables that a sequence makes, as identity or by their default alone, each at the topmost table
-- that has it; and whether a unique index has it.
CREATE FUNCTION idgen_migrate.counted_columns(schema name)
    RETURNS TABLE (relation oid, column_name name, sequence oid, now text, is_key boolean)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.oid, a.attname, s.oid,
           format_type(a.atttypid, NULL) || CASE WHEN a.attidentity <> '' THEN ', identity' ELSE ', ' || coalesce(idgen_migrate.name_of(s.oid), d.expression) END,
           EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND a.attnum = ANY (i.indkey))
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef f ON f.adrelid = c.oid AND f.adnum = a.attnum
      CROSS JOIN LATERAL (SELECT pg_get_expr(f.adbin, f.adrelid) AS expression) d
      LEFT JOIN LATERAL (
          SELECT q.oid FROM pg_depend p JOIN pg_class q ON q.relkind = 'S'
           WHERE a.attidentity <> '' AND p.classid = 'pg_class'::regclass AND q.oid = p.objid AND p.deptype = 'i'
             AND p.refclassid = 'pg_class'::regclass AND p.refobjid = c.oid AND p.refobjsubid = a.attnum
              OR p.classid = 'pg_attrdef'::regclass AND p.objid = f.oid AND p.refclassid = 'pg_class'::regclass AND q.oid = p.refobjid
           LIMIT 1) s ON true
     WHERE c.relnamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = schema) AND c.relkind IN ('r', 'p')
       AND (a.attidentity <> '' OR d.expression ~ '^nextval\([^()]*(\([^()]*\))?::regclass\)$') AND idgen_migrate.origin_of(c.oid, a.attname) = c.oid
$$;

-- Who else counts on a sequence: what the catalog knows, and functions and views whose text has its name beside a call of nextval,
-- currval or setval, or that ask for the sequence of this column.
CREATE FUNCTION idgen_migrate.other_users(relation oid, column_name name, sequence oid) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN w.oid IS NULL THEN pg_describe_object(d.classid, d.objid, d.objsubid) ELSE pg_describe_object('pg_class'::regclass, w.ev_class, 0) END
      FROM pg_depend d LEFT JOIN pg_attrdef f ON d.classid = 'pg_attrdef'::regclass AND f.oid = d.objid
      LEFT JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
     WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = sequence AND d.classid IN ('pg_attrdef'::regclass, 'pg_rewrite'::regclass, 'pg_proc'::regclass)
       AND (f.oid IS NULL OR f.adnum IS DISTINCT FROM idgen_migrate.column_number(f.adrelid, column_name) OR f.adrelid NOT IN (SELECT idgen_migrate.tree(relation)))
    UNION
    SELECT t.object FROM idgen_migrate.texts() t JOIN pg_class c ON c.oid = sequence
     WHERE t.source ~* '\m(nextval|currval|setval)\s*\(' AND t.source ~ ('\m' || regexp_replace(c.relname, '(\W)', '\\\1', 'g') || '\M')
    UNION
    SELECT t.object FROM idgen_migrate.texts() t JOIN pg_class c ON c.oid = relation
     WHERE t.source ~* '\mpg_get_serial_sequence\s*\(' AND t.source ~ ('\m' || regexp_replace(c.relname, '(\W)', '\\\1', 'g') || '\M')
$$;

-- The texts of all functions and views that are not the server's or an extension's, with the triggers that call a function.
CREATE FUNCTION idgen_migrate.texts() RETURNS TABLE (object text, source text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT concat_ws(', ', pg_describe_object('pg_proc'::regclass, p.oid, 0),
                     (SELECT string_agg(pg_describe_object('pg_trigger'::regclass, t.oid, 0), ', ' ORDER BY t.oid) FROM pg_trigger t WHERE t.tgfoid = p.oid AND t.tgparentid = 0)),
           coalesce(pg_get_function_sqlbody(p.oid), p.prosrc)
      FROM pg_proc p WHERE p.pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
    UNION ALL
    SELECT pg_describe_object('pg_class'::regclass, c.oid, 0), pg_get_viewdef(c.oid)
      FROM pg_class c WHERE c.relkind IN ('v', 'm') AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
$$;

-- Why a column is left as it is; null if nothing speaks against its being adopted.
CREATE FUNCTION idgen_migrate.left_because(relation oid, column_name name, is_key boolean, leave_out regclass[], shard bigint, layout id_layout) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN CASE
        WHEN relation = ANY (leave_out) THEN 'you leave the table out'
        WHEN NOT is_key THEN 'it is in no unique index, so it is not a key'
        WHEN EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = relation AND d.deptype = 'e') THEN 'the table belongs to an extension'
        WHEN EXISTS (SELECT FROM idgen_migrate.citus_table(relation)) THEN 'it is a table of Citus, where this was not tried'
        ELSE coalesce((SELECT format('you leave out %s, which references it', idgen_migrate.name_of(h.holder)) FROM idgen_migrate.columns_with(relation, column_name) h
                        WHERE h.holder = ANY (leave_out) AND h.holder_type IN ('integer'::regtype, 'smallint'::regtype) LIMIT 1),
                      (SELECT concat_ws('. ', f.finding, f.advice) FROM idgen_migrate.findings('widen', relation, column_name, NULL, shard, 1, layout, 'all') f
                        WHERE NOT f.ok LIMIT 1)) END;
END
$$;

-- What is to be widened for keys that are adopted, each column once, by its table: a table is written again once for all of its
-- columns. Their order does not matter: a key gets its first ID when all columns that hold it are wide.
CREATE FUNCTION idgen_migrate.plan_of_widening(found jsonb)
    RETURNS TABLE (step integer, holder oid, holder_column name, now text, locks text, remarks text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH wide AS (
        SELECT DISTINCT h.* FROM jsonb_to_recordset(found) AS k(relation oid, column_name name, reason text)
          CROSS JOIN LATERAL idgen_migrate.columns_with(k.relation, k.column_name) h
         WHERE k.reason IS NULL AND h.holder_type IN ('integer'::regtype, 'smallint'::regtype)),
    tables AS (
        SELECT w.*, array_agg(w.holder_column) OVER (PARTITION BY w.holder) AS columns FROM wide w)
    SELECT dense_rank() OVER (ORDER BY idgen_migrate.name_of(t.holder))::integer, t.holder, t.holder_column, format_type(t.holder_type, NULL),
           format('ACCESS EXCLUSIVE on %s; rewrites %s', concat_ws(', ', idgen_migrate.name_of(t.holder),
               (SELECT string_agg(idgen_migrate.name_of(o.oid), ', ' ORDER BY o.oid)
                  FROM unnest(idgen_migrate.tables_of_step('widen', t.holder, NULL, t.columns)) AS o(oid) WHERE o.oid <> t.holder)),
               idgen_migrate.size_of(t.holder))
           || (SELECT coalesce('; makes again ' || string_agg(idgen_migrate.name_of(v.view), ', ' ORDER BY v.depth, v.view), '') FROM idgen_migrate.views_on(t.holder, t.columns) v),
           (SELECT string_agg(format('publication %I: widen it on subscribers first', p.pubname), '; ' ORDER BY p.pubname) FROM pg_publication_tables p
             WHERE format('%I.%I', p.schemaname, p.tablename) = idgen_migrate.name_of(t.holder))
      FROM tables t
$$;

-- What only those know who wrote the application
CREATE FUNCTION idgen_migrate.plan_to_look(schema name, found jsonb) RETURNS TABLE (relation oid, column_name name, now text, remarks text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
    (SELECT c.oid, a.attname, format_type(a.atttypid, NULL), 'it references nothing: if it holds keys of another table, widen it first'
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = schema) AND c.relkind IN ('r', 'p')
        AND a.atttypid IN ('integer'::regtype, 'smallint'::regtype) AND a.attname ~ '(_id|Id|ID)$' AND a.attinhcount = 0
        AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.contype = 'f' AND k.conrelid = c.oid AND a.attnum = ANY (k.conkey))
        AND NOT EXISTS (SELECT FROM jsonb_to_recordset(found) AS k(relation oid, column_name name) WHERE k.relation = c.oid AND k.column_name = a.attname)
        AND NOT EXISTS (SELECT FROM idgen_migrate.plan_of_widening(found) w WHERE w.holder = c.oid AND w.holder_column = a.attname)
      ORDER BY idgen_migrate.name_of(c.oid), a.attnum)
    UNION ALL
    (SELECT NULL, NULL, NULL, format('%s calls lastval(), which next_id() does not set: use RETURNING', t.object)
       FROM idgen_migrate.texts() t WHERE t.source ~* '\mlastval\s*\(' ORDER BY t.object)
$$;

-- A row for each column that is changed or left. It changes nothing.
CREATE FUNCTION idgen_migrate.plan(schema name, leave_out regclass[] DEFAULT '{}', shard bigint DEFAULT idgen.own_shards(),
                                   layout id_layout DEFAULT 'instagram')
    RETURNS TABLE (step integer, relation regclass, column_name name, now text, action text, locks text, remarks text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    found jsonb;
    tables integer;
BEGIN
    IF schema IS NULL OR leave_out IS NULL OR layout IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'schema, tables to leave out and layout must not be null',
            DETAIL = 'They say what to adopt.', HINT = 'Give a value.';
    ELSIF to_regnamespace(quote_ident(schema)) IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_schema_name', MESSAGE = format('there is no schema %I', schema),
            DETAIL = 'The keys of its tables would be adopted.', HINT = 'Give the name of a schema of this database.';
    END IF;
    SELECT coalesce(jsonb_agg(to_jsonb(c) || jsonb_build_object('reason', idgen_migrate.left_because(c.relation, c.column_name, c.is_key, leave_out, shard, layout))), '[]')
      INTO found FROM idgen_migrate.counted_columns(schema) c;
    RETURN QUERY SELECT w.step, w.holder::regclass, w.holder_column, w.now, 'widen to bigint', w.locks, w.remarks
        FROM idgen_migrate.plan_of_widening(found) w ORDER BY 1, w.holder_column;
    SELECT coalesce(max(w.step), 0) INTO tables FROM idgen_migrate.plan_of_widening(found) w;
    RETURN QUERY
    SELECT CASE WHEN k.reason IS NULL THEN (tables + row_number() OVER (PARTITION BY k.reason IS NULL ORDER BY idgen_migrate.name_of(k.relation), k.column_name))::integer END,
           k.relation::regclass, k.column_name, k.now,
           CASE WHEN k.reason IS NULL THEN 'DEFAULT ' || idgen_migrate.default_text(shard, layout) ELSE 'left' END,
           CASE WHEN k.reason IS NULL THEN format('ACCESS EXCLUSIVE on %s for a moment', (SELECT string_agg(idgen_migrate.name_of(t.oid), ', ' ORDER BY t.oid <> k.relation, t.oid)
                                                                                             FROM idgen_migrate.tree(k.relation) AS t(oid))) END,
           nullif(concat_ws('; ', k.reason, (SELECT string_agg('also used by ' || u.object, '; ' ORDER BY u.object)
                                               FROM idgen_migrate.other_users(k.relation, k.column_name, k.sequence) AS u(object))), '')
      FROM jsonb_to_recordset(found) AS k(relation oid, column_name name, sequence oid, now text, reason text)
     ORDER BY k.reason IS NOT NULL, idgen_migrate.name_of(k.relation), k.column_name;
    RETURN QUERY SELECT NULL::integer, l.relation::regclass, l.column_name, l.now, 'look', NULL, l.remarks FROM idgen_migrate.plan_to_look(schema, found) l;
END
$$;

CREATE PROCEDURE idgen_migrate.adopt(schema name, leave_out regclass[] DEFAULT '{}', shard bigint DEFAULT idgen.own_shards(),
                                     lock_wait interval DEFAULT '2 seconds', attempts integer DEFAULT 30, layout id_layout DEFAULT 'instagram')
LANGUAGE plpgsql AS $$
DECLARE
    one record;
    steps integer;
    left_as_they_are bigint;
BEGIN
    @PIN@
    CALL idgen_migrate.refuse_block();
    FOR one IN SELECT p.step, p.relation, p.action = 'widen to bigint' AS is_widening, array_agg(p.column_name ORDER BY p.column_name) AS columns
                 FROM idgen_migrate.plan(schema, leave_out, shard, layout) p WHERE p.step IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1 LOOP
        IF one.is_widening THEN
            CALL idgen_migrate.try('widen', one.relation::oid, NULL, NULL, NULL, NULL, lock_wait, attempts, NULL, one.columns);
        ELSE
            PERFORM idgen_migrate.require('serial', one.relation::oid, one.columns[1], NULL, shard, 1, layout, 'all');
            PERFORM idgen_migrate.enter(one.relation::oid, one.columns[1], 'serial', 'locking');
            @COMMIT@
            CALL idgen_migrate.try('serial', one.relation::oid, one.columns[1], NULL, NULL, shard, lock_wait, attempts, layout);
            PERFORM idgen_migrate.leave(one.relation::oid, one.columns[1], 'done');
            @COMMIT@
        END IF;
        steps := one.step;
        RAISE NOTICE 'step %: %.% %', one.step, idgen_migrate.name_of(one.relation::oid), array_to_string(one.columns, ', '),
            CASE WHEN one.is_widening THEN 'written again as bigint' ELSE 'made by next_id()' END;
    END LOOP;
    SELECT count(*) INTO left_as_they_are FROM idgen_migrate.plan(schema, leave_out, shard, layout) p WHERE p.action = 'left';
    RAISE NOTICE '% steps done, % columns left: SELECT * FROM idgen_migrate.plan(%)', coalesce(steps, 0), left_as_they_are, quote_literal(schema);
END
$$;

COMMENT ON FUNCTION idgen_migrate.counted_columns(name) IS 'the columns of a schema that a sequence makes';
COMMENT ON FUNCTION idgen_migrate.other_users(oid, name, oid) IS 'who else counts on a sequence';
COMMENT ON FUNCTION idgen_migrate.texts() IS 'the texts of functions and views';
COMMENT ON FUNCTION idgen_migrate.left_because(oid, name, boolean, regclass[], bigint, id_layout) IS 'why a column is left as it is';
COMMENT ON FUNCTION idgen_migrate.plan_of_widening(jsonb) IS 'what adopt() would widen';
COMMENT ON FUNCTION idgen_migrate.plan_to_look(name, jsonb) IS 'what adopt() cannot know';
COMMENT ON FUNCTION idgen_migrate.plan(name, regclass[], bigint, id_layout) IS
    'what adopt(), called with that schema, leave_out, shard and layout, would do: its steps in their order with the locks that they take, what is left and why, what to look at; changes nothing';
COMMENT ON PROCEDURE idgen_migrate.adopt(name, regclass[], bigint, interval, integer, id_layout) IS
    'lets next_id(), with shard and layout, make the keys of all tables of a schema but those in leave_out, which sequences made; widens integer keys with all columns that reference them, table by table. Each step is committed: called again, it goes on. Its locks are tried for lock_wait at a time, attempts times';
