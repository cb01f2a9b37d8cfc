-- Rows that a publication FOR ALL TABLES sends are those of another registry: with them this one would give its shards and numbers again. So
-- what a subscription applies changes no table. A trigger cannot leave a TRUNCATE out, so that stops the subscription. No publication has
-- the table taken, which is unlogged. What a client restores in that mode comes along, and is refused as a copy.
CREATE FUNCTION idgen_registry.keep_own() RETURNS trigger
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- Who may not see what its own process is: a worker from 16 on, which runs as the owner of the table, and a client after SET ROLE.
    IF NOT EXISTS (SELECT FROM pg_stat_subscription WHERE pid = pg_backend_pid())
       AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = pg_backend_pid() AND backend_type <> 'client backend') THEN
        RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    END IF;
    IF TG_OP = 'TRUNCATE' THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('replication must not empty %s', TG_RELID::regclass),
            DETAIL = 'This registry would give the shards and numbers again that it has given.',
            HINT = 'ALTER SUBSCRIPTION ... SKIP (lsn = ...) leaves that transaction out: CONTEXT says where it finished. Repeat here what else it did. A publication of other tables sends none.';
    END IF;
    RETURN NULL;
END
$$;

-- Such a restore leaves them off under replication. Until they are on again, refuse_copy() lets nothing be granted.
CREATE FUNCTION idgen_registry.commands_to_keep() RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN ARRAY(SELECT format('ALTER TABLE %s ENABLE REPLICA TRIGGER %I', t.tgrelid::regclass, t.tgname) FROM pg_trigger t
                  WHERE t.tgrelid = ANY ('{idgen_registry.creation,idgen_registry.registry,idgen_registry.lease,idgen_registry.counter}'::regclass[])
                    AND t.tgname IN ('keep_own', 'keep_all') AND t.tgenabled NOT IN ('R', 'A') ORDER BY t.tgrelid, t.tgname);
END
$$;
COMMENT ON FUNCTION idgen_registry.commands_to_keep() IS 'what turns the triggers on that keep replicated rows out, of those that are off';

CREATE FUNCTION idgen_registry.keep_again() RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    command text;
BEGIN
    FOREACH command IN ARRAY idgen_registry.commands_to_keep() LOOP
        EXECUTE command;
    END LOOP;
END
$$;
COMMENT ON FUNCTION idgen_registry.keep_again() IS 'turns them on';

COMMENT ON FUNCTION idgen_registry.keep_own() IS 'drops a row that replication brings, and is an error if it would empty a table';

-- In no other session, also if a restore with --disable-triggers has turned them on for ordinary ones: the calls would write nothing there,
-- and give numbers again. Where they do fire, begin_write() lets no call write.
DO $$
DECLARE
    kept regclass;
BEGIN
    FOREACH kept IN ARRAY '{idgen_registry.creation,idgen_registry.registry,idgen_registry.lease,idgen_registry.counter}'::regclass[] LOOP
        EXECUTE format('CREATE TRIGGER keep_own BEFORE INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW '
            'WHEN (current_setting(''session_replication_role'') = ''replica'') EXECUTE FUNCTION idgen_registry.keep_own()', kept);
        EXECUTE format('CREATE TRIGGER keep_all BEFORE TRUNCATE ON %s FOR EACH STATEMENT '
            'WHEN (current_setting(''session_replication_role'') = ''replica'') EXECUTE FUNCTION idgen_registry.keep_own()', kept);
        EXECUTE format('ALTER TABLE %s ENABLE REPLICA TRIGGER keep_own, ENABLE REPLICA TRIGGER keep_all', kept);
        EXECUTE format('COMMENT ON TRIGGER keep_own ON %s IS ''keeps the rows those of this registry''', kept);
        EXECUTE format('COMMENT ON TRIGGER keep_all ON %s IS ''keeps a TRUNCATE of another registry out''', kept);
    END LOOP;
END
$$;
