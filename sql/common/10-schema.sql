-- The schema @EXTENSION@, for what is not typed every day: made here; or adopted, if it is empty and belongs to the
-- role that makes the extension, since what ORMs dump makes schemas before extensions. No other role may have rights in
-- it, before or later.
DO $$
DECLARE
    home pg_catalog.oid := (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname OPERATOR(pg_catalog.=) '@EXTENSION@'::pg_catalog.name);
    take_back pg_catalog.text;
BEGIN
    IF '@extschema@'::pg_catalog.regnamespace::pg_catalog.oid OPERATOR(pg_catalog.=) home THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_schema_name',
            MESSAGE = 'the schema @EXTENSION@ cannot be chosen for the extension @EXTENSION@',
            DETAIL = 'The extension keeps its administration in that schema. The schema that you choose is for what is typed every day, such as next_id().',
            HINT = 'Choose another: CREATE SCHEMA ids; CREATE EXTENSION @EXTENSION@ SCHEMA ids. Drop the schema @EXTENSION@, if it is empty.';
    ELSIF home IS NULL THEN
        CREATE SCHEMA @EXTENSION@;
    ELSIF EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.refobjid OPERATOR(pg_catalog.=) home
                     AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_namespace'::pg_catalog.regclass::pg_catalog.oid)
       OR EXISTS (SELECT FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) n.nspowner
                   WHERE n.oid OPERATOR(pg_catalog.=) home
                     AND (r.rolname OPERATOR(pg_catalog.<>) CURRENT_USER
                          OR EXISTS (SELECT FROM pg_catalog.aclexplode(n.nspacl) a WHERE a.grantee OPERATOR(pg_catalog.<>) n.nspowner
                                        AND a.privilege_type OPERATOR(pg_catalog.=) 'CREATE'::pg_catalog.text))) THEN
        RAISE EXCEPTION USING ERRCODE = 'duplicate_schema',
            MESSAGE = 'the schema @EXTENSION@ is not empty, or other roles own it or may create in it',
            DETAIL = 'The extension makes this schema itself, for its administration. It takes one that is there only if it is empty, yours, and nobody else may create in it.',
            HINT = 'Drop the schema, or rename it: ALTER SCHEMA @EXTENSION@ RENAME TO ...';
    ELSE
        ALTER EXTENSION @EXTENSION@ ADD SCHEMA @EXTENSION@;
    END IF;
    FOR take_back IN
        SELECT pg_catalog.format('REVOKE ALL ON SCHEMA @EXTENSION@ FROM %s CASCADE', coalesce(pg_catalog.quote_ident(r.rolname), 'PUBLIC'::pg_catalog.text))
          FROM pg_catalog.pg_namespace n, pg_catalog.aclexplode(n.nspacl) a
          LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) a.grantee
         WHERE n.nspname OPERATOR(pg_catalog.=) '@EXTENSION@'::pg_catalog.name AND a.grantee OPERATOR(pg_catalog.<>) n.nspowner
    LOOP
        EXECUTE take_back;
    END LOOP;
END
$$;
GRANT USAGE ON SCHEMA @EXTENSION@ TO PUBLIC;
COMMENT ON SCHEMA @EXTENSION@ IS 'administration of the extension @EXTENSION@';
