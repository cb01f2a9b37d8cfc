-- From serial and identity to next_id(): one short transaction under a lock that is tried for, not waited for.

-- Findings about a column that counts. What widening mends is not an obstacle if it is wanted.
CREATE FUNCTION idgen_migrate.serial_findings(relation oid, id_column name, layout id_layout, is_widened boolean) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    id_type oid := idgen_migrate.column_type(relation, id_column);
    advice text := ' Or move the key by a new column: CALL idgen_migrate.uuid_start(...).';
BEGIN
    RETURN QUERY SELECT false, '42804', format('%s.%I is of type %s', target, id_column, format_type(id_type, NULL)),
        'Only integer columns become IDs in place; for uuid see idgen_migrate.uuid_start().'
        WHERE id_type NOT IN ('bigint'::regtype, 'integer'::regtype, 'smallint'::regtype);
    RETURN QUERY SELECT is_widened, '42804', format('%s.%I is of type %s, which is too small for IDs', target, id_column, format_type(id_type, NULL)),
        format('Widen it, which rewrites %s under a lock: widen => true.', pg_size_pretty(pg_total_relation_size(relation))) || advice
        WHERE id_type IN ('integer'::regtype, 'smallint'::regtype);
    RETURN QUERY SELECT is_widened, '42804', format('foreign key %I of %s: %I is of type %s, which is too small for IDs',
               r.constraint_name, idgen_migrate.name_of(r.child), r.child_column, format_type(r.child_type, NULL)),
        format('Widen it too, which rewrites %s under a lock: widen => true.', pg_size_pretty(pg_total_relation_size(r.child))) || advice
        FROM idgen_migrate.references_to(relation, id_column) r WHERE r.child_type IN ('integer'::regtype, 'smallint'::regtype);
    RETURN QUERY SELECT false, '42809', format('%s uses %s.%I', pg_describe_object(d.classid, d.objid, 0), target, id_column),
        'A column that a view or rule uses cannot be widened: drop that before, and make it again after.'
        FROM pg_depend d WHERE is_widened AND id_type <> 'bigint'::regtype AND d.refclassid = 'pg_class'::regclass AND d.refobjid = relation
         AND d.refobjsubid = idgen_migrate.column_number(relation, id_column) AND d.classid = 'pg_rewrite'::regclass;
    RETURN QUERY SELECT false, '22023', 'the time of this layout wraps, so new IDs are not larger than all old ones',
        'Use a layout that does not wrap.' FROM idgen_migrate.layout_limits(layout) i WHERE i.wraps;
    RETURN QUERY SELECT true, NULL, 'its identity is dropped, with its sequence', 'New rows count by next_id().'
        FROM pg_attribute a WHERE a.attrelid = relation AND a.attname = id_column AND a.attidentity <> '';
    RETURN QUERY SELECT true, NULL, 'the switch needs an ACCESS EXCLUSIVE lock for a moment',
        'It is tried for a time (lock_wait) and again, so that nobody queues behind it for long.';
END
$$;

-- Findings about the largest number; reads it by its index, or the whole table.
CREATE FUNCTION idgen_migrate.largest_findings(relation oid, id_column name, layout id_layout) RETURNS SETOF idgen_migrate.finding
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    smallest bigint := idgen_migrate.first_id(clock_timestamp(), layout);
    largest bigint;
BEGIN
    EXECUTE format('SELECT max(%I) FROM ONLY %s', id_column, target) INTO largest;
    RETURN QUERY SELECT false, '55000', format('%s.%I goes up to %s, past what next_id() makes now', target, id_column, largest),
        'New IDs would be smaller than old ones: use a layout with an earlier epoch or fewer bits of time, or wait.' WHERE largest >= smallest;
    RETURN QUERY SELECT true, NULL, format('the largest old value is %s, the smallest new one %s', largest, smallest),
        'Nothing needs to be done.' WHERE largest < smallest;
END
$$;

-- The switch itself, under its locks.
CREATE FUNCTION idgen_migrate.switch_serial(relation oid, id_column name, shard bigint, is_widened boolean, layout id_layout) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target text := idgen_migrate.name_of(relation);
    sequence oid := pg_get_serial_sequence(target, id_column)::regclass;
    next bigint := (idgen_migrate.new_ids(1, shard, layout))[1];
    is_identity boolean;
    largest bigint;
    one record;
BEGIN
    EXECUTE format('SELECT max(%I) FROM ONLY %s', id_column, target) INTO largest;
    IF largest >= next THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = format('%s.%I goes up to %s, past the new ID %s', target, id_column, largest, next),
            DETAIL = 'New IDs would be smaller than old ones.', HINT = 'Use a layout with an earlier epoch, or wait.';
    END IF;
    FOR one IN SELECT r.child, r.child_column FROM idgen_migrate.references_to(relation, id_column) r WHERE r.child_type <> 'bigint'::regtype
               UNION SELECT relation, id_column LOOP
        IF is_widened AND idgen_migrate.column_type(one.child, one.child_column) <> 'bigint'::regtype THEN
            EXECUTE format('ALTER TABLE %s ALTER COLUMN %I TYPE bigint', idgen_migrate.name_of(one.child), one.child_column);
        END IF;
    END LOOP;
    SELECT a.attidentity <> '' INTO is_identity FROM pg_attribute a WHERE a.attrelid = relation AND a.attname = id_column;
    IF is_identity THEN
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I DROP IDENTITY', target, id_column);
    END IF;
    PERFORM idgen_migrate.set_default(relation, id_column, shard, layout);
    IF sequence IS NOT NULL AND NOT is_identity THEN
        -- Clients set the sequence that pg_get_serial_sequence() names to the largest key, and IDs are out of its bounds. What
        -- Citus has distributed is left as it is.
        IF NOT EXISTS (SELECT FROM idgen_migrate.citus_table(relation)) THEN
            EXECUTE format('ALTER SEQUENCE %s OWNED BY NONE', idgen_migrate.name_of(sequence));
        END IF;
        RAISE NOTICE 'the sequence % stays; when nothing else draws from it: DROP SEQUENCE %',
            idgen_migrate.name_of(sequence), idgen_migrate.name_of(sequence);
    END IF;
END
$$;

CREATE PROCEDURE idgen_migrate.replace_serial(relation regclass, id_column name, shard bigint DEFAULT idgen.own_shards(),
                                              widen boolean DEFAULT false, lock_wait interval DEFAULT '2 seconds',
                                              attempts integer DEFAULT 30, layout id_layout DEFAULT 'instagram')
LANGUAGE plpgsql AS $$
DECLARE
    kind text;
BEGIN
    @PIN@
    CALL idgen_migrate.refuse_block();
    kind := CASE WHEN widen THEN 'widen' ELSE 'serial' END;
    PERFORM idgen_migrate.require(kind, relation, id_column, NULL, shard, 1, layout, 'all');
    PERFORM idgen_migrate.enter(relation, id_column, 'serial', 'locking');
    @COMMIT@
    CALL idgen_migrate.try(kind, relation, id_column, NULL, NULL, shard, lock_wait, attempts, layout);
    PERFORM idgen_migrate.leave(relation, id_column, 'done');
    RAISE NOTICE '%.% is now made by next_id()', idgen_migrate.name_of(relation), quote_ident(id_column);
END
$$;

COMMENT ON FUNCTION idgen_migrate.serial_findings(oid, name, id_layout, boolean) IS 'findings about a column that counts';
COMMENT ON FUNCTION idgen_migrate.largest_findings(oid, name, id_layout) IS 'findings about the largest number of a column';
COMMENT ON FUNCTION idgen_migrate.switch_serial(oid, name, bigint, boolean, id_layout) IS 'from a serial to next_id()';
COMMENT ON PROCEDURE idgen_migrate.replace_serial(regclass, name, bigint, boolean, interval, integer, id_layout) IS
    'lets next_id(), with shard and layout, make id_column of relation, which a serial or an identity made; refuses if new IDs would not be larger than all old ones. widen: from integer to bigint first. Its locks are tried for lock_wait at a time, attempts times';
