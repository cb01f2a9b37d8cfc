-- A function of the same name in the chosen schema would make calls ambiguous, and a type would be another one: said
-- before anything else.
DO $$
DECLARE
    clash text;
    has_function boolean;
BEGIN
    SELECT pg_catalog.string_agg(c.name, ', '::pg_catalog.text ORDER BY c.name), pg_catalog.bool_or(c.is_function) INTO clash, has_function
      FROM (SELECT p.oid::pg_catalog.regprocedure::pg_catalog.text, true FROM pg_catalog.pg_proc p
             WHERE p.pronamespace OPERATOR(pg_catalog.=) '@extschema@'::pg_catalog.regnamespace::pg_catalog.oid
               AND p.proname OPERATOR(pg_catalog.=) ANY ('{@FUNCTION_NAMES@}'::pg_catalog.name[])
            UNION ALL
            SELECT pg_catalog.concat('type '::pg_catalog.text, t.oid::pg_catalog.regtype::pg_catalog.text), false FROM pg_catalog.pg_type t
             WHERE t.typnamespace OPERATOR(pg_catalog.=) '@extschema@'::pg_catalog.regnamespace::pg_catalog.oid
               AND t.typname OPERATOR(pg_catalog.=) ANY ('{@TYPE_NAMES@}'::pg_catalog.name[])) c(name, is_function);
    IF clash IS NOT NULL THEN
        RAISE EXCEPTION USING
            ERRCODE = CASE WHEN has_function THEN 'duplicate_function' ELSE 'duplicate_object' END,
            MESSAGE = pg_catalog.concat(CASE WHEN has_function THEN 'functions' ELSE 'types' END, ' of the same name exist in schema @extschema@: '::pg_catalog.text, clash),
            DETAIL = 'Beside those of @EXTENSION@, calls of them would be ambiguous.',
            HINT = 'Put it into a schema of its own: CREATE SCHEMA ids; CREATE EXTENSION @EXTENSION@ SCHEMA ids. '
                   'Or rename them: ALTER FUNCTION (or TYPE) ... RENAME TO ...';
    END IF;
END
$$;
