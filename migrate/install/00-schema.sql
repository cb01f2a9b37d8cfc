-- idgen_migrate: moves existing tables to idgen's IDs; a tool for one job, dropped when that is done.
--
-- Functions have SET search_path, or BEGIN ATOMIC if they stand for a function of idgen. A procedure that commits can
-- have neither: it sets the path as its first statement and after each COMMIT, in words that tools/install-script writes.

-- Only a superuser may have rights in the schema, before or later. What default privileges give in one that was just made is taken
-- back at the end: nobody else has seen it.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) n.nspowner
                WHERE n.nspname OPERATOR(pg_catalog.=) 'idgen_migrate'::pg_catalog.name
                  AND (NOT r.rolsuper
                       OR n.xmin OPERATOR(pg_catalog.<>) (SELECT e.xmin FROM pg_catalog.pg_extension e WHERE e.extname OPERATOR(pg_catalog.=) 'idgen_migrate'::pg_catalog.name)
                          AND EXISTS (SELECT FROM pg_catalog.aclexplode(n.nspacl) a WHERE a.grantee OPERATOR(pg_catalog.<>) n.nspowner
                                         AND a.privilege_type OPERATOR(pg_catalog.=) 'CREATE'::pg_catalog.text)
                       OR EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.refobjid OPERATOR(pg_catalog.=) n.oid
                                     AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_namespace'::pg_catalog.regclass::pg_catalog.oid
                                     AND d.classid OPERATOR(pg_catalog.<>) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid))) THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = 'the schema idgen_migrate is not empty, or roles that are not superusers own it or may create in it',
            DETAIL = 'Roles that migrate tables would call what is in it.',
            HINT = 'Drop the schema, or rename it: CREATE EXTENSION creates it.';
    END IF;
END
$$;

-- A finding about a table, with advice. The state of one is the SQLSTATE of the error that it becomes.
CREATE TYPE idgen_migrate.finding AS (ok boolean, state text, finding text, advice text);

-- The statements of a backfill.
CREATE TYPE idgen_migrate.backfill_text AS (target text, at text, rank_head text, rank_tail text, exists_text text, taken_text text, update_text text, moved_text text);

COMMENT ON TYPE idgen_migrate.finding IS 'something about a table that speaks for or against a migration';
COMMENT ON TYPE idgen_migrate.backfill_text IS 'the statements of a backfill';
