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
    RETURN QUERY SELECT true, NULL, format('%s.%I of type %s goes, and %I takes its name', idgen_migrate.name_of(o.holder), o.old,
            format_type(idgen_migrate.column_type(o.holder, o.old), NULL), o.new), 'Nothing that runs may still use the old column.'
        FROM idgen_migrate.old_columns(relation, id_column) o;
END
$$;

-- Whether an object is about the old column only, so that it will not be missed: its default, its sequence, an index or
-- a check of nothing else. What makes it unique must have its like on the new column; a foreign key is about two
-- tables.
CREATE FUNCTION idgen_migrate.is_of_column(class oid, object oid, holder oid, old name, new name) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT FROM pg_attrdef f WHERE class = 'pg_attrdef'::regclass AND f.oid = object AND f.adrelid = holder AND f.adnum = n.number)
        OR EXISTS (SELECT FROM pg_class c WHERE class = 'pg_class'::regclass AND c.oid = object AND c.relkind = 'S')
        OR EXISTS (SELECT FROM pg_index i WHERE class = 'pg_class'::regclass AND i.indexrelid = object AND i.indnatts = 1 AND i.indkey[0] = n.number
                      AND i.indpred IS NULL AND (NOT i.indisunique OR n.is_unique))
        OR EXISTS (SELECT FROM pg_constraint k WHERE class = 'pg_constraint'::regclass AND k.oid = object AND k.conrelid = holder
                      AND k.conkey = ARRAY[n.number] AND (k.contype IN ('c', 'n') OR k.contype = 'u' AND n.is_unique))
      FROM (SELECT idgen_migrate.column_number(holder, old) AS number, idgen_migrate.unique_index(holder, new) IS NOT NULL AS is_unique) n
$$;

CREATE FUNCTION idgen_migrate.rename_columns(relation oid, id_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one record;
BEGIN
    PERFORM idgen_migrate.require('rename', relation, id_column, NULL, NULL, 1, 'instagram', 'all');
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
    PERFORM idgen_migrate.require_step(relation, id_column, '{done}');
    PERFORM idgen_migrate.require('rename', relation, id_column, NULL, NULL, 1, 'instagram', 'all');
    CALL idgen_migrate.try('rename', relation, id_column, NULL, NULL, NULL, lock_wait, attempts, NULL);
END
$$;

COMMENT ON FUNCTION idgen_migrate.old_columns(oid, name) IS 'old columns of a finished move';
COMMENT ON FUNCTION idgen_migrate.rename_findings(oid, name) IS 'findings before the old columns go';
COMMENT ON FUNCTION idgen_migrate.is_of_column(oid, oid, oid, name, name) IS 'whether an object is about the old column only';
COMMENT ON FUNCTION idgen_migrate.rename_columns(oid, name) IS 'drops the old columns and gives their names to the new ones';
COMMENT ON PROCEDURE idgen_migrate.uuid_rename(regclass, name, interval, integer) IS
    'from uuid or integer keys to IDs in id_column of relation, after uuid_finish: the old columns go, the new ones take their names. Its locks are tried for lock_wait at a time, attempts times';
