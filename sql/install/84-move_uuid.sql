-- From uuid keys to bigint IDs, in steps between which the table is whole and can stay for as long as one likes:
--
--   idgen_uuid_start    the table gets the ID column, with next_id() as default; each referencing table a column beside
--                       its uuid, kept in step by a trigger
--   idgen_backfill      old rows get their IDs
--   idgen_uuid_link     old references get theirs, and foreign keys; both columns are proved complete
--   idgen_uuid_switch   the ID becomes the primary key, the uuid a unique key
--   idgen_uuid_finish   the triggers go; idgen_uuid_abandon goes back, before the switch
--
-- The trigger's function belongs to the owner of the referencing table and runs with its rights, as a foreign key's
-- look-up does: a role that may only insert needs no right to read the referenced table.

-- The single column of a primary key that is a uuid; null where it is not one.
CREATE FUNCTION idgen_migrate_uuid_key(relation oid) RETURNS name LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT a.attname FROM pg_catalog.pg_constraint k
          JOIN pg_catalog.pg_attribute a ON a.attrelid = relation AND a.attnum = k.conkey[1]
         WHERE k.conrelid = relation AND k.contype = 'p' AND pg_catalog.cardinality(k.conkey) = 1
           AND a.atttypid = 'pg_catalog.uuid'::pg_catalog.regtype);

-- The column beside a referencing one.
CREATE FUNCTION idgen_migrate_beside(child_column name, id_column name) RETURNS name LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN pg_catalog.left(child_column || '_' || id_column, 63)::name;

CREATE FUNCTION idgen_migrate_uuid_findings(relation oid, id_column name)
    RETURNS TABLE (ok boolean, state text, finding text, advice text)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text;
    key name;
BEGIN
    @SEARCH_OWN_SCHEMA@
    target := idgen_migrate_name(relation);
    key := idgen_migrate_uuid_key(relation);
    IF key IS NULL THEN
        RETURN QUERY SELECT false, '42809', format('the primary key of %s is not one column of type uuid', target),
            'Only such a key can be moved.';
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
    RETURN QUERY SELECT false, '42809', format('foreign key %I of %s references more than %I', k.conname, idgen_migrate_name(k.conrelid), key),
        'Drop it before; references of several columns are not moved.'
        FROM pg_constraint k WHERE k.contype = 'f' AND k.confrelid = relation AND cardinality(k.confkey) > 1
         AND idgen_migrate_column(relation, key) = ANY (k.confkey);
    RETURN QUERY SELECT false, '42809', format('foreign key %I of %s is deferrable', r.constraint_name, idgen_migrate_name(r.child)),
        format('ALTER TABLE %s ALTER CONSTRAINT %I NOT DEFERRABLE', idgen_migrate_name(r.child), r.constraint_name)
        FROM idgen_migrate_references(relation, key) r JOIN pg_constraint k ON k.oid = r.constraint_oid WHERE k.condeferrable;
    RETURN QUERY SELECT f.ok, f.state, f.finding, f.advice
        FROM (SELECT DISTINCT r.child FROM idgen_migrate_references(relation, key) r WHERE r.child <> relation) c,
             idgen_migrate_table_findings(c.child, 'ctid') f WHERE NOT f.ok AND f.state <> '42703';
    RETURN QUERY SELECT false, '42501', format('%I may not create functions in schema %I', current_user, n.nspname),
        format('GRANT CREATE ON SCHEMA %I TO %I', n.nspname, current_user)
        FROM (SELECT DISTINCT c.relnamespace FROM idgen_migrate_references(relation, key) r JOIN pg_class c ON c.oid = r.child) u
        JOIN pg_namespace n ON n.oid = u.relnamespace WHERE NOT has_schema_privilege(n.oid, 'CREATE');
    RETURN QUERY SELECT false, '42701', format('%s.%I is of type %s', idgen_migrate_name(r.child), a.attname, format_type(a.atttypid, NULL)),
        'The column beside the reference needs that name: choose another name for the ID column.'
        FROM idgen_migrate_references(relation, key) r JOIN pg_attribute a ON a.attrelid = r.child
         AND a.attname = idgen_migrate_beside(r.child_column, id_column) WHERE a.atttypid <> 'bigint'::regtype;
    RETURN QUERY SELECT true, NULL, format('foreign key %I of %s is moved to a new column %I', r.constraint_name, idgen_migrate_name(r.child),
                                           idgen_migrate_beside(r.child_column, id_column)),
        'Where it is looked up by, it will need an index of its own.' FROM idgen_migrate_references(relation, key) r;
END
$$;

-- What must be true before the switch.
CREATE FUNCTION idgen_migrate_switch_findings(relation oid, id_column name)
    RETURNS TABLE (ok boolean, state text, finding text, advice text)
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    target text;
    key name;
BEGIN
    @SEARCH_OWN_SCHEMA@
    target := idgen_migrate_name(relation);
    key := idgen_migrate_uuid_key(relation);
    RETURN QUERY SELECT * FROM idgen_migrate_uuid_findings($1, $2);
    RETURN QUERY SELECT false, '55000', format('the move of %s has not been started', target),
        format('CALL idgen_uuid_start(%L, %L)', target, $2)
        WHERE NOT EXISTS (SELECT FROM idgen_migration_state s WHERE s.relation = $1 AND s.id_column = $2 AND s.kind = 'uuid');
    RETURN QUERY SELECT false, '55000', format('%s.%I has no unique index', target, $2),
        format('CREATE UNIQUE INDEX CONCURRENTLY ON %s (%I)', target, $2)
        WHERE idgen_migrate_unique($1, $2) IS NULL;
    RETURN QUERY SELECT false, '55000', format('%s.%I has no unique index but the primary key''s', target, key),
        format('CREATE UNIQUE INDEX CONCURRENTLY ON %s (%I)', target, key)
        FROM pg_index i WHERE i.indexrelid = idgen_migrate_unique($1, key) AND i.indisprimary;
    RETURN QUERY SELECT false, '55000', format('%s.%I is not proved complete', target, $2),
        format('CALL idgen_uuid_link(%L, %L)', target, $2)
        WHERE key IS NOT NULL AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = $1
          AND k.conname = 'idgen_filled_' || idgen_migrate_column($1, $2) AND k.convalidated);
    RETURN QUERY SELECT false, '55000', format('foreign key %I of %s has no counterpart yet', r.constraint_name, idgen_migrate_name(r.child)),
        format('CALL idgen_uuid_start(%L, %L), then CALL idgen_uuid_link(%L, %L)', target, $2, target, $2)
        FROM idgen_migrate_references($1, key) r
       WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.contype = 'f' AND k.conrelid = r.child AND k.confrelid = $1 AND k.convalidated
          AND k.conkey = ARRAY[idgen_migrate_column(r.child, idgen_migrate_beside(r.child_column, $2))]);
END
$$;

-- The trigger that keeps a reference by uuid and the one beside it in step.
CREATE FUNCTION idgen_migrate_make_trigger(relation oid, id_column name, child oid, child_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    object name := format('idgen_sync_%s_%s', child, (SELECT a.attnum FROM pg_attribute a
                                                       WHERE a.attrelid = child AND a.attname = child_column));
    place text;
    owner name;
BEGIN
    @SEARCH_OWN_SCHEMA@
    SELECT format('%I.%I', n.nspname, object), pg_get_userbyid(c.relowner) INTO place, owner
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = child;
    EXECUTE format($f$
CREATE OR REPLACE FUNCTION %1$s() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.%2$I IS NOT DISTINCT FROM OLD.%2$I THEN
        IF NEW.%3$I IS DISTINCT FROM OLD.%3$I AND (OLD.%3$I IS NOT NULL OR NEW.%2$I IS NULL) THEN
            NEW.%2$I := (SELECT p.%5$I FROM ONLY %6$s p WHERE p.%4$I = NEW.%3$I);
        ELSIF NEW.%3$I IS NULL AND NEW.%2$I IS NOT NULL THEN
            NEW.%3$I := (SELECT p.%4$I FROM ONLY %6$s p WHERE p.%5$I = NEW.%2$I);
        END IF;
    ELSIF NEW.%2$I IS NOT NULL THEN
        NEW.%3$I := (SELECT p.%4$I FROM ONLY %6$s p WHERE p.%5$I = NEW.%2$I);%7$s
    ELSIF TG_OP = 'UPDATE' THEN
        NEW.%3$I := NULL;
    ELSE
        NEW.%2$I := (SELECT p.%5$I FROM ONLY %6$s p WHERE p.%4$I = NEW.%3$I);
    END IF;
    RETURN NEW;
END
$body$ $f$, place, child_column, idgen_migrate_beside(child_column, id_column), id_column, idgen_migrate_uuid_key(relation),
        idgen_migrate_name(relation), CASE WHEN child = relation THEN format($g$
        IF NEW.%1$I = NEW.%2$I THEN
            NEW.%3$I := NEW.%4$I;
        END IF;$g$, child_column, idgen_migrate_uuid_key(relation), idgen_migrate_beside(child_column, id_column), id_column) END);
    EXECUTE format('ALTER FUNCTION %s() OWNER TO %I', place, owner);
    EXECUTE format('COMMENT ON FUNCTION %s() IS %L', place, 'keeps two columns in step until idgen_uuid_finish()');
    EXECUTE format('CREATE OR REPLACE TRIGGER %I BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION %s()',
                   object, idgen_migrate_name(child), place);
END
$$;

-- Drops the triggers of a move and their functions, and the constraints that proved the columns complete.
CREATE FUNCTION idgen_migrate_drop_helpers(relation oid, id_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one record;
BEGIN
    @SEARCH_OWN_SCHEMA@
    FOR one IN SELECT t.tgname, t.tgrelid, p.oid::regprocedure AS function FROM idgen_migration_state s
                 JOIN pg_trigger t ON t.tgrelid = s.relation
                  AND t.tgname = format('idgen_sync_%s_%s', s.relation, idgen_migrate_column(s.relation, s.source))
                 JOIN pg_proc p ON p.oid = t.tgfoid
                WHERE s.parent = $1 AND s.kind = 'reference' LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', one.tgname, idgen_migrate_name(one.tgrelid));
        EXECUTE format('DROP FUNCTION %s', one.function);
    END LOOP;
    FOR one IN SELECT DISTINCT k.conname, k.conrelid FROM idgen_migration_state s JOIN pg_constraint k ON k.conrelid = s.relation
                  AND k.conname = 'idgen_filled_' || idgen_migrate_column(s.relation, s.id_column)
                WHERE s.parent = $1 OR (s.relation = $1 AND s.id_column = $2) LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', idgen_migrate_name(one.conrelid), one.conname);
    END LOOP;
END
$$;

COMMENT ON FUNCTION idgen_migrate_uuid_key(oid) IS 'part of the migration: the column of a primary key that is a uuid';
COMMENT ON FUNCTION idgen_migrate_beside(name, name) IS 'part of the migration: name of the column beside a reference by uuid';
COMMENT ON FUNCTION idgen_migrate_uuid_findings(oid, name) IS 'part of the migration: findings about a uuid key';
COMMENT ON FUNCTION idgen_migrate_switch_findings(oid, name) IS 'part of the migration: findings before the switch';
COMMENT ON FUNCTION idgen_migrate_make_trigger(oid, name, oid, name) IS 'part of the migration: keeps two references in step';
COMMENT ON FUNCTION idgen_migrate_drop_helpers(oid, name) IS 'part of the migration: drops the triggers of a move';
