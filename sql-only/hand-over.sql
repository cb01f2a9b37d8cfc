-- The first half of moving to the extension, for the owner of idgen in SQL alone. It ends the making of IDs and prints an instant above all of
-- them. The second half, to-extension.sql, takes that instant: a superuser runs it, and reads nothing that belongs to the owner.
--
--     after=$(psql -X -q -U owner -d app -f sql-only/hand-over.sql) &&
--     psql -X -q -U postgres -d app -v after="$after" -f sql-only/to-extension.sql
--
-- Between the two, next_id() raises an error. If this half fails, nothing has changed. Run again, it prints the same instant.
\set ON_ERROR_STOP on
\set QUIET on
\pset format unaligned
\pset tuples_only on
SET search_path = pg_catalog, pg_temp;

BEGIN ISOLATION LEVEL READ COMMITTED;
-- What is in the schema runs with the rights of this session, and neither SET ROLE nor SET SESSION AUTHORIZATION takes a superuser's
-- rights away for good. So nothing in the schema is looked at until this is known.
DO $$
DECLARE
    owner name := (SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'idgen_sql');
    other text;
BEGIN
    SELECT pg_describe_object(o.class, o.oid, 0) INTO other
      FROM (SELECT 'pg_class'::regclass AS class, oid, relnamespace AS namespace, relowner AS role FROM pg_class
            UNION ALL SELECT 'pg_proc'::regclass, oid, pronamespace, proowner FROM pg_proc
            UNION ALL SELECT 'pg_type'::regclass, oid, typnamespace, typowner FROM pg_type) AS o
     WHERE o.namespace = to_regnamespace('idgen_sql') AND pg_get_userbyid(o.role) <> owner LIMIT 1;
    IF owner IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_schema_name', MESSAGE = 'idgen in SQL alone is not in this database',
            DETAIL = 'There is no schema idgen_sql.', HINT = 'Connect to the database where it is.';
    ELSIF owner <> current_user THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = 'only the owner of schema idgen_sql hands it over',
            DETAIL = format('The schema belongs to %I.', owner), HINT = format('Connect as %I, and run this again.', owner);
    ELSIF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = owner)
          AND EXISTS (SELECT FROM pg_roles s, pg_stat_get_activity(pg_backend_pid()) a
                       WHERE s.rolsuper AND (pg_has_role(session_user, s.oid, 'MEMBER') OR pg_has_role(a.usesysid, s.oid, 'MEMBER'))) THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = 'this session was started by a role with the rights of a superuser',
            DETAIL = 'An object in the schema could use these rights.', HINT = format('Connect as %I, and run this again.', owner);
    ELSIF other IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = format('%s does not belong to %I', other, owner),
            DETAIL = 'All objects in schema idgen_sql must belong to its owner.', HINT = 'Drop it, move it, or change its owner.';
    ELSIF EXISTS (SELECT FROM pg_namespace n, aclexplode(n.nspacl) a WHERE n.nspname = 'idgen_sql' AND a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner) THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = 'other roles may create objects in schema idgen_sql',
            DETAIL = 'One could put an object there while this runs.', HINT = 'REVOKE CREATE ON SCHEMA idgen_sql from all roles but its owner.';
    ELSIF NOT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'idgen') THEN
        RAISE EXCEPTION USING ERRCODE = 'feature_not_supported', MESSAGE = 'this server does not have the extension idgen',
            DETAIL = 'Nothing could make IDs after this.', HINT = 'Install the extension on the server first.';
    END IF;
END
$$;

-- ALTER SEQUENCE waits for the transactions that have drawn IDs, and lets no session draw until this one is over. The sequences then go: a session
-- that was about to draw from one gets an error, once.
DO $$
DECLARE
    slot idgen_sql.idgen_shard;
    end_ms bigint := 946684800000;
    sequences text[] := '{}';
    command text;
BEGIN
    IF to_regclass('idgen_sql.idgen_handed_over') IS NOT NULL THEN
        RETURN;
    END IF;
    LOCK TABLE idgen_sql.idgen_shard IN SHARE ROW EXCLUSIVE MODE;
    FOR slot IN SELECT DISTINCT ON (s.numbers) * FROM idgen_sql.idgen_shard s ORDER BY s.numbers LOOP
        EXECUTE format('ALTER SEQUENCE %s OWNED BY NONE', slot.numbers);
        -- Up to a whole ms: so the extension begins above a last tick that ends within one.
        end_ms := greatest(end_ms, ceil((slot.form).epoch_ms + ((pg_sequence_last_value(slot.numbers::regclass) >> (slot.form).sequence_bits) + 1) * (slot.form).unit_ms::numeric));
    END LOOP;
    -- Those of no row, which a dump without data has brought, too.
    sequences := ARRAY(SELECT oid::regclass::text FROM pg_class
                        WHERE relnamespace = 'idgen_sql'::regnamespace AND relkind = 'S' AND relname ~ '^idgen_numbers_[0-9]+$'::text);

    FOREACH command IN ARRAY ARRAY[
        'next_id(shard bigint DEFAULT idgen_sql.idgen_own_shards(), layout text DEFAULT ''instagram'') RETURNS bigint',
        'next_ids(count bigint, shard bigint DEFAULT idgen_sql.idgen_own_shards(), layout text DEFAULT ''instagram'') RETURNS SETOF bigint ROWS 1000',
        'next_id_array(count integer, shard bigint DEFAULT idgen_sql.idgen_own_shards(), layout text DEFAULT ''instagram'') RETURNS bigint[]',
        'idgen_set_shards(shards text, layout text DEFAULT ''instagram'') RETURNS void'] LOOP
        EXECUTE format('CREATE OR REPLACE FUNCTION idgen_sql.%s LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS %L', command, $body$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'idgen in SQL alone has been handed over to the extension',
        DETAIL = 'It makes no IDs any more, and its shards are those of the setting idgen.shards.',
        HINT = 'If next_id() says this, have a superuser run sql-only/to-extension.sql.';
END
$body$);
    END LOOP;
    CREATE OR REPLACE FUNCTION idgen_sql.idgen_slot(shard bigint, layout text) RETURNS idgen_sql.idgen_slot LANGUAGE sql STABLE PARALLEL SAFE
        RETURN NULL::idgen_sql.idgen_slot;
    FOREACH command IN ARRAY sequences LOOP
        EXECUTE format('DROP SEQUENCE %s', command);
    END LOOP;

    CREATE TABLE idgen_sql.idgen_handed_over (after timestamptz NOT NULL);
    COMMENT ON TABLE idgen_sql.idgen_handed_over IS 'the instant that no ID has reached';
    PERFORM idgen_sql.idgen_make_private('{idgen_sql.idgen_handed_over}');
    INSERT INTO idgen_sql.idgen_handed_over VALUES ('1970-01-01 00:00:00+00'::timestamptz + end_ms * '1 ms'::interval);
END
$$;
COMMIT;

SELECT to_char(after AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') FROM idgen_sql.idgen_handed_over;
