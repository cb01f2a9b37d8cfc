-- From serial and identity to next_id(): one short transaction under a lock that is tried for, not waited for.

-- Findings about a column that counts. What widening mends is no obstacle where it is wanted.
CREATE FUNCTION idgen_migrate_serial_findings(relation oid, id_column name, shard bigint, layout id_layout, is_widened boolean)
    RETURNS TABLE (ok boolean, state text, finding text, advice text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text;
    id_type oid;
    largest bigint;
BEGIN
    @SEARCH_OWN_SCHEMA@
    target := idgen_migrate_name(relation);
    SELECT a.atttypid INTO id_type FROM pg_attribute a
     WHERE a.attrelid = relation AND a.attnum = idgen_migrate_column(relation, id_column);
    IF id_type IS NULL OR NOT pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = relation), 'USAGE') THEN
        RETURN;
    END IF;
    IF id_type NOT IN ('bigint'::regtype, 'integer'::regtype, 'smallint'::regtype) THEN
        RETURN QUERY SELECT false, '42804', format('%s.%I is of type %s', target, id_column, format_type(id_type, NULL)),
            'Only integer columns become IDs in place; for uuid see idgen_uuid_start().';
        RETURN;
    END IF;
    RETURN QUERY SELECT is_widened, '42804', format('%s.%I is of type %s, which is too small for IDs', target, id_column, format_type(id_type, NULL)),
        format('Widen it, which writes %s anew under a lock: widen => true', pg_size_pretty(pg_total_relation_size(relation)))
        WHERE id_type <> 'bigint'::regtype;
    RETURN QUERY SELECT is_widened, '42804', format('foreign key %I of %s: %I is of type %s, which is too small for IDs',
               r.constraint_name, idgen_migrate_name(r.child), r.child_column, format_type(r.child_type, NULL)),
        format('Widen it too, which writes %s anew under a lock: widen => true', pg_size_pretty(pg_total_relation_size(r.child)))
        FROM idgen_migrate_references(relation, id_column) r WHERE r.child_type IN ('integer'::regtype, 'smallint'::regtype);
    RETURN QUERY SELECT false, '42501', format('%s references the column and belongs to %I', idgen_migrate_name(r.child), pg_get_userbyid(c.relowner)),
        'Migrate both as a role that owns them.'
        FROM idgen_migrate_references(relation, id_column) r, pg_class c
       WHERE is_widened AND c.oid = r.child AND NOT pg_has_role(c.relowner, 'USAGE');
    RETURN QUERY SELECT false, '42809', format('%s uses %s.%I', pg_describe_object(d.classid, d.objid, 0), target, id_column),
        'A column that a view or rule uses cannot be widened: drop that before, and make it again after.'
        FROM pg_depend d WHERE is_widened AND id_type <> 'bigint'::regtype AND d.refclassid = 'pg_class'::regclass AND d.refobjid = relation
         AND d.refobjsubid = idgen_migrate_column(relation, id_column) AND d.classid = 'pg_rewrite'::regclass;
    IF (SELECT i.wraps FROM id_layout_info(layout) i) THEN
        RETURN QUERY SELECT false, '22023', 'the time of this layout wraps, so new IDs are not larger than all old ones',
            'Use a layout that does not wrap.';
        RETURN;
    END IF;
    EXECUTE format('SELECT max(%I) FROM %s', id_column, target) INTO largest;
    RETURN QUERY SELECT false, '55000', format('%s.%I goes up to %s, past what next_id() makes now', target, id_column, largest),
        'New IDs would be smaller than old ones: use a layout with an earlier epoch or fewer bits of time, or wait.'
        WHERE largest >= id_min(clock_timestamp(), layout);
    RETURN QUERY SELECT true, NULL, 'its identity is dropped, with its sequence', 'New rows count by next_id().'
        FROM pg_attribute a WHERE a.attrelid = relation AND a.attname = id_column AND a.attidentity <> '';
    RETURN QUERY SELECT true, NULL, format('the largest old value is %s, the smallest new one %s', largest, id_min(clock_timestamp(), layout)),
        'Nothing needs to be done.' WHERE largest < id_min(clock_timestamp(), layout);
    RETURN QUERY SELECT true, NULL, 'the switch needs an ACCESS EXCLUSIVE lock for a moment',
        'It is tried for a time (lock_wait) and again, so that nobody queues behind it for long.';
END
$$;

-- The switch itself. False where the lock could not be had in time.
CREATE FUNCTION idgen_migrate_switch_serial(relation oid, id_column name, shard bigint, is_widened boolean, lock_wait interval,
                                            layout id_layout)
    RETURNS boolean
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text;
    sequence oid;
    is_identity boolean;
    children oid[];
    largest bigint;
    next bigint;
    reference record;
    id_type oid;
BEGIN
    @SEARCH_OWN_SCHEMA@
    target := idgen_migrate_name(relation);
    SELECT array_agg(DISTINCT r.child) INTO children FROM idgen_migrate_references(relation, id_column) r
     WHERE is_widened AND r.child <> relation;
    IF NOT idgen_migrate_lock(relation || coalesce(children, '{}'), lock_wait) THEN
        RETURN false;
    END IF;
    SELECT a.attidentity <> '', a.atttypid INTO is_identity, id_type FROM pg_attribute a
     WHERE a.attrelid = relation AND a.attname = id_column;
    sequence := pg_get_serial_sequence(target, id_column)::regclass;
    next := next_id(shard, layout);
    EXECUTE format('SELECT max(%I) FROM %s', id_column, target) INTO largest;
    IF largest >= next THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('%s.%I goes up to %s, past the new ID %s', target, id_column, largest, next),
            DETAIL = 'New IDs would be smaller than old ones.', HINT = 'Use a layout with an earlier epoch, or wait.';
    END IF;
    IF is_widened AND id_type <> 'bigint'::regtype THEN
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I TYPE bigint', target, id_column);
    END IF;
    FOR reference IN SELECT r.child, r.child_column FROM idgen_migrate_references(relation, id_column) r
                      WHERE is_widened AND r.child_type <> 'bigint'::regtype LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I TYPE bigint', idgen_migrate_name(reference.child), reference.child_column);
    END LOOP;
    IF is_identity THEN
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I DROP IDENTITY', target, id_column);
    END IF;
    PERFORM idgen_migrate_set_default(relation, id_column, shard, layout);
    IF sequence IS NOT NULL AND NOT is_identity THEN
        RAISE NOTICE 'the sequence % stays, owned by the column; when nothing else draws from it: DROP SEQUENCE %',
            idgen_migrate_name(sequence), idgen_migrate_name(sequence);
    END IF;
    RETURN true;
END
$$;

CREATE PROCEDURE idgen_replace_serial(relation regclass, id_column name, shard bigint DEFAULT idgen_own_shards(),
                                      widen boolean DEFAULT false, lock_wait interval DEFAULT '2 seconds',
                                      attempts integer DEFAULT 30, layout id_layout DEFAULT 'instagram')
LANGUAGE plpgsql AS $$
DECLARE
    home text := @OWN_SCHEMA@;
    is_done boolean;
BEGIN
    COMMIT;
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_require($1, $2, $3, NULL, $4, 1, $5, $6)', home)
      USING CASE WHEN widen THEN 'widen' ELSE 'serial' END, relation::oid, id_column, shard, layout, 'all';
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_enter($1, $2, $3, $4)', home)
      USING relation::oid, id_column, 'serial', 'locking';
    COMMIT;
    FOR attempt IN 1 .. attempts LOOP
        EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_switch_serial($1, $2, $3, $4, $5, $6)', home)
           INTO is_done USING relation::oid, id_column, shard, widen, lock_wait, layout;
        EXIT WHEN is_done;
        ROLLBACK;
        RAISE NOTICE '% is in use: attempt % of %', relation, attempt, attempts;
        PERFORM pg_catalog.pg_sleep_for(lock_wait);
    END LOOP;
    IF is_done IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'lock_not_available', MESSAGE = pg_catalog.format('%s is in use', relation),
            DETAIL = 'The lock could not be had in any of the attempts. Nothing has been changed.',
            HINT = 'Call it again when no long transaction uses the table.';
    END IF;
    EXECUTE pg_catalog.format('SELECT %s.idgen_migrate_leave($1, $2, %L, NULL)', home, 'done') USING relation::oid, id_column;
    COMMIT;
    RAISE NOTICE '%.% is now made by next_id()', relation, pg_catalog.quote_ident(id_column);
END
$$;

COMMENT ON PROCEDURE idgen_replace_serial(regclass, name, bigint, boolean, interval, integer, id_layout) IS
    'lets next_id() make a column that a serial or an identity made; refuses where new IDs were not larger than all old ones';
COMMENT ON FUNCTION idgen_migrate_serial_findings(oid, name, bigint, id_layout, boolean) IS
    'part of the migration: findings about a column that counts';
COMMENT ON FUNCTION idgen_migrate_switch_serial(oid, name, bigint, boolean, interval, id_layout) IS
    'part of the migration: from a serial to next_id()';
