-- The steps of the move from uuid keys that need locks: each a short transaction.

-- The columns beside the keys and the references, their triggers, and the move's rows in the state.
CREATE FUNCTION idgen_migrate_uuid_columns(relation oid, id_column name, shard bigint, layout id_layout) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
    key name;
    beside name;
    one record;
BEGIN
    @SEARCH_OWN_SCHEMA@
    key := idgen_migrate_uuid_key(relation);
    EXECUTE format('ALTER TABLE %s ADD COLUMN IF NOT EXISTS %I bigint', idgen_migrate_name(relation), id_column);
    PERFORM idgen_migrate_set_default(relation, id_column, shard, layout);
    INSERT INTO idgen_migration_state (relation, id_column, kind, step, source) VALUES (relation, id_column, 'uuid', 'started', key)
        ON CONFLICT ON CONSTRAINT idgen_migration_state_pkey DO UPDATE SET kind = 'uuid', step = 'started', source = key, runner = NULL;
    FOR one IN SELECT r.child, r.child_column FROM idgen_migrate_references(relation, key) r LOOP
        beside := idgen_migrate_beside(one.child_column, id_column);
        EXECUTE format('ALTER TABLE %s ADD COLUMN IF NOT EXISTS %I bigint', idgen_migrate_name(one.child), beside);
        PERFORM idgen_migrate_make_trigger(relation, id_column, one.child, one.child_column);
        INSERT INTO idgen_migration_state (relation, id_column, kind, step, source, parent)
            VALUES (one.child, beside, 'reference', 'started', one.child_column, relation)
            ON CONFLICT ON CONSTRAINT idgen_migration_state_pkey DO UPDATE SET step = 'started', runner = NULL;
    END LOOP;
END
$$;

-- A constraint that no gap comes in: into the ID column, or into a reference beside one by uuid.
CREATE FUNCTION idgen_migrate_uuid_guard(relation oid, id_column name, child oid, child_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    guarded oid := coalesce(child, relation);
    filled name;
    guard name;
BEGIN
    @SEARCH_OWN_SCHEMA@
    filled := CASE WHEN child IS NULL THEN id_column ELSE idgen_migrate_beside(child_column, id_column) END;
    guard := 'idgen_filled_' || idgen_migrate_column(guarded, filled);
    IF NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = guarded AND k.conname = guard) THEN
        EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I CHECK (%s) NOT VALID', idgen_migrate_name(guarded), guard,
                       CASE WHEN child IS NULL THEN format('%I IS NOT NULL', filled)
                            ELSE format('(%I IS NULL) = (%I IS NULL)', child_column, filled) END);
    END IF;
END
$$;

-- A foreign key beside one by uuid, with the actions of that.
CREATE FUNCTION idgen_migrate_uuid_reference(relation oid, id_column name, child oid, child_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    beside name;
    actions text;
BEGIN
    @SEARCH_OWN_SCHEMA@
    beside := idgen_migrate_beside(child_column, id_column);
    IF EXISTS (SELECT FROM pg_constraint k WHERE k.contype = 'f' AND k.conrelid = child AND k.confrelid = relation
                  AND k.conkey = ARRAY[idgen_migrate_column(child, beside)]) THEN
        RETURN;
    END IF;
    SELECT replace(substring(pg_get_constraintdef(r.constraint_oid) FROM ' (?:MATCH|ON) .*'), ' NOT VALID', '') INTO actions
      FROM idgen_migrate_references(relation, idgen_migrate_uuid_key(relation)) r WHERE r.child = $3 AND r.child_column = $4;
    EXECUTE format('ALTER TABLE %s ADD FOREIGN KEY (%I) REFERENCES %s (%I)%s NOT VALID', idgen_migrate_name(child), beside,
                   idgen_migrate_name(relation), id_column, actions);
END
$$;

-- The ID becomes the primary key, under the name of that, and the uuid a unique key; the foreign keys by uuid go.
CREATE FUNCTION idgen_migrate_uuid_switch(relation oid, id_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text;
    key name;
    unique_id oid;
    unique_key oid;
    primary_key name;
    one record;
BEGIN
    @SEARCH_OWN_SCHEMA@
    target := idgen_migrate_name(relation);
    key := idgen_migrate_uuid_key(relation);
    unique_id := idgen_migrate_unique(relation, id_column);
    unique_key := idgen_migrate_unique(relation, key);
    FOR one IN SELECT r.constraint_name, r.child, r.child_column FROM idgen_migrate_references(relation, key) r LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', idgen_migrate_name(one.child), one.constraint_name);
        IF (SELECT a.attnotnull FROM pg_attribute a WHERE a.attrelid = one.child AND a.attname = one.child_column) THEN
            EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', idgen_migrate_name(one.child),
                           idgen_migrate_beside(one.child_column, id_column));
        END IF;
    END LOOP;
    SELECT k.conname INTO primary_key FROM pg_constraint k WHERE k.conrelid = relation AND k.contype = 'p';
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', target, primary_key);
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', target, id_column);
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I PRIMARY KEY USING INDEX %I', target, primary_key,
                   (SELECT c.relname FROM pg_class c WHERE c.oid = unique_id));
    IF NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = unique_key AND k.contype = 'u') THEN
        EXECUTE format('ALTER TABLE %s ADD UNIQUE USING INDEX %I', target, (SELECT c.relname FROM pg_class c WHERE c.oid = unique_key));
    END IF;
    UPDATE idgen_migration_state s SET step = 'switched', runner = NULL WHERE s.relation = $1 AND s.id_column = $2;
END
$$;

-- Nothing keeps the references by uuid any more.
CREATE FUNCTION idgen_migrate_uuid_finish(relation oid, id_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    one record;
BEGIN
    @SEARCH_OWN_SCHEMA@
    PERFORM idgen_migrate_drop_helpers($1, $2);
    FOR one IN SELECT idgen_migrate_name(s.relation) AS child, quote_ident(s.source) AS source
                 FROM idgen_migration_state s WHERE s.parent = $1 AND s.kind = 'reference' LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %s DROP NOT NULL', one.child, one.source);
        RAISE NOTICE 'nothing keeps %.% any more; when nothing reads it: ALTER TABLE % DROP COLUMN %',
            one.child, one.source, one.child, one.source;
    END LOOP;
    UPDATE idgen_migration_state s SET step = 'done', runner = NULL, next_step = NULL
     WHERE s.parent = $1 OR (s.relation = $1 AND s.id_column = $2);
END
$$;

-- Takes the columns of a move back, and all that rests on them.
CREATE FUNCTION idgen_migrate_uuid_abandon(relation oid, id_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    one record;
BEGIN
    @SEARCH_OWN_SCHEMA@
    PERFORM idgen_migrate_drop_helpers($1, $2);
    FOR one IN SELECT s.relation, s.id_column FROM idgen_migration_state s WHERE s.parent = $1 AND s.kind = 'reference' LOOP
        EXECUTE format('ALTER TABLE %s DROP COLUMN %I', idgen_migrate_name(one.relation), one.id_column);
    END LOOP;
    EXECUTE format('ALTER TABLE %s DROP COLUMN %I', idgen_migrate_name($1), $2);
    DELETE FROM idgen_migration_state s WHERE s.parent = $1 OR (s.relation = $1 AND s.id_column = $2);
END
$$;

-- The tables that a step locks, in one order for all: a guard that of its column, a reference both, the others all.
CREATE FUNCTION idgen_migrate_uuid_tables(step text, relation oid, child oid) RETURNS oid[]
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    @SEARCH_OWN_SCHEMA@
    IF step = 'guard' THEN
        RETURN ARRAY[coalesce($3, $2)];
    END IF;
    RETURN (SELECT array_agg(t.oid ORDER BY t.oid) FROM (
        SELECT $2 AS oid
        UNION SELECT $3
        UNION SELECT r.child FROM idgen_migrate_references($2, idgen_migrate_uuid_key($2)) r WHERE $3 IS NULL
        UNION SELECT s.relation FROM idgen_migration_state s
               WHERE s.parent = $2 AND s.kind = 'reference' AND $1 IN ('finish', 'abandon')) t
     WHERE t.oid IS NOT NULL);
END
$$;

-- One step under its locks, in a transaction of its own. False where they could not be had.
CREATE FUNCTION idgen_migrate_uuid_step(step text, relation oid, id_column name, child oid, child_column name, shard bigint,
                                        lock_wait interval, layout id_layout)
    RETURNS boolean
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    @SEARCH_OWN_SCHEMA@
    IF NOT idgen_migrate_lock(idgen_migrate_uuid_tables(step, relation, child), lock_wait) THEN
        RETURN false;
    END IF;
    CASE step
        WHEN 'start' THEN PERFORM idgen_migrate_uuid_columns(relation, id_column, shard, layout);
        WHEN 'guard' THEN PERFORM idgen_migrate_uuid_guard(relation, id_column, child, child_column);
        WHEN 'reference' THEN PERFORM idgen_migrate_uuid_reference(relation, id_column, child, child_column);
        WHEN 'switch' THEN PERFORM idgen_migrate_uuid_switch(relation, id_column);
        WHEN 'finish' THEN PERFORM idgen_migrate_uuid_finish(relation, id_column);
        WHEN 'abandon' THEN PERFORM idgen_migrate_uuid_abandon(relation, id_column);
    END CASE;
    RETURN true;
END
$$;

COMMENT ON FUNCTION idgen_migrate_uuid_columns(oid, name, bigint, id_layout) IS 'part of the migration: columns and triggers of a move';
COMMENT ON FUNCTION idgen_migrate_uuid_guard(oid, name, oid, name) IS 'part of the migration: no gap comes into a column any more';
COMMENT ON FUNCTION idgen_migrate_uuid_reference(oid, name, oid, name) IS 'part of the migration: a foreign key beside one by uuid';
COMMENT ON FUNCTION idgen_migrate_uuid_switch(oid, name) IS 'part of the migration: the ID becomes the primary key';
COMMENT ON FUNCTION idgen_migrate_uuid_finish(oid, name) IS 'part of the migration: drops what keeps references by uuid';
COMMENT ON FUNCTION idgen_migrate_uuid_abandon(oid, name) IS 'part of the migration: drops the columns of a move';
COMMENT ON FUNCTION idgen_migrate_uuid_tables(text, oid, oid) IS 'part of the migration: tables that a step locks';
COMMENT ON FUNCTION idgen_migrate_uuid_step(text, oid, name, oid, name, bigint, interval, id_layout) IS
    'part of the migration: a step of a move that needs a lock';
