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

-- The trigger that keeps a reference and the one beside it in step. Its function belongs to the owner of the tables and
-- runs with the owner's rights, as a foreign key's look-up does: a role that may only insert needs no right to read the
-- referenced table. So no other role may attach it to a table: none has the right to call it, and it checks what called
-- it.
CREATE FUNCTION idgen_migrate.make_trigger(relation oid, id_column name, child oid, child_column name, beside name, helper name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    place text := (SELECT format('%I.%I', n.nspname, helper) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = child);
    other record;
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
    EXECUTE format('CREATE OR REPLACE TRIGGER %I BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION %s()',
                   helper, idgen_migrate.name_of(child), place);
END
$$;

CREATE FUNCTION idgen_migrate.trigger_body(relation oid, id_column name, child oid, child_column name, beside name, helper name) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format($body$
BEGIN
    IF TG_NAME <> %7$L OR TG_RELID <> %8$s AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = TG_RELID AND pg_get_userbyid(c.relowner) = current_user) THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = 'a migration''s function serves only its own trigger',
            DETAIL = 'It runs with the rights of its owner.', HINT = 'Drop the trigger that calls it.';
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.%1$I IS NOT DISTINCT FROM OLD.%1$I THEN
        IF NEW.%2$I IS DISTINCT FROM OLD.%2$I AND (OLD.%2$I IS NOT NULL OR NEW.%1$I IS NULL) THEN
            NEW.%1$I := (SELECT p.%4$I FROM ONLY %5$s p WHERE p.%3$I = NEW.%2$I);
        ELSIF NEW.%2$I IS NULL AND NEW.%1$I IS NOT NULL THEN
            NEW.%2$I := (SELECT p.%3$I FROM ONLY %5$s p WHERE p.%4$I = NEW.%1$I);
        END IF;
    ELSIF NEW.%1$I IS NOT NULL THEN
        NEW.%2$I := (SELECT p.%3$I FROM ONLY %5$s p WHERE p.%4$I = NEW.%1$I);
        IF %6$s THEN
            NEW.%2$I := NEW.%9$I;
        END IF;
    ELSIF TG_OP = 'UPDATE' THEN
        NEW.%2$I := NULL;
    ELSE
        NEW.%1$I := (SELECT p.%4$I FROM ONLY %5$s p WHERE p.%3$I = NEW.%2$I);
    END IF;
    RETURN NEW;
END
$body$, child_column, beside, id_column, key, idgen_migrate.name_of(relation),
        CASE WHEN child = relation THEN format('NEW.%I = NEW.%I', child_column, key) ELSE 'false' END,
        helper, child, CASE WHEN child = relation THEN id_column ELSE beside END)
      FROM idgen_migrate.key_column(relation) key
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
BEGIN
    FOR one IN SELECT m.child, p.proname, n.nspname FROM idgen_migrate.moved_references(relation) m
                 JOIN pg_proc p ON p.oid = m.function JOIN pg_namespace n ON n.oid = p.pronamespace LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', one.proname, idgen_migrate.name_of(one.child));
        EXECUTE format('DROP FUNCTION %I.%I()', one.nspname, one.proname);
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
COMMENT ON FUNCTION idgen_migrate.add_guard(oid, name, oid, name) IS 'no gap comes into a column any more';
COMMENT ON FUNCTION idgen_migrate.add_reference(oid, name, oid, name) IS 'a foreign key beside another';
COMMENT ON FUNCTION idgen_migrate.switch_key(oid, name) IS 'the ID becomes the primary key';
COMMENT ON FUNCTION idgen_migrate.drop_helpers(oid, name) IS 'drops the triggers of a move';
COMMENT ON FUNCTION idgen_migrate.finish_move(oid, name) IS 'drops what keeps the old references';
COMMENT ON FUNCTION idgen_migrate.abandon_move(oid, name) IS 'drops the columns of a move';
