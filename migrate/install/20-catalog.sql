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
    WITH RECURSIVE above(oid) AS (SELECT relation UNION SELECT i.inhparent FROM above a JOIN pg_inherits i ON i.inhrelid = a.oid),
    line AS (SELECT t.oid FROM idgen_migrate.tree(relation) AS t(oid) UNION SELECT a.oid FROM above a)
    SELECT oid FROM line UNION SELECT k.conrelid FROM line JOIN pg_constraint k ON k.contype = 'f' AND k.confrelid = line.oid;
END
$$;

-- Objects that tables call when rows change, and that belong to others than superusers.
CREATE FUNCTION idgen_migrate.foreign_code(tables oid[]) RETURNS TABLE (object text, owner name)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    WITH RECURSIVE used(classid, objid) AS (
        SELECT 'pg_class'::regclass::oid, t FROM unnest(tables) t
        UNION
        SELECT n.classid, n.objid FROM used u, LATERAL (
            -- What it rests on
            SELECT d.refclassid AS classid, d.refobjid AS objid FROM pg_depend d
             WHERE d.classid = u.classid AND d.objid = u.objid
               AND d.refclassid IN ('pg_proc'::regclass, 'pg_type'::regclass, 'pg_operator'::regclass, 'pg_opclass'::regclass, 'pg_opfamily'::regclass)
            UNION ALL
            -- What is a part of a table, an index or a type
            SELECT d.classid, d.objid FROM pg_depend d
             WHERE d.refclassid = u.classid AND d.refobjid = u.objid AND u.classid IN ('pg_class'::regclass, 'pg_type'::regclass)
               AND (d.classid IN ('pg_constraint'::regclass, 'pg_trigger'::regclass, 'pg_attrdef'::regclass, 'pg_policy'::regclass)
                    OR d.classid = 'pg_rewrite'::regclass AND EXISTS (SELECT FROM pg_rewrite w WHERE w.oid = d.objid AND w.ev_class = u.objid)
                    OR d.classid = 'pg_class'::regclass AND EXISTS (SELECT FROM pg_class c WHERE c.oid = d.objid AND c.relkind IN ('i', 'c')))) n)
    SELECT pg_describe_object(o.classid, o.objid, 0), r.rolname
      FROM (SELECT classid, objid, proowner AS owner FROM used JOIN pg_proc p ON classid = 'pg_proc'::regclass AND p.oid = objid
            UNION ALL SELECT classid, objid, typowner FROM used JOIN pg_type t ON classid = 'pg_type'::regclass AND t.oid = objid
            UNION ALL SELECT classid, objid, oprowner FROM used JOIN pg_operator p ON classid = 'pg_operator'::regclass AND p.oid = objid
            UNION ALL SELECT classid, objid, opcowner FROM used JOIN pg_opclass p ON classid = 'pg_opclass'::regclass AND p.oid = objid) o
      JOIN pg_roles r ON r.oid = o.owner WHERE NOT r.rolsuper ORDER BY 1;
END
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
COMMENT ON FUNCTION idgen_migrate.foreign_code(oid[]) IS 'what tables call that belongs to others than superusers';
