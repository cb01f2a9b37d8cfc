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
    RETURN QUERY SELECT false, '42809', format('foreign key %I of %s is %s', r.constraint_name, idgen_migrate.name_of(r.child), p.problem),
        format('ALTER TABLE %s ' || p.remedy, idgen_migrate.name_of(r.child), r.constraint_name)
        FROM idgen_migrate.references_to(relation, key) r JOIN pg_constraint k ON k.oid = r.constraint_oid
        CROSS JOIN LATERAL (VALUES (k.condeferrable, 'deferrable', 'ALTER CONSTRAINT %I NOT DEFERRABLE'),
                                   (NOT k.convalidated, 'not validated', 'VALIDATE CONSTRAINT %I')) p(is_there, problem, remedy) WHERE p.is_there;
    RETURN QUERY SELECT f.*
        FROM (SELECT DISTINCT r.child FROM idgen_migrate.references_to(relation, key) r WHERE r.child <> relation) c,
             LATERAL (SELECT * FROM idgen_migrate.table_findings(c.child, 'ctid', 'uuid') UNION ALL SELECT * FROM idgen_migrate.role_findings(c.child)) f
       WHERE NOT f.ok;
    RETURN QUERY SELECT false, '42501', format('%I may not create functions in schema %I', current_user, n.nspname),
        format('GRANT CREATE ON SCHEMA %I TO %I', n.nspname, current_user)
        FROM (SELECT DISTINCT c.relnamespace FROM idgen_migrate.references_to(relation, key) r JOIN pg_class c ON c.oid = r.child) u
        JOIN pg_namespace n ON n.oid = u.relnamespace WHERE NOT has_schema_privilege(n.oid, 'CREATE');
    RETURN QUERY SELECT false, '42809', format('trigger %I of %s would not fire between those of the move', t.tgname, idgen_migrate.name_of(c.child)),
        format('ALTER TRIGGER %I ON %s RENAME TO ..., a name that begins with a letter from A to Z', t.tgname, idgen_migrate.name_of(c.child))
        FROM (SELECT DISTINCT r.child FROM idgen_migrate.references_to(relation, key) r) c
        JOIN pg_trigger t ON t.tgrelid = c.child AND NOT t.tgisinternal AND t.tgenabled <> 'D' AND t.tgtype & 3 = 3 AND t.tgtype & 20 <> 0
       WHERE t.tgname NOT LIKE '_idgen\_sync\_%' AND t.tgname::text COLLATE "C" NOT BETWEEN '!idgen_sync_~' AND '~idgen_sync_' ORDER BY c.child, t.tgname;
    RETURN QUERY SELECT f.* FROM (SELECT DISTINCT r.child, r.child_column FROM idgen_migrate.references_to(relation, key) r ORDER BY 1, 2) c,
                                 idgen_migrate.reference_findings(relation, c.child, c.child_column, idgen_migrate.beside(c.child_column, id_column)) f;
    RETURN QUERY SELECT true, NULL, k.finding, 'Between uuid_switch and uuid_finish: ' || k.advice
        FROM (SELECT r.child, array_agg(r.child_column) AS columns FROM idgen_migrate.references_to(relation, key) r GROUP BY r.child ORDER BY r.child) c,
             idgen_migrate.keys_with(c.child, c.columns, id_column) k;
    RETURN QUERY SELECT true, NULL, format('foreign key %I of %s is moved to a new column %I', r.constraint_name, idgen_migrate.name_of(r.child),
                                           idgen_migrate.beside(r.child_column, id_column)),
        'If queries look rows up by it, it needs an index.' FROM idgen_migrate.references_to(relation, key) r;
END
$$;

-- Findings about one reference.
CREATE FUNCTION idgen_migrate.reference_findings(relation oid, child oid, child_column name, beside name) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    target text := idgen_migrate.name_of(child);
    number smallint := idgen_migrate.column_number(child, child_column);
    helper name := idgen_migrate.trigger_name(child, child_column);
    -- By its name in a restored database, by what is remembered if the table has been renamed.
    is_begun boolean := EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = child AND t.tgname IN (
        SELECT '~' || helper UNION ALL SELECT '~' || j.helper FROM idgen_migrate.job j WHERE j.relation = child AND j.source = child_column AND j.kind = 'reference'));
BEGIN
    -- The new release leaves the old column out: what the server would put there is taken for a reference by the old key.
    RETURN QUERY SELECT false, '42809', format('%s.%I %s', target, child_column, p.problem), p.remedy || ' The column beside it can get the like when the move is over.'
        FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
        CROSS JOIN LATERAL (VALUES
            (a.attgenerated <> '', 'is generated', format('ALTER TABLE %s ALTER COLUMN %I DROP EXPRESSION;', target, child_column)),
            (a.attidentity <> '', 'is an identity', format('ALTER TABLE %s ALTER COLUMN %I DROP IDENTITY;', target, child_column)),
            (a.atthasdef AND a.attgenerated = '', 'has a default', format('ALTER TABLE %s ALTER COLUMN %I DROP DEFAULT;', target, child_column)),
            (t.typdefault IS NOT NULL, 'has the default of its domain', format('ALTER DOMAIN %s DROP DEFAULT;', a.atttypid::regtype))) p(is_there, problem, remedy)
       WHERE a.attrelid = child AND a.attnum = number AND p.is_there;
    RETURN QUERY SELECT false, '42809', format('%s.%I references %s, too', target, child_column, idgen_migrate.name_of(k.confrelid)),
        format('Drop one of them before: ALTER TABLE %s DROP CONSTRAINT %I', target, k.conname)
        FROM pg_constraint k WHERE k.contype = 'f' AND k.conrelid = child AND k.conkey = ARRAY[number] AND k.confrelid <> relation AND k.conparentid = 0;
    RETURN QUERY SELECT false, '42809', format('foreign key %I of %s references %s.%I, which is a reference itself', r.constraint_name,
                                               idgen_migrate.name_of(r.child), target, child_column),
        'Drop it before; references to references are not moved.' FROM idgen_migrate.references_to(child, child_column) r;
    RETURN QUERY SELECT false, '42701', format('%s.%I is there already', target, beside),
        'The column beside the reference needs that name: drop it, rename it, or choose another name for the ID column.'
        WHERE idgen_migrate.column_number(child, beside) IS NOT NULL AND NOT is_begun;
    RETURN QUERY SELECT false, '55000', format('another move keeps %s.%I in step', target, child_column),
        'Finish or abandon that one first: SELECT * FROM idgen_migrate.progress'
        WHERE idgen_migrate.column_number(child, beside) IS NULL AND is_begun;
    RETURN QUERY SELECT false, '42809', format('trigger %I of %s does not fire if the new release changes %I', t.tgname, target, child_column),
        format('Make it again as UPDATE without OF, if need be with WHEN (OLD.%1$I IS DISTINCT FROM NEW.%1$I)', child_column)
        FROM pg_trigger t WHERE t.tgrelid = child AND NOT t.tgisinternal AND t.tgenabled <> 'D' AND number = ANY (t.tgattr::int2[]) ORDER BY t.tgname;
    RETURN QUERY SELECT DISTINCT false, '42809', format('rule %I of %s reads %I before the new release''s reference is known', w.rulename, target, child_column),
        'Make it a trigger.'
        FROM pg_rewrite w JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
         AND d.refobjid = child AND d.refobjsubid = number WHERE w.ev_class = child AND w.ev_type IN ('2', '3');
END
$$;

-- The primary key of a table, if references that are moved are in it, and the statements that put those beside into it.
CREATE FUNCTION idgen_migrate.keys_with(child oid, columns name[], id_column name) RETURNS TABLE (finding text, advice text)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('primary key %I of %s has %s in it', k.conname, t.target, c.moved),
           coalesce((SELECT 'Drop ' || string_agg(format('foreign key %I of %s', f.conname, idgen_migrate.name_of(f.conrelid)), ', ' ORDER BY f.conname)
                            || ', and make it again on the new columns; '
                       FROM pg_constraint f WHERE f.contype = 'f' AND f.conindid = k.conindid AND f.conparentid = 0), '')
           || format('CREATE UNIQUE INDEX CONCURRENTLY %1$I ON %2$s (%3$s); ALTER TABLE %2$s DROP CONSTRAINT %4$I, ADD CONSTRAINT %4$I PRIMARY KEY USING INDEX %1$I',
                     left(k.conname, 50) || '_new', t.target, c.new, k.conname)
      FROM pg_constraint k
     CROSS JOIN LATERAL (SELECT idgen_migrate.name_of(child) AS target) t
     CROSS JOIN LATERAL (
         SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY n.place) FILTER (WHERE a.attname = ANY (columns)) AS moved,
                string_agg(quote_ident(CASE WHEN a.attname = ANY (columns) THEN idgen_migrate.beside(a.attname, id_column) ELSE a.attname END), ', ' ORDER BY n.place) AS new
           FROM unnest(k.conkey) WITH ORDINALITY n(number, place) JOIN pg_attribute a ON a.attrelid = child AND a.attnum = n.number) c
     WHERE k.conrelid = child AND k.contype = 'p' AND c.moved IS NOT NULL
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
    RETURN QUERY SELECT false, '55000', format('publication %I sends changes of %s by its primary key', p.pubname, target),
        format('ALTER TABLE %s REPLICA IDENTITY USING INDEX %I', target, u.relname)
        FROM pg_publication_tables t JOIN pg_publication p ON p.pubname = t.pubname AND (p.pubupdate OR p.pubdelete)
        JOIN pg_class c ON c.oid = relation AND c.relreplident = 'd'
        JOIN pg_index i ON i.indexrelid = idgen_migrate.unique_index(relation, key) AND NOT i.indisprimary JOIN pg_class u ON u.oid = i.indexrelid
       WHERE format('%I.%I', t.schemaname, t.tablename) = target ORDER BY p.pubname;
END
$$;

-- What must be true before nothing keeps the old references.
CREATE FUNCTION idgen_migrate.finish_findings(relation oid, id_column name) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT false, '55000', k.finding, k.advice
        FROM (SELECT m.child, array_agg(m.child_column) AS columns FROM idgen_migrate.moved_references(relation) m
               WHERE m.beside = idgen_migrate.beside(m.child_column, id_column) GROUP BY m.child ORDER BY m.child) c,
             idgen_migrate.keys_with(c.child, c.columns, id_column) k;
    RETURN QUERY SELECT * FROM idgen_migrate.identity_findings(relation, id_column);
END
$$;

-- The constraint that proves a column complete.
CREATE FUNCTION idgen_migrate.guard_name(relation oid, filled name) RETURNS name
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT ('idgen_filled_' || idgen_migrate.column_number(relation, filled))::name
$$;

-- The references of a move, as it is remembered and as the catalog has it: the caller's tables, with both columns. Also
-- the function of the triggers, if they are there and call one that the migration made.
CREATE FUNCTION idgen_migrate.moved_references(relation oid) RETURNS TABLE (child oid, child_column name, beside name, has_made boolean, function oid)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT j.relation, j.source, j.id_column, j.has_made, p.oid
      FROM idgen_migrate.job j JOIN pg_class c ON c.oid = j.relation
      LEFT JOIN pg_proc p ON p.proname = j.helper AND p.proname LIKE 'idgen\_sync\_%' AND p.pronamespace = c.relnamespace AND p.proowner = c.relowner
                         AND p.prosecdef AND p.pronargs = 0 AND EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgfoid = p.oid)
     WHERE j.parent = $1 AND j.kind = 'reference' AND j.step <> 'abandoned' AND idgen_migrate.is_own(c.oid)
       AND idgen_migrate.column_number(c.oid, j.source) IS NOT NULL AND idgen_migrate.column_number(c.oid, j.id_column) IS NOT NULL
     ORDER BY idgen_migrate.name_of(j.relation), j.id_column
$$;

-- The function that keeps a reference and the one beside it in step. Two triggers call it, which fire before all others and after
-- all others: so these see the old reference of a row that the new release wrote, and may change it. The same in a restored database.
CREATE FUNCTION idgen_migrate.trigger_name(child oid, child_column name) RETURNS name
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT ('idgen_sync_' || md5(format('%I.%I', c.relname, child_column)))::name FROM pg_class c WHERE c.oid = child
$$;

COMMENT ON FUNCTION idgen_migrate.key_findings(oid, name) IS 'findings about a key that is to be moved';
COMMENT ON FUNCTION idgen_migrate.child_findings(oid, name, name) IS 'findings about the tables that reference a key';
COMMENT ON FUNCTION idgen_migrate.reference_findings(oid, oid, name, name) IS 'findings about one reference';
COMMENT ON FUNCTION idgen_migrate.keys_with(oid, name[], name) IS 'primary keys with references in them';
COMMENT ON FUNCTION idgen_migrate.switch_findings(oid, name) IS 'findings before the switch';
COMMENT ON FUNCTION idgen_migrate.finish_findings(oid, name) IS 'findings before the old references are kept no more';
COMMENT ON FUNCTION idgen_migrate.guard_name(oid, name) IS 'name of the constraint that proves a column complete';
COMMENT ON FUNCTION idgen_migrate.moved_references(oid) IS 'references of a move';
COMMENT ON FUNCTION idgen_migrate.trigger_name(oid, name) IS 'name of the function of a reference''s triggers';

-- The steps of a move that need locks: each a short transaction.

-- The columns beside the keys and the references, their triggers, and what is remembered of the move.
CREATE FUNCTION idgen_migrate.start_move(relation oid, id_column name, shard bigint, layout id_layout) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    key name := idgen_migrate.key_column(relation);
    one record;
BEGIN
    PERFORM idgen_migrate.add_column(relation, id_column, 'uuid', NULL, key, NULL);
    PERFORM idgen_migrate.set_default(relation, id_column, shard, layout);
    FOR one IN SELECT r.child, r.child_column, idgen_migrate.beside(r.child_column, id_column) AS beside,
                      idgen_migrate.trigger_name(r.child, r.child_column) AS helper
                 FROM idgen_migrate.references_to(relation, key) r LOOP
        PERFORM idgen_migrate.add_column(one.child, one.beside, 'reference', relation, one.child_column, one.helper);
        PERFORM idgen_migrate.make_trigger(relation, id_column, one.child, one.child_column, one.beside, one.helper);
    END LOOP;
END
$$;

-- A column of a move, and what is remembered of it.
CREATE FUNCTION idgen_migrate.add_column(relation oid, id_column name, kind text, parent oid, source name, helper name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    is_new boolean := idgen_migrate.column_number($1, $2) IS NULL;
BEGIN
    IF is_new THEN
        EXECUTE format('ALTER TABLE %s ADD COLUMN %I bigint', idgen_migrate.name_of($1), $2);
    END IF;
    INSERT INTO idgen_migrate.job AS j (relation, id_column, kind, step, parent, source, helper, has_made)
    VALUES ($1, $2, $3, 'started', $4, $5, $6, is_new)
    ON CONFLICT ON CONSTRAINT job_pkey DO UPDATE
       SET kind = excluded.kind, step = 'started', parent = excluded.parent, source = excluded.source, helper = excluded.helper, runner = NULL,
           has_made = excluded.has_made OR j.has_made;
END
$$;

-- The triggers that keep a reference and the one beside it in step. Their function belongs to the owner of the tables and
-- runs with the owner's rights, as a foreign key's look-up does: a role that may only insert needs no right to read the
-- referenced table. So no other role may attach it to a table: none has the right to call it, and it checks what called
-- it.
CREATE FUNCTION idgen_migrate.make_trigger(relation oid, id_column name, child oid, child_column name, beside name, helper name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text := (SELECT format('%I.%I', n.nspname, helper) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = child);
    other record;
    one name;
BEGIN
    EXECUTE format('CREATE OR REPLACE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS %L',
                   place, idgen_migrate.trigger_body(relation, id_column, child, child_column, beside, helper));
    FOR other IN SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS name
                   FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
                  WHERE p.oid = to_regprocedure(place || '()') AND a.grantee <> p.proowner LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s() FROM %s', place, other.name);
    END LOOP;
    IF (SELECT pg_get_userbyid(p.proowner) <> current_user OR EXISTS (SELECT FROM aclexplode(p.proacl) a WHERE a.grantee <> p.proowner)
          FROM pg_proc p WHERE p.oid = to_regprocedure(place || '()')) IS NOT FALSE THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = format('other roles may call function %s()', place),
            DETAIL = 'With the rights of its owner.', HINT = format('REVOKE ALL ON FUNCTION %s() from those who may.', place);
    END IF;
    EXECUTE format('COMMENT ON FUNCTION %s() IS %L', place, 'keeps two columns in step until idgen_migrate.uuid_finish()');
    FOREACH one IN ARRAY ARRAY['!' || helper, '~' || helper] LOOP
        EXECUTE format('CREATE OR REPLACE TRIGGER %I BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION %s()', one, idgen_migrate.name_of(child), place);
    END LOOP;
END
$$;

-- What they do. The first brings the old reference of what the new release wrote, the last the new one of what the old one, or a
-- trigger between them, wrote. OLD is null in an INSERT. A row may reference itself before it is there.
CREATE FUNCTION idgen_migrate.trigger_body(relation oid, id_column name, child oid, child_column name, beside name, helper name) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format($body$
BEGIN
    IF TG_NAME NOT IN (%3$L, %4$L) OR TG_RELID <> %5$s AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = TG_RELID AND pg_get_userbyid(c.relowner) = current_user) THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = 'a migration''s function serves only its own trigger',
            DETAIL = 'It runs with the rights of its owner.', HINT = 'Drop the trigger that calls it.';
    END IF;
    IF TG_NAME = %3$L THEN
        IF NEW.%1$I IS NOT DISTINCT FROM OLD.%1$I AND NEW.%2$I IS DISTINCT FROM OLD.%2$I AND (OLD.%2$I IS NOT NULL OR NEW.%1$I IS NULL) THEN
            NEW.%1$I := %6$s;
        END IF;
    ELSIF NEW.%1$I IS NULL THEN
        IF OLD.%1$I IS NOT NULL AND NEW.%2$I IS NOT DISTINCT FROM OLD.%2$I THEN
            NEW.%2$I := NULL;
        END IF;
    ELSIF NEW.%1$I IS DISTINCT FROM OLD.%1$I OR NEW.%2$I IS NULL OR NEW.%2$I <> OLD.%2$I THEN
        NEW.%2$I := %7$s;
    END IF;
    RETURN NEW;
END
$body$, child_column, beside, '!' || helper, '~' || helper, child,
        idgen_migrate.lookup_text(relation, key, id_column, child, beside), idgen_migrate.lookup_text(relation, id_column, key, child, child_column))
      FROM idgen_migrate.key_column(relation) key
$$;

-- The expression that finds one key of the referenced row by the other.
CREATE FUNCTION idgen_migrate.lookup_text(relation oid, wanted name, known name, child oid, reference name) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format(CASE WHEN child = relation THEN 'CASE WHEN NEW.%4$I = NEW.%3$I THEN NEW.%1$I ELSE (SELECT p.%1$I FROM ONLY %2$s p WHERE p.%3$I = NEW.%4$I) END'
                       ELSE '(SELECT p.%1$I FROM ONLY %2$s p WHERE p.%3$I = NEW.%4$I)' END, wanted, idgen_migrate.name_of(relation), known, reference)
$$;

-- A constraint that no gap comes in: into the ID column, or into a reference beside another.
CREATE FUNCTION idgen_migrate.add_guard(relation oid, id_column name, child oid, child_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    guarded oid := coalesce(child, relation);
    filled name := CASE WHEN child IS NULL THEN id_column ELSE idgen_migrate.beside(child_column, id_column) END;
    guard name := idgen_migrate.guard_name(guarded, filled);
BEGIN
    IF NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = guarded AND k.conname = guard) THEN
        EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I CHECK (%s) NOT VALID', idgen_migrate.name_of(guarded), guard,
                       CASE WHEN child IS NULL THEN format('%I IS NOT NULL', filled)
                            ELSE format('(%I IS NULL) = (%I IS NULL)', child_column, filled) END);
    END IF;
END
$$;

-- A foreign key beside another, with the actions of that.
CREATE FUNCTION idgen_migrate.add_reference(relation oid, id_column name, child oid, child_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    beside name := idgen_migrate.beside(child_column, id_column);
    actions jsonb := '{"a": "NO ACTION", "r": "RESTRICT", "c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT"}';
    old record;
BEGIN
    IF EXISTS (SELECT FROM pg_constraint k WHERE k.contype = 'f' AND k.conrelid = child AND k.confrelid = relation
                  AND k.conkey = ARRAY[idgen_migrate.column_number(child, beside)]) THEN
        RETURN;
    END IF;
    SELECT k.confmatchtype, k.confupdtype, k.confdeltype INTO old
      FROM idgen_migrate.references_to(relation, idgen_migrate.key_column(relation)) r JOIN pg_constraint k ON k.oid = r.constraint_oid
     WHERE r.child = $3 AND r.child_column = $4;
    EXECUTE format('ALTER TABLE %s ADD FOREIGN KEY (%I) REFERENCES %s (%I)%s ON UPDATE %s ON DELETE %s NOT VALID', idgen_migrate.name_of(child), beside,
                   idgen_migrate.name_of(relation), id_column, CASE old.confmatchtype WHEN 'f' THEN ' MATCH FULL' END,
                   actions ->> old.confupdtype::text, actions ->> old.confdeltype::text);
END
$$;

-- The ID becomes the primary key, under the name of that, and the old key a unique key; the old foreign keys go.
CREATE FUNCTION idgen_migrate.switch_key(relation oid, id_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    key name := idgen_migrate.key_column(relation);
    unique_id oid := idgen_migrate.unique_index(relation, id_column);
    unique_key oid := idgen_migrate.unique_index(relation, key);
    primary_key name := (SELECT k.conname FROM pg_constraint k WHERE k.conrelid = relation AND k.contype = 'p');
    one record;
BEGIN
    FOR one IN SELECT r.constraint_name, r.child, r.child_column FROM idgen_migrate.references_to(relation, key) r LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', idgen_migrate.name_of(one.child), one.constraint_name);
        IF (SELECT a.attnotnull FROM pg_attribute a WHERE a.attrelid = one.child AND a.attname = one.child_column) THEN
            EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', idgen_migrate.name_of(one.child),
                           idgen_migrate.beside(one.child_column, id_column));
        END IF;
    END LOOP;
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', target, primary_key);
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', target, id_column);
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I PRIMARY KEY USING INDEX %I', target, primary_key,
                   (SELECT c.relname FROM pg_class c WHERE c.oid = unique_id));
    IF NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = unique_key AND k.contype = 'u') THEN
        EXECUTE format('ALTER TABLE %s ADD UNIQUE USING INDEX %I', target, (SELECT c.relname FROM pg_class c WHERE c.oid = unique_key));
    END IF;
    UPDATE idgen_migrate.job j SET step = 'switched', runner = NULL WHERE j.relation = $1 AND j.id_column = $2;
END
$$;

-- Drops the triggers of a move and their functions, and the constraints that proved the columns complete.
CREATE FUNCTION idgen_migrate.drop_helpers(relation oid, id_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one record;
    drop_text text;
BEGIN
    FOR drop_text IN SELECT string_agg(format('DROP TRIGGER %I ON %s; ', t.tgname, idgen_migrate.name_of(m.child)), '')
                            || format('DROP FUNCTION %s', m.function::regprocedure)
                       FROM idgen_migrate.moved_references(relation) m JOIN pg_trigger t ON t.tgrelid = m.child AND t.tgfoid = m.function
                      GROUP BY m.function LOOP
        EXECUTE drop_text;
    END LOOP;
    FOR one IN SELECT DISTINCT k.conname, k.conrelid
                 FROM (SELECT m.child, m.beside FROM idgen_migrate.moved_references(relation) m UNION SELECT $1, $2) f(guarded, filled)
                 JOIN pg_constraint k ON k.conrelid = guarded AND k.contype = 'c' AND k.conname = idgen_migrate.guard_name(guarded, filled) LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', idgen_migrate.name_of(one.conrelid), one.conname);
    END LOOP;
END
$$;

-- Nothing keeps the old references any more.
CREATE FUNCTION idgen_migrate.finish_move(relation oid, id_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one record;
BEGIN
    PERFORM idgen_migrate.drop_helpers(relation, id_column);
    FOR one IN SELECT idgen_migrate.name_of(m.child) AS child, quote_ident(m.child_column) AS source FROM idgen_migrate.moved_references(relation) m LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %s DROP NOT NULL', one.child, one.source);
        RAISE NOTICE 'nothing keeps %.% any more; when nothing reads it: ALTER TABLE % DROP COLUMN %', one.child, one.source, one.child, one.source;
    END LOOP;
    UPDATE idgen_migrate.job j SET step = 'done', runner = NULL WHERE j.parent = $1 OR (j.relation = $1 AND j.id_column = $2);
END
$$;

-- Takes back what the move made.
CREATE FUNCTION idgen_migrate.abandon_move(relation oid, id_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one record;
BEGIN
    PERFORM idgen_migrate.drop_helpers(relation, id_column);
    FOR one IN SELECT m.child AS holder, m.beside AS filled, m.has_made FROM idgen_migrate.moved_references(relation) m
               UNION ALL SELECT j.relation, j.id_column, j.has_made FROM idgen_migrate.job j WHERE j.relation = $1 AND j.id_column = $2 LOOP
        IF one.has_made THEN
            EXECUTE format('ALTER TABLE %s DROP COLUMN %I', idgen_migrate.name_of(one.holder), one.filled);
        ELSE
            RAISE NOTICE '%.% stays: it was there before the move', idgen_migrate.name_of(one.holder), quote_ident(one.filled);
        END IF;
    END LOOP;
    UPDATE idgen_migrate.job j SET step = 'abandoned', runner = NULL, rows_done = 0, last_id = NULL, last_time = NULL, has_made = false
     WHERE j.parent = $1 OR (j.relation = $1 AND j.id_column = $2);
END
$$;

COMMENT ON FUNCTION idgen_migrate.start_move(oid, name, bigint, id_layout) IS 'columns and triggers of a move';
COMMENT ON FUNCTION idgen_migrate.add_column(oid, name, text, oid, name, name) IS 'a column of a move';
COMMENT ON FUNCTION idgen_migrate.make_trigger(oid, name, oid, name, name, name) IS 'keeps two references in step';
COMMENT ON FUNCTION idgen_migrate.trigger_body(oid, name, oid, name, name, name) IS 'what keeps two references in step';
COMMENT ON FUNCTION idgen_migrate.lookup_text(oid, name, name, oid, name) IS 'finds one key by the other';
COMMENT ON FUNCTION idgen_migrate.add_guard(oid, name, oid, name) IS 'no gap comes into a column any more';
COMMENT ON FUNCTION idgen_migrate.add_reference(oid, name, oid, name) IS 'a foreign key beside another';
COMMENT ON FUNCTION idgen_migrate.switch_key(oid, name) IS 'the ID becomes the primary key';
COMMENT ON FUNCTION idgen_migrate.drop_helpers(oid, name) IS 'drops the triggers of a move';
COMMENT ON FUNCTION idgen_migrate.finish_move(oid, name) IS 'drops what keeps the old references';
COMMENT ON FUNCTION idgen_migrate.abandon_move(oid, name) IS 'drops the columns of a move';
