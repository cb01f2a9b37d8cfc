-- The second half of moving from idgen in SQL alone to the extension, for a superuser. It takes the instant that hand-over.sql printed to the
-- owner, above which the extension's IDs begin:
--
--     psql -X -q -U postgres -d app -v after=2026-11-21T12:00:00.000Z -f sql-only/to-extension.sql
--
-- The extension comes into a new schema, ids, or the one that -v schema=... names. The schema idgen_sql stays: its next_id(), next_ids() and
-- next_id_array() call the extension from here on. If this half fails, it can be run again.
--
-- The owner of idgen_sql may be hostile. So nothing in it is read or called, no text of its owner becomes SQL, and of the catalogs only names
-- and kinds are looked at.
\set ON_ERROR_STOP on
\set QUIET on
\if :{?after}
\else
\set after ''
\endif
\if :{?schema}
\else
\set schema ids
\endif
SET search_path = pg_catalog, pg_temp;
SET sql_only.after = :'after';
SET sql_only.schema = :'schema';

-- The extension, in a schema that no other role may use yet: its horizon is to be raised before its first ID, and after this transaction.
DO $$
DECLARE
    after text := current_setting('sql_only.after');
    target name := current_setting('sql_only.schema');
    stands_in name := (SELECT n.nspname FROM pg_extension e, pg_namespace n WHERE e.extname = 'idgen' AND n.oid = e.extnamespace);
    grantee text;
    missing text;
BEGIN
    IF to_regprocedure('idgen_sql.next_id(bigint, text)') IS NULL OR to_regprocedure('idgen_sql.next_ids(bigint, bigint, text)') IS NULL
       OR to_regprocedure('idgen_sql.next_id_array(integer, bigint, text)') IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'undefined_function', MESSAGE = 'idgen in SQL alone is not in this database',
            DETAIL = 'There is no idgen_sql.next_id(), next_ids() or next_id_array().', HINT = 'Connect to the database where it is.';
    ELSIF EXISTS (SELECT FROM pg_class c, pg_namespace n
                   WHERE n.nspname = 'idgen_sql' AND c.relnamespace = n.oid AND c.relkind = 'S' AND c.relname ~ '^idgen_numbers_[0-9]+$'::text) THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'idgen in SQL alone has not been handed over',
            DETAIL = 'It still makes IDs.', HINT = 'Have the owner of schema idgen_sql run sql-only/hand-over.sql, which prints the instant for -v after=...';
    ELSIF after !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$'::text THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'after is not an instant as hand-over.sql prints it',
            DETAIL = format('It is "%s".', after), HINT = 'Give it as -v after=2026-11-21T12:00:00.000Z.';
    ELSIF after::timestamptz > clock_timestamp() + '1 hour'::interval THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('after is %s, more than an hour ahead of the clock', after),
            DETAIL = 'No ID could be made until then, by any role in this database.',
            HINT = 'Correct the clock if it is behind. Otherwise set idgen.shards to numbers that have made no IDs, and give the present time as after.';
    ELSIF stands_in IS NULL THEN
        EXECUTE format('CREATE SCHEMA %I', target);
        FOR grantee IN SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
                         FROM pg_namespace n, aclexplode(n.nspacl) a WHERE n.nspname = target AND a.grantee <> n.nspowner LOOP
            EXECUTE format('REVOKE ALL ON SCHEMA %I FROM %s', target, grantee);
        END LOOP;
        EXECUTE format('CREATE EXTENSION idgen SCHEMA %I', target);
    ELSIF stands_in <> target OR EXISTS (SELECT FROM pg_namespace n, pg_roles r, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
                                          WHERE n.nspname = target AND r.oid = n.nspowner AND (a.grantee <> n.nspowner OR NOT r.rolsuper)) THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('the extension idgen is in this database already, in schema "%s"', stands_in),
            DETAIL = 'It must be created in a schema that no role may use yet, so that it makes no IDs before it takes over.',
            HINT = 'If nothing uses it, DROP EXTENSION idgen, and run this again.';
    END IF;

    -- What is called from here on is found by name. If the extension was there before, its schema idgen may have been renamed or given
    -- away, and another made: so each name must stand for a function in C of the extension, and only superusers have it in hand.
    SELECT string_agg(c.called, ', ') INTO missing
      FROM unnest(ARRAY['idgen.advance(timestamptz, boolean)', 'idgen.own_shards()', format('%I.next_id(bigint, %1$I.id_layout)', target),
                        format('%I.next_ids(bigint, bigint, %1$I.id_layout)', target), format('%I.next_id_array(integer, bigint, %1$I.id_layout)', target)]) AS c(called)
     WHERE NOT EXISTS (SELECT FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner JOIN pg_language l ON l.oid = p.prolang
                         JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_roles o ON o.oid = n.nspowner
                         JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
                         JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
                        WHERE p.oid = to_regprocedure(c.called) AND r.rolsuper AND o.rolsuper AND l.lanname = 'c' AND e.extname = 'idgen');
    IF missing IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('not a function of the extension, or not owned by superusers only: %s', missing),
            DETAIL = 'This session would run what another role wrote.',
            HINT = 'If nothing uses the extension, DROP EXTENSION idgen, drop or rename the schema idgen, and run this again.';
    END IF;
END
$$;

BEGIN;
SELECT idgen.advance(current_setting('sql_only.after')::timestamptz) \g /dev/null
-- The planner puts the extension's function in place of the call. Owner and rights stay as they are.
CREATE OR REPLACE FUNCTION idgen_sql.next_id(shard bigint DEFAULT idgen.own_shards(), layout text DEFAULT 'instagram') RETURNS bigint
    LANGUAGE sql VOLATILE
    RETURN :"schema".next_id(shard, CAST(layout AS :"schema".id_layout));
CREATE OR REPLACE FUNCTION idgen_sql.next_ids(count bigint, shard bigint DEFAULT idgen.own_shards(), layout text DEFAULT 'instagram') RETURNS SETOF bigint
    LANGUAGE sql VOLATILE ROWS 1000
    BEGIN ATOMIC SELECT :"schema".next_ids(count, shard, CAST(layout AS :"schema".id_layout)); END;
CREATE OR REPLACE FUNCTION idgen_sql.next_id_array(count integer, shard bigint DEFAULT idgen.own_shards(), layout text DEFAULT 'instagram') RETURNS bigint[]
    LANGUAGE sql VOLATILE
    RETURN :"schema".next_id_array(count, shard, CAST(layout AS :"schema".id_layout));
GRANT USAGE ON SCHEMA :"schema" TO PUBLIC;
COMMIT;
