-- From keys that are uuids or integers to bigint IDs, in steps between which the table is whole and can stay for any
-- length of time:
--
--   uuid_start    the table gets the ID column, with next_id() as default; each referencing table a column beside its
--                 reference, kept in step by a trigger
--   backfill      old rows get their IDs
--   uuid_link     old references get theirs, and foreign keys; both columns are proved complete
--   uuid_switch   the ID becomes the primary key, the old key a unique key
--   uuid_finish   the triggers go; uuid_abandon goes back, before the switch
--   uuid_rename   the old columns go, the new ones take their names

CREATE FUNCTION idgen_migrate.key_findings(relation oid, id_column name) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    key name := idgen_migrate.key_column(relation);
BEGIN
    IF key IS NULL OR key = id_column THEN
        RETURN QUERY SELECT false, '42809', CASE WHEN key IS NULL THEN format('the primary key of %s is not one column of type uuid or integer', target)
            ELSE format('%s.%I is the primary key already', target, id_column) END, 'Give a table with such a key, and the name of a new column.';
        RETURN;
    END IF;
    RETURN QUERY SELECT false, '42804', format('%s.%I is of type %s', target, id_column, format_type(a.atttypid, NULL)),
        'Give the name of a new column, or of a bigint column.' FROM pg_attribute a
        WHERE a.attrelid = relation AND a.attname = id_column AND a.atttypid <> 'bigint'::regtype;
    RETURN QUERY SELECT false, '55000', format('the replica identity of %s is its primary key''s index', target),
        format('ALTER TABLE %s REPLICA IDENTITY DEFAULT', target)
        FROM pg_index i WHERE i.indrelid = relation AND i.indisprimary AND i.indisreplident;
    RETURN QUERY SELECT false, '55000', format('%s needs the primary key of %s', pg_describe_object(d.classid, d.objid, 0), target),
        'Drop it before, and make it again after.'
        FROM pg_constraint k JOIN pg_depend d ON d.refclassid = 'pg_constraint'::regclass AND d.refobjid = k.oid
       WHERE k.conrelid = relation AND k.contype = 'p' AND d.classid = 'pg_rewrite'::regclass;
    RETURN QUERY SELECT false, '42809', format('foreign key %I of %s references more than %I', k.conname, idgen_migrate.name_of(k.conrelid), key),
        'Drop it before; references of several columns are not moved.'
        FROM pg_constraint k WHERE k.contype = 'f' AND k.confrelid = relation AND cardinality(k.confkey) > 1
         AND idgen_migrate.column_number(relation, key) = ANY (k.confkey);
    RETURN QUERY SELECT true, NULL, format('%s.%I has no default', target, key),
        'A client that knows only the new column inserts rows without the old one: give it a default before there are such clients.'
        FROM pg_attribute a WHERE a.attrelid = relation AND a.attname = key AND NOT a.atthasdef AND a.attidentity = '';
    RETURN QUERY SELECT * FROM idgen_migrate.child_findings(relation, id_column, key);
END
$$;

-- Findings about the tables that reference a key.
CREATE FUNCTION idgen_migrate.child_findings(relation oid, id_column name, key name) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT false, '42809', format('foreign key %I of %s is deferrable', r.constraint_name, idgen_migrate.name_of(r.child)),
        format('ALTER TABLE %s ALTER CONSTRAINT %I NOT DEFERRABLE', idgen_migrate.name_of(r.child), r.constraint_name)
        FROM idgen_migrate.references_to(relation, key) r JOIN pg_constraint k ON k.oid = r.constraint_oid WHERE k.condeferrable;
    RETURN QUERY SELECT f.*
        FROM (SELECT DISTINCT r.child FROM idgen_migrate.references_to(relation, key) r WHERE r.child <> relation) c,
             idgen_migrate.table_findings(c.child, 'ctid', 'uuid') f WHERE NOT f.ok;
    RETURN QUERY SELECT false, '42501', format('%I may not create functions in schema %I', current_user, n.nspname),
        format('GRANT CREATE ON SCHEMA %I TO %I', n.nspname, current_user)
        FROM (SELECT DISTINCT c.relnamespace FROM idgen_migrate.references_to(relation, key) r JOIN pg_class c ON c.oid = r.child) u
        JOIN pg_namespace n ON n.oid = u.relnamespace WHERE NOT has_schema_privilege(n.oid, 'CREATE');
    RETURN QUERY SELECT false, '42701', format('%s.%I is of type %s', idgen_migrate.name_of(r.child), a.attname, format_type(a.atttypid, NULL)),
        'The column beside the reference needs that name: choose another name for the ID column.'
        FROM idgen_migrate.references_to(relation, key) r JOIN pg_attribute a ON a.attrelid = r.child
         AND a.attname = idgen_migrate.beside(r.child_column, id_column) WHERE a.atttypid <> 'bigint'::regtype;
    RETURN QUERY SELECT true, NULL, format('foreign key %I of %s is moved to a new column %I', r.constraint_name, idgen_migrate.name_of(r.child),
                                           idgen_migrate.beside(r.child_column, id_column)),
        'If queries look rows up by it, it needs an index.' FROM idgen_migrate.references_to(relation, key) r;
END
$$;

-- What must be true before the switch.
CREATE FUNCTION idgen_migrate.switch_findings(relation oid, id_column name) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    key name := idgen_migrate.key_column(relation);
BEGIN
    RETURN QUERY SELECT false, '55000', format('the move of %s has not been started', target),
        format('CALL idgen_migrate.uuid_start(%L, %L)', target, id_column)
        WHERE NOT EXISTS (SELECT FROM idgen_migrate.job j WHERE j.relation = $1 AND j.id_column = $2 AND j.kind = 'uuid' AND j.step <> 'abandoned');
    RETURN QUERY SELECT false, '55000', format('%s.%I has no unique index', target, id_column),
        format('CREATE UNIQUE INDEX CONCURRENTLY ON %s (%I)', target, id_column)
        WHERE idgen_migrate.unique_index(relation, id_column) IS NULL;
    RETURN QUERY SELECT false, '55000', format('%s.%I has no unique index but the primary key''s', target, key),
        format('CREATE UNIQUE INDEX CONCURRENTLY ON %s (%I)', target, key)
        FROM pg_index i WHERE i.indexrelid = idgen_migrate.unique_index(relation, key) AND i.indisprimary;
    RETURN QUERY SELECT false, '55000', format('%s.%I is not proved complete', target, id_column),
        format('CALL idgen_migrate.uuid_link(%L, %L)', target, id_column)
        WHERE key IS NOT NULL AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = relation
          AND k.conname = idgen_migrate.guard_name(relation, id_column) AND k.convalidated);
    RETURN QUERY SELECT false, '55000', format('foreign key %I of %s has no counterpart yet', r.constraint_name, idgen_migrate.name_of(r.child)),
        format('CALL idgen_migrate.uuid_start(%1$L, %2$L), then CALL idgen_migrate.uuid_link(%1$L, %2$L)', target, id_column)
        FROM idgen_migrate.references_to(relation, key) r
       WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.contype = 'f' AND k.conrelid = r.child AND k.confrelid = relation AND k.convalidated
          AND k.conkey = ARRAY[idgen_migrate.column_number(r.child, idgen_migrate.beside(r.child_column, id_column))]);
END
$$;

-- The constraint that proves a column complete.
CREATE FUNCTION idgen_migrate.guard_name(relation oid, filled name) RETURNS name
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT ('idgen_filled_' || idgen_migrate.column_number(relation, filled))::name
$$;

-- The references of a move, as it is remembered and as the catalog has it: the caller's tables, with both columns. Also
-- the trigger's function, if the trigger is there and calls one that the migration made.
CREATE FUNCTION idgen_migrate.moved_references(relation oid) RETURNS TABLE (child oid, child_column name, beside name, has_made boolean, function oid)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT j.relation, j.source, j.id_column, j.has_made, p.oid
      FROM idgen_migrate.job j JOIN pg_class c ON c.oid = j.relation
      LEFT JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgname = j.helper AND t.tgname LIKE 'idgen\_sync\_%'
      LEFT JOIN pg_proc p ON p.oid = t.tgfoid AND p.proname = t.tgname AND p.pronamespace = c.relnamespace AND p.proowner = c.relowner
                         AND p.prosecdef AND p.pronargs = 0
     WHERE j.parent = $1 AND j.kind = 'reference' AND j.step <> 'abandoned' AND idgen_migrate.is_own(c.oid)
       AND idgen_migrate.column_number(c.oid, j.source) IS NOT NULL AND idgen_migrate.column_number(c.oid, j.id_column) IS NOT NULL
     ORDER BY idgen_migrate.name_of(j.relation), j.id_column
$$;

-- The trigger that keeps a reference and the one beside it in step, and its function; the same in a restored database.
CREATE FUNCTION idgen_migrate.trigger_name(child oid, child_column name) RETURNS name
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT ('idgen_sync_' || md5(format('%I.%I', c.relname, child_column)))::name FROM pg_class c WHERE c.oid = child
$$;

COMMENT ON FUNCTION idgen_migrate.key_findings(oid, name) IS 'findings about a key that is to be moved';
COMMENT ON FUNCTION idgen_migrate.child_findings(oid, name, name) IS 'findings about the tables that reference a key';
COMMENT ON FUNCTION idgen_migrate.switch_findings(oid, name) IS 'findings before the switch';
COMMENT ON FUNCTION idgen_migrate.guard_name(oid, name) IS 'name of the constraint that proves a column complete';
COMMENT ON FUNCTION idgen_migrate.moved_references(oid) IS 'references of a move';
COMMENT ON FUNCTION idgen_migrate.trigger_name(oid, name) IS 'name of a reference''s trigger and of its function';
