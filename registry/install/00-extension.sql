-- idgen_registry @VERSION@: shards that nodes with idgen hold for a time, at most one node each. In SQL alone.

SET LOCAL search_path = pg_catalog, pg_temp;

-- Its functions run with their owner's rights, so only a superuser may have rights in the schema, before or later. What default
-- privileges give in one that was just made is taken back at the end: nobody else has seen it.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner
                WHERE n.nspname = 'idgen_registry'
                  AND (NOT r.rolsuper
                       OR n.xmin <> (SELECT e.xmin FROM pg_extension e WHERE e.extname = 'idgen_registry')
                          AND EXISTS (SELECT FROM aclexplode(n.nspacl) a WHERE a.grantee <> n.nspowner AND a.privilege_type = 'CREATE')
                       OR EXISTS (SELECT FROM pg_depend d WHERE d.refobjid = n.oid AND d.refclassid = 'pg_namespace'::regclass
                                     AND d.classid <> 'pg_extension'::regclass))) THEN
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
            MESSAGE = 'the schema idgen_registry is not empty, or roles that are not superusers own it or may create in it',
            DETAIL = 'What is in it would be called with the rights of the role that creates the extension.',
            HINT = 'Drop the schema, or rename it: CREATE EXTENSION creates it.';
    END IF;
END
$$;
