-- What the catalog says of tables, columns and their references. What each batch asks is in PL/pgSQL, which keeps its plans.

-- A table as schema and name, whatever search_path says.
CREATE FUNCTION idgen_migrate.name_of(relation oid) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = relation);
END
$$;

-- Whether the very role that runs this owns a table.
CREATE FUNCTION idgen_migrate.is_own(relation oid) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT FROM pg_class c WHERE c.oid = relation AND pg_get_userbyid(c.relowner) = current_user)
$$;

-- A column's number; null if there is none.
CREATE FUNCTION idgen_migrate.column_number(relation oid, column_name name) RETURNS smallint
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT attnum FROM pg_attribute WHERE attrelid = relation AND attname = column_name AND attnum > 0 AND NOT attisdropped);
END
$$;

CREATE FUNCTION idgen_migrate.column_type(relation oid, column_name name) RETURNS oid
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT atttypid FROM pg_attribute WHERE attrelid = relation AND attnum = idgen_migrate.column_number(relation, column_name));
END
$$;

-- The foreign keys that reference exactly that column.
CREATE FUNCTION idgen_migrate.references_to(relation oid, column_name name)
    RETURNS TABLE (constraint_oid oid, constraint_name name, child oid, child_column name, child_type oid)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT k.oid, k.conname, k.conrelid, a.attname, a.atttypid
      FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
     WHERE k.contype = 'f' AND k.confrelid = relation AND k.conparentid = 0
       AND k.confkey = ARRAY[idgen_migrate.column_number(relation, column_name)]
     ORDER BY idgen_migrate.name_of(k.conrelid), k.conname
$$;

-- A unique index on only that column that holds at every moment; null if there is none.
CREATE FUNCTION idgen_migrate.unique_index(relation oid, column_name name) RETURNS oid
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT i.indexrelid FROM pg_index i
     WHERE i.indrelid = relation AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indnkeyatts = 1 AND i.indnatts = 1
       AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indkey[0] = idgen_migrate.column_number(relation, column_name)
     ORDER BY i.indisprimary, i.indexrelid LIMIT 1
$$;

-- The single column of a primary key that can be moved; null if it is not one.
CREATE FUNCTION idgen_migrate.key_column(relation oid) RETURNS name
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT a.attname FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = relation AND a.attnum = k.conkey[1]
     WHERE k.conrelid = relation AND k.contype = 'p' AND cardinality(k.conkey) = 1
       AND a.atttypid IN ('uuid'::regtype, 'smallint'::regtype, 'integer'::regtype, 'bigint'::regtype)
$$;

-- The column beside a referencing one.
CREATE FUNCTION idgen_migrate.beside(child_column name, id_column name) RETURNS name
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT left(child_column || '_' || id_column, 63)::name
$$;

-- A row's instant as an expression over the alias t, which reads the same under every search_path.
CREATE FUNCTION idgen_migrate.time_text(relation oid, time_column name) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT CASE idgen_migrate.column_type(relation, time_column)
           WHEN 'timestamptz'::regtype THEN format('t.%I', time_column)
           WHEN 'uuid'::regtype THEN format('idgen_migrate.time_of_uuid(t.%I)', time_column)
           WHEN 'timestamp'::regtype THEN format('pg_catalog.timezone(''UTC''::pg_catalog.text, t.%I)', time_column)
           WHEN 'date'::regtype THEN format('pg_catalog.timezone(''UTC''::pg_catalog.text, t.%I::pg_catalog.timestamp)', time_column)
           ELSE 'NULL::pg_catalog.timestamptz' END);
END
$$;

-- A table and those above and below it, and the tables that reference one of these.
CREATE FUNCTION idgen_migrate.tables_around(relation oid) RETURNS SETOF oid
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    WITH line AS (SELECT l.oid FROM idgen_migrate.line(relation) AS l(oid))
    SELECT oid FROM line UNION SELECT k.conrelid FROM line JOIN pg_constraint k ON k.contype = 'f' AND k.confrelid = line.oid;
END
$$;

-- Objects that tables call when rows change, with the tables that their rules write and that a view reads, and that belong to
-- others than superusers. A table stands for those below it, which get its rows, and those above it, whose partition keys are
-- computed. Each batch asks: compiling the query would take longer than the batch.
CREATE FUNCTION idgen_migrate.foreign_code(tables oid[]) RETURNS TABLE (object text, owner name)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
    RETURN QUERY
    WITH RECURSIVE used(classid, objid) AS (
        SELECT 'pg_class'::regclass::oid, l FROM unnest(tables) t CROSS JOIN LATERAL idgen_migrate.line(t) l
        UNION
        SELECT n.classid, n.objid FROM used u, LATERAL (
            -- What it rests on
            SELECT d.refclassid AS classid, d.refobjid AS objid FROM pg_depend d
             WHERE d.classid = u.classid AND d.objid = u.objid
               AND d.refclassid IN ('pg_proc'::regclass, 'pg_type'::regclass, 'pg_operator'::regclass, 'pg_opclass'::regclass, 'pg_opfamily'::regclass,
                                    'pg_foreign_server'::regclass, 'pg_foreign_data_wrapper'::regclass)
            UNION ALL
            SELECT 'pg_type'::regclass, a.atttypid FROM pg_type t JOIN pg_attribute a ON a.attrelid = t.typrelid
             WHERE u.classid = 'pg_type'::regclass AND t.oid = u.objid AND t.typrelid <> 0
            UNION ALL
            -- What a rule or a function reads and writes: what these tables call, too, runs with the rights of whoever changes the first
            SELECT d.refclassid, l FROM pg_depend d CROSS JOIN LATERAL idgen_migrate.line(d.refobjid) l
             WHERE d.classid = u.classid AND d.objid = u.objid AND u.classid IN ('pg_rewrite'::regclass, 'pg_proc'::regclass) AND d.refclassid = 'pg_class'::regclass
            UNION ALL
            -- What a foreign key changes: before 18 the AFTER triggers of that table run with these rights, too
            SELECT 'pg_class'::regclass, l FROM pg_constraint k CROSS JOIN LATERAL idgen_migrate.line(k.conrelid) l
             WHERE u.classid = 'pg_constraint'::regclass AND k.oid = u.objid AND k.contype = 'f' AND (k.confupdtype IN ('c', 'n', 'd') OR k.confdeltype IN ('c', 'n', 'd'))
            UNION ALL
            -- What is a part of a table, an index, a type or an operator class
            SELECT d.classid, d.objid FROM pg_depend d
             WHERE d.refclassid = u.classid AND d.refobjid = u.objid
               AND (u.classid IN ('pg_class'::regclass, 'pg_type'::regclass)
                    AND (d.classid IN ('pg_constraint'::regclass, 'pg_trigger'::regclass, 'pg_attrdef'::regclass, 'pg_policy'::regclass, 'pg_statistic_ext'::regclass)
                         OR d.classid = 'pg_rewrite'::regclass AND EXISTS (SELECT FROM pg_rewrite w WHERE w.oid = d.objid AND w.ev_class = u.objid)
                         OR d.classid = 'pg_class'::regclass AND EXISTS (SELECT FROM pg_class c WHERE c.oid = d.objid AND c.relkind IN ('i', 'I')))
                    OR u.classid IN ('pg_opclass'::regclass, 'pg_opfamily'::regclass, 'pg_operator'::regclass) AND d.classid IN ('pg_amop'::regclass, 'pg_amproc'::regclass))) n)
    SELECT pg_describe_object(o.classid, o.objid, 0), r.rolname
      FROM (SELECT classid, objid, proowner AS owner FROM used JOIN pg_proc p ON classid = 'pg_proc'::regclass AND p.oid = objid
            UNION ALL SELECT classid, objid, relowner FROM used JOIN pg_class c ON classid = 'pg_class'::regclass AND c.oid = objid AND c.relkind NOT IN ('i', 'I', 'c')
                      WHERE objid <> ALL (tables)
            UNION ALL SELECT classid, objid, typowner FROM used JOIN pg_type t ON classid = 'pg_type'::regclass AND t.oid = objid
            UNION ALL SELECT classid, objid, oprowner FROM used JOIN pg_operator p ON classid = 'pg_operator'::regclass AND p.oid = objid
            UNION ALL SELECT classid, objid, opcowner FROM used JOIN pg_opclass p ON classid = 'pg_opclass'::regclass AND p.oid = objid
            UNION ALL SELECT classid, objid, srvowner FROM used JOIN pg_foreign_server s ON classid = 'pg_foreign_server'::regclass AND s.oid = objid
            UNION ALL SELECT classid, objid, fdwowner FROM used JOIN pg_foreign_data_wrapper w ON classid = 'pg_foreign_data_wrapper'::regclass AND w.oid = objid) o
      JOIN pg_roles r ON r.oid = o.owner WHERE NOT r.rolsuper ORDER BY 1;
END
$$;

-- Whether an object belongs to another role than this one, and not to a superuser.
CREATE FUNCTION idgen_migrate.is_others(class oid, object oid) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT FROM pg_roles r WHERE NOT r.rolsuper AND r.rolname <> current_user AND r.oid = CASE class
        WHEN 'pg_proc'::regclass THEN (SELECT proowner FROM pg_proc WHERE oid = object)
        WHEN 'pg_operator'::regclass THEN (SELECT oprowner FROM pg_operator WHERE oid = object)
        WHEN 'pg_type'::regclass THEN (SELECT typowner FROM pg_type WHERE oid = object)
        WHEN 'pg_collation'::regclass THEN (SELECT collowner FROM pg_collation WHERE oid = object)
        WHEN 'pg_class'::regclass THEN (SELECT relowner FROM pg_class WHERE oid = object) END)
$$;

-- The roles, but for this one and superusers, that own a schema or may create in it.
CREATE FUNCTION idgen_migrate.makers_in(schema oid) RETURNS TABLE (maker text, is_owner boolean)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN m.role = 0 THEN 'PUBLIC' WHEN m.is_owner THEN quote_ident(r.rolname) ELSE quote_ident(pg_get_userbyid(m.role)) END, m.is_owner
      FROM pg_namespace n JOIN pg_database d ON d.datname = current_database()
      CROSS JOIN LATERAL (SELECT n.nspowner, true UNION ALL
                          SELECT a.grantee, false FROM aclexplode(n.nspacl) a WHERE a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner) m(role, is_owner)
      LEFT JOIN pg_roles r ON r.oid = CASE WHEN m.role = 'pg_database_owner'::regrole THEN d.datdba ELSE m.role END
     WHERE n.oid = schema AND (m.role = 0 OR NOT r.rolsuper AND r.rolname <> current_user)
$$;

COMMENT ON FUNCTION idgen_migrate.name_of(oid) IS 'a table as schema and name';
COMMENT ON FUNCTION idgen_migrate.is_own(oid) IS 'whether the very role that runs this owns a table';
COMMENT ON FUNCTION idgen_migrate.column_number(oid, name) IS 'number of a column';
COMMENT ON FUNCTION idgen_migrate.column_type(oid, name) IS 'type of a column';
COMMENT ON FUNCTION idgen_migrate.references_to(oid, name) IS 'foreign keys that reference a column';
COMMENT ON FUNCTION idgen_migrate.unique_index(oid, name) IS 'a unique index on a column';
COMMENT ON FUNCTION idgen_migrate.key_column(oid) IS 'the column of a primary key that can be moved';
COMMENT ON FUNCTION idgen_migrate.beside(name, name) IS 'name of the column beside a reference';
COMMENT ON FUNCTION idgen_migrate.time_text(oid, name) IS 'the instant of a row as an expression';
COMMENT ON FUNCTION idgen_migrate.tables_around(oid) IS 'a table, those above and below it, and those that reference them';
COMMENT ON FUNCTION idgen_migrate.foreign_code(oid[]) IS 'what tables use that belongs to others than superusers';
COMMENT ON FUNCTION idgen_migrate.is_others(oid, oid) IS 'whether an object belongs to another ordinary role';
COMMENT ON FUNCTION idgen_migrate.makers_in(oid) IS 'the other ordinary roles that own a schema or may create in it';

-- What the catalog says of a column that is to be widened: where it is inherited, which columns hold its values, and which views
-- are dropped for it and made again.

-- A table with its partitions and children, and theirs.
CREATE FUNCTION idgen_migrate.tree(relation oid) RETURNS SETOF oid
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE below(oid) AS (SELECT relation UNION SELECT i.inhrelid FROM below b JOIN pg_inherits i ON i.inhparent = b.oid)
    SELECT oid FROM below
$$;

-- A table with all above it and below it.
CREATE FUNCTION idgen_migrate.line(relation oid) RETURNS SETOF oid
LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 2 SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE above(oid) AS (SELECT relation UNION SELECT i.inhparent FROM above a JOIN pg_inherits i ON i.inhrelid = a.oid)
    SELECT oid FROM above UNION SELECT t.oid FROM idgen_migrate.tree(relation) AS t(oid)
$$;

-- The topmost table from which a table inherits a column: itself, if from none.
CREATE FUNCTION idgen_migrate.origin_of(relation oid, column_name name) RETURNS oid
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE above(oid, height) AS (
        SELECT relation, 0
        UNION ALL
        SELECT i.inhparent, b.height + 1 FROM above b JOIN pg_inherits i ON i.inhrelid = b.oid
         WHERE idgen_migrate.column_number(i.inhparent, column_name) IS NOT NULL)
    SELECT oid FROM above ORDER BY height DESC, oid LIMIT 1
$$;

-- The columns that hold a key: itself, those that reference it, alone or with others, and those that reference them.
CREATE FUNCTION idgen_migrate.columns_with(relation oid, id_column name) RETURNS TABLE (holder oid, holder_column name, holder_type oid)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE held(holder, holder_column) AS (
        SELECT relation, id_column
        UNION
        SELECT idgen_migrate.origin_of(k.conrelid, r.attname), r.attname
          FROM held h JOIN pg_constraint k ON k.contype = 'f' AND k.conparentid = 0 AND k.confrelid IN (SELECT idgen_migrate.tree(h.holder))
          CROSS JOIN LATERAL unnest(k.confkey, k.conkey) AS pair(referenced, referencing)
          JOIN pg_attribute r ON r.attrelid = k.conrelid AND r.attnum = pair.referencing
         WHERE pair.referenced = idgen_migrate.column_number(k.confrelid, h.holder_column))
    SELECT h.holder, h.holder_column, idgen_migrate.column_type(h.holder, h.holder_column) FROM held h
$$;

-- The views that show columns of a table, and the views on these, with how many of them lie one upon the other.
CREATE FUNCTION idgen_migrate.views_on(relation oid, columns name[]) RETURNS TABLE (view oid, depth integer)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE shown(view, depth) AS (
        SELECT w.ev_class, 1
          FROM idgen_migrate.tree(relation) AS t(oid)
          JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid
          JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid AND a.attname = ANY (columns)
          JOIN pg_rewrite w ON w.oid = d.objid AND w.rulename = '_RETURN'
        UNION
        SELECT w.ev_class, s.depth + 1
          FROM shown s JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = s.view
          JOIN pg_rewrite w ON w.oid = d.objid AND w.ev_class <> s.view AND w.rulename = '_RETURN')
    SELECT s.view, max(s.depth) FROM shown s GROUP BY s.view
$$;

-- The statements that make a view once more as it is, but for the rows of a materialized one.
CREATE FUNCTION idgen_migrate.view_texts(view oid) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(view);
    class pg_class%ROWTYPE;
    kind text;
    rights aclitem[];
    by_default oid[];
BEGIN
    SELECT * INTO class FROM pg_class c WHERE c.oid = view;
    kind := CASE class.relkind WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END;
    RETURN NEXT concat_ws(' ', 'CREATE', kind, target,
        (SELECT format('USING %I', m.amname) FROM pg_am m WHERE m.oid = class.relam),
        'WITH (' || array_to_string(class.reloptions, ', ') || ')',
        (SELECT format('TABLESPACE %I', s.spcname) FROM pg_tablespace s WHERE s.oid = class.reltablespace),
        'AS', rtrim(pg_get_viewdef(view), ';'), CASE WHEN class.relkind = 'm' THEN 'WITH NO DATA' END);
    RETURN QUERY SELECT format('ALTER VIEW %s ALTER COLUMN %I SET DEFAULT %s', target, a.attname, pg_get_expr(f.adbin, view))
        FROM pg_attrdef f JOIN pg_attribute a ON a.attrelid = view AND a.attnum = f.adnum WHERE f.adrelid = view;
    RETURN QUERY SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE i.indrelid = view ORDER BY i.indexrelid;
    RETURN QUERY SELECT pg_get_ruledef(w.oid) FROM pg_rewrite w WHERE w.ev_class = view AND w.rulename <> '_RETURN' ORDER BY w.rulename;
    RETURN QUERY SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t WHERE t.tgrelid = view AND NOT t.tgisinternal ORDER BY t.tgname;
    RETURN QUERY SELECT format('COMMENT ON %s %s IS %L', kind, target, d.description) FROM pg_description d
        WHERE d.classoid = 'pg_class'::regclass AND d.objoid = view AND d.objsubid = 0;
    RETURN QUERY SELECT format('COMMENT ON COLUMN %s.%I IS %L', target, a.attname, d.description) FROM pg_description d
        JOIN pg_attribute a ON a.attrelid = view AND a.attnum = d.objsubid WHERE d.classoid = 'pg_class'::regclass AND d.objoid = view AND d.objsubid > 0;
    -- Rights as they are, not as default privileges would give them.
    by_default := ARRAY(SELECT x.grantee FROM pg_default_acl d CROSS JOIN LATERAL aclexplode(d.defaclacl) x
                         WHERE d.defaclrole = class.relowner AND d.defaclobjtype = 'r' AND d.defaclnamespace IN (0, class.relnamespace));
    rights := coalesce(class.relacl, CASE WHEN by_default <> '{}' THEN acldefault('r', class.relowner) END);
    RETURN QUERY SELECT DISTINCT format('REVOKE ALL ON %s FROM %s', target, CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(g.grantee)) END)
        FROM unnest(by_default || ARRAY[0, class.relowner]) AS g(grantee) WHERE rights IS NOT NULL;
    RETURN QUERY SELECT format('GRANT %s%s ON %s TO %s%s', x.privilege_type, ' (' || quote_ident(r.column_name) || ')', target,
                               CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(x.grantee)) END, CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' END)
        FROM (SELECT NULL::name AS column_name, rights AS acl UNION ALL SELECT a.attname, a.attacl FROM pg_attribute a WHERE a.attrelid = view) r
        CROSS JOIN LATERAL aclexplode(r.acl) x;
END
$$;

-- What keeps a view from being dropped and made again by the role that runs this.
CREATE FUNCTION idgen_migrate.keepers_of_view(view oid) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(view);
BEGIN
    RETURN QUERY SELECT format('view %s, which belongs to %I,', target, pg_get_userbyid(c.relowner)) FROM pg_class c WHERE c.oid = view AND NOT idgen_migrate.is_own(view);
    RETURN QUERY SELECT format('view %s, which %s needs,', target, pg_describe_object(d.classid, d.objid, d.objsubid))
        FROM pg_depend d WHERE (d.refclassid = 'pg_class'::regclass AND d.refobjid = view
                                OR d.refclassid = 'pg_type'::regclass AND d.refobjid IN (SELECT unnest(ARRAY[t.oid, t.typarray]) FROM pg_type t WHERE t.typrelid = view))
         AND d.deptype NOT IN ('i', 'a') AND NOT (d.classid = 'pg_rewrite'::regclass AND EXISTS (SELECT FROM pg_rewrite w WHERE w.oid = d.objid AND w.rulename = '_RETURN'))
         AND NOT (d.classid = 'pg_rewrite'::regclass AND EXISTS (SELECT FROM pg_rewrite w WHERE w.oid = d.objid AND w.ev_class = view));
    RETURN QUERY SELECT format('view %s, which belongs to an extension,', target) FROM pg_depend d
        WHERE d.classid = 'pg_class'::regclass AND d.objid = view AND d.deptype = 'e';
    RETURN QUERY SELECT format('view %s, which has a security label,', target) FROM pg_seclabel l WHERE l.classoid = 'pg_class'::regclass AND l.objoid = view;
    RETURN QUERY SELECT format('view %s, on which %I has granted rights,', target, pg_get_userbyid(x.grantor))
        FROM pg_class c CROSS JOIN LATERAL (SELECT c.relacl UNION ALL SELECT a.attacl FROM pg_attribute a WHERE a.attrelid = view) r(acl)
        CROSS JOIN LATERAL aclexplode(r.acl) x WHERE c.oid = view AND x.grantor <> c.relowner;
    RETURN QUERY SELECT format('view %s, whose trigger %I is disabled,', target, t.tgname) FROM pg_trigger t WHERE t.tgrelid = view AND t.tgenabled <> 'O';
    -- What no statement above makes again
    RETURN QUERY WITH parts AS (SELECT view AS oid UNION ALL SELECT i.indexrelid FROM pg_index i WHERE i.indrelid = view)
        SELECT format('view %s, which would lose %s,', target, l.lost) FROM (
            SELECT pg_describe_object('pg_statistic_ext'::regclass, s.oid, 0) FROM pg_statistic_ext s WHERE s.stxrelid = view
            UNION ALL SELECT format('CLUSTER ON %s', idgen_migrate.name_of(i.indexrelid)) FROM pg_index i WHERE i.indrelid = view AND i.indisclustered
            UNION ALL SELECT format('the tablespace of %s', idgen_migrate.name_of(c.oid)) FROM parts p JOIN pg_class c ON c.oid = p.oid AND c.oid <> view AND c.reltablespace <> 0
            UNION ALL SELECT format('settings of column %I of %s', a.attname, idgen_migrate.name_of(a.attrelid)) FROM parts p JOIN pg_attribute a ON a.attrelid = p.oid JOIN pg_type t ON t.oid = a.atttypid
                WHERE a.attnum > 0 AND (a.attstattarget >= 0 OR array_to_string(a.attoptions, ' ') ~ 'n_distinct' OR p.oid = view AND (a.attstorage <> t.typstorage OR a.attcompression <> ''))
            UNION ALL SELECT 'options of its TOAST table' FROM pg_class c JOIN pg_class t ON t.oid = c.reltoastrelid AND t.reloptions IS NOT NULL WHERE c.oid = view
            UNION ALL SELECT 'the comment on ' || pg_describe_object(d.classoid, d.objoid, 0) FROM pg_description d
                WHERE d.classoid = 'pg_class'::regclass AND d.objoid IN (SELECT p.oid FROM parts p WHERE p.oid <> view)
                   OR d.classoid = 'pg_rewrite'::regclass AND d.objoid IN (SELECT w.oid FROM pg_rewrite w WHERE w.ev_class = view)
                   OR d.classoid = 'pg_trigger'::regclass AND d.objoid IN (SELECT t.oid FROM pg_trigger t WHERE t.tgrelid = view)) l(lost);
    IF (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = current_user) THEN
        RETURN QUERY SELECT format('view %s, which lies in a schema of %s,', target, m.maker) FROM pg_class c CROSS JOIN LATERAL idgen_migrate.makers_in(c.relnamespace) m
            WHERE c.oid = view AND m.is_owner;
        RETURN QUERY SELECT format('view %s, which uses %s of %I,', target, f.object, f.owner) FROM idgen_migrate.foreign_code(ARRAY[view]) f;
    END IF;
END
$$;

-- What keeps a column's type as it is: the server changes no type below these. Views can be dropped and made again.
CREATE FUNCTION idgen_migrate.keepers_of_type(relation oid, column_name name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH places AS (SELECT t.oid, idgen_migrate.column_number(t.oid, column_name) AS number FROM idgen_migrate.tree(relation) AS t(oid))
    SELECT DISTINCT pg_describe_object(d.classid, d.objid, 0)
      FROM places p JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = p.oid AND d.refobjsubid = p.number
      LEFT JOIN pg_attrdef f ON d.classid = 'pg_attrdef'::regclass AND f.oid = d.objid
      LEFT JOIN pg_trigger t ON d.classid = 'pg_trigger'::regclass AND t.oid = d.objid
      LEFT JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
     WHERE d.classid IN ('pg_policy'::regclass, 'pg_proc'::regclass, 'pg_publication_rel'::regclass) OR f.adnum <> p.number OR NOT t.tgisinternal OR w.rulename <> '_RETURN'
    UNION
    SELECT k.keeper FROM idgen_migrate.views_on(relation, ARRAY[column_name]) v CROSS JOIN LATERAL idgen_migrate.keepers_of_view(v.view) AS k(keeper)
    UNION
    SELECT format('the partition key of %s', idgen_migrate.name_of(p.oid))
      FROM places p JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = p.oid AND d.refobjsubid = p.number
       AND d.classid = 'pg_class'::regclass AND d.objid = p.oid
    UNION
    SELECT pg_describe_object(d.classid, d.objid, d.objsubid) || ', whose type is its row,'
      FROM places p JOIN pg_class c ON c.oid = p.oid JOIN pg_type t ON t.oid = c.reltype CROSS JOIN unnest(ARRAY[t.oid, t.typarray]) AS row_type(oid)
      JOIN pg_depend d ON d.refclassid = 'pg_type'::regclass AND d.refobjid = row_type.oid AND d.classid = 'pg_class'::regclass AND d.objsubid > 0
    UNION
    SELECT format('foreign table %s', idgen_migrate.name_of(p.oid)) FROM places p JOIN pg_class c ON c.oid = p.oid WHERE c.relkind = 'f'
$$;

-- What the server, and the statements that make views, find by its name when columns are widened, and for which part of a table
-- or view: the types have changed, so another function or operator of that name may fit better.
CREATE FUNCTION idgen_migrate.named_for(relation oid, columns name[]) RETURNS TABLE (part text, class oid, object oid)
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT DISTINCT CASE WHEN w.oid IS NULL THEN pg_describe_object(d.classid, d.objid, 0) ELSE pg_describe_object('pg_class'::regclass, w.ev_class, 0) END, o.class, o.object
      FROM (SELECT t.oid, idgen_migrate.column_number(t.oid, c) FROM idgen_migrate.tree(relation) AS t(oid) CROSS JOIN unnest(columns) c
            UNION ALL SELECT v.view, NULL FROM idgen_migrate.views_on(relation, columns) v) p(oid, number)
      JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = p.oid AND (p.number IS NULL OR d.refobjsubid = p.number)
       AND d.classid IN ('pg_constraint'::regclass, 'pg_attrdef'::regclass, 'pg_class'::regclass, 'pg_statistic_ext'::regclass, 'pg_trigger'::regclass, 'pg_rewrite'::regclass)
      LEFT JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
      JOIN pg_depend u ON u.classid = d.classid AND u.objid = d.objid
      LEFT JOIN pg_attribute a ON u.refclassid = 'pg_class'::regclass AND a.attrelid = u.refobjid AND a.attnum = u.refobjsubid
      LEFT JOIN pg_type t ON t.oid = a.atttypid AND w.oid IS NULL
     -- Of a cast of a column only the column is known: its type stands for the casts that its owner can make.
     CROSS JOIN LATERAL (SELECT u.refclassid, u.refobjid
                          WHERE u.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_type'::regclass, 'pg_collation'::regclass)
                             OR u.refclassid = 'pg_class'::regclass AND d.classid IN ('pg_rewrite'::regclass, 'pg_attrdef'::regclass)
                         UNION ALL SELECT 'pg_type'::regclass, x FROM unnest(ARRAY[t.oid, t.typelem, t.typbasetype]) x WHERE x <> 0) o(class, object)
     WHERE w.oid IS NULL OR w.ev_class = p.oid
$$;

-- What of that another ordinary role could put something else in the place of.
CREATE FUNCTION idgen_migrate.name_findings(relation oid, columns name[]) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT n.class, n.object, i.schema, format('%s uses %s, ', n.part, pg_describe_object(n.class, n.object, 0)) AS use
                 FROM idgen_migrate.named_for(relation, columns) n CROSS JOIN LATERAL pg_identify_object(n.class, n.object, 0) i
                WHERE n.class <> 'pg_class'::regclass ORDER BY 4 LOOP
        RETURN QUERY SELECT false, '42501', one.use || format(CASE WHEN m.is_owner THEN 'in a schema of %s' ELSE 'in whose schema %s may create' END, m.maker),
            'What is made there for bigint would take its place: '
                || format(CASE WHEN m.is_owner THEN 'ALTER SCHEMA %1$s OWNER TO %3$I' ELSE 'REVOKE CREATE ON SCHEMA %1$s FROM %2$s CASCADE' END, one.schema, m.maker, current_user)
            FROM idgen_migrate.makers_in(to_regnamespace(one.schema)) m;
        -- A type's owner can make casts to it, of which the server knows by the functions.
        RETURN QUERY SELECT false, '42501', one.use || format('and %s belongs to another role', pg_describe_object(o.class, o.oid, 0)),
            format('It may change what is called: drop it, or give it to %I.', current_user)
            FROM (SELECT one.class, o.oid FROM pg_proc p JOIN pg_proc o ON o.proname = p.proname AND o.pronamespace = p.pronamespace AND o.oid <> p.oid
                   WHERE one.class = 'pg_proc'::regclass AND p.oid = one.object
                  UNION ALL SELECT one.class, o.oid FROM pg_operator p JOIN pg_operator o ON o.oprname = p.oprname AND o.oprnamespace = p.oprnamespace AND o.oid <> p.oid
                   WHERE one.class = 'pg_operator'::regclass AND p.oid = one.object
                  UNION ALL SELECT 'pg_type'::regclass, p.prorettype FROM pg_proc p WHERE one.class = 'pg_proc'::regclass AND p.oid = one.object
                  UNION ALL SELECT 'pg_type'::regclass, p.oprresult FROM pg_operator p WHERE one.class = 'pg_operator'::regclass AND p.oid = one.object
                  UNION ALL SELECT one.class, one.object WHERE one.class = 'pg_type'::regclass) o(class, oid)
           WHERE idgen_migrate.is_others(o.class, o.oid);
    END LOOP;
END
$$;

-- Foreign keys of the columns to tables of another ordinary role, or, for a superuser, to tables that call what is another's: the
-- server proves them again, and what the indexes of those tables call runs with the rights of whoever widens.
CREATE FUNCTION idgen_migrate.referenced_findings(relation oid, columns name[]) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    referenced oid[] := ARRAY(SELECT t.oid FROM unnest(idgen_migrate.referenced_by(relation, columns)) r CROSS JOIN LATERAL idgen_migrate.tree(r) AS t(oid));
BEGIN
    RETURN QUERY SELECT false, '42501', format('a foreign key of %s references %s of %I', idgen_migrate.name_of(relation), idgen_migrate.name_of(t), pg_get_userbyid(c.relowner)),
        format('What its owner lets it call would run with the rights of %I: drop the foreign key before, and make it again after.', current_user)
        FROM unnest(referenced) t JOIN pg_class c ON c.oid = t WHERE idgen_migrate.is_others('pg_class'::regclass, t) ORDER BY 3;
    RETURN QUERY SELECT false, '42501', format('a foreign key of %s references a table that uses %s of %I', idgen_migrate.name_of(relation), f.object, f.owner),
        format('What its owner lets it call would run with the rights of %I: drop the foreign key before, and make it again after.', current_user)
        FROM idgen_migrate.foreign_code(referenced) f WHERE (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = current_user);
END
$$;

COMMENT ON FUNCTION idgen_migrate.referenced_findings(oid, name[]) IS 'findings about tables that columns reference';
COMMENT ON FUNCTION idgen_migrate.tree(oid) IS 'a table with its partitions and children';
COMMENT ON FUNCTION idgen_migrate.line(oid) IS 'a table with all above and below it';
COMMENT ON FUNCTION idgen_migrate.origin_of(oid, name) IS 'the topmost table from which a table inherits a column';
COMMENT ON FUNCTION idgen_migrate.columns_with(oid, name) IS 'the columns that hold a key: itself, and all that reference it';
COMMENT ON FUNCTION idgen_migrate.views_on(oid, name[]) IS 'the views that show columns of a table';
COMMENT ON FUNCTION idgen_migrate.view_texts(oid) IS 'the statements that make a view once more';
COMMENT ON FUNCTION idgen_migrate.named_for(oid, name[]) IS 'what is found by its name when columns are widened';
COMMENT ON FUNCTION idgen_migrate.name_findings(oid, name[]) IS 'findings about what is found by its name when columns are widened';
COMMENT ON FUNCTION idgen_migrate.keepers_of_view(oid) IS 'what keeps a view from being made again';
COMMENT ON FUNCTION idgen_migrate.keepers_of_type(oid, name) IS 'what keeps a column''s type as it is';
