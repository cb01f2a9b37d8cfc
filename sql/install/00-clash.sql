-- idgen: the install script, one part a file. Everything goes to the schema that CREATE EXTENSION chose. That schema
-- stands behind pg_catalog in search_path meanwhile, and others may have made operators and functions in it: so each is
-- qualified, or takes exactly the types that it is given.
\echo Use "CREATE EXTENSION idgen" to load this file. \quit

-- A function of the same name in this schema would make calls ambiguous, and a type would be another's: say so before
-- anything else.
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
            DETAIL = 'Beside those of idgen, calls of them would be ambiguous.',
            HINT = 'Put idgen into a schema of its own: CREATE SCHEMA idgen; CREATE EXTENSION idgen SCHEMA idgen. '
                   'Or rename them: ALTER FUNCTION (or TYPE) ... RENAME TO ...';
    END IF;
END
$$;

-- Without preload the server knows no idgen.keys: it takes any value for a database or a role, and shows it to everybody.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_db_role_setting s, pg_catalog.unnest(s.setconfig) c(entry)
                WHERE pg_catalog.starts_with(pg_catalog.lower(c.entry), 'idgen.keys='::pg_catalog.text)) THEN
        RAISE WARNING USING
            MESSAGE = 'idgen.keys is set for a database or a role, where everybody reads it',
            DETAIL = 'Such keys are not taken.',
            HINT = 'Take it out (ALTER DATABASE or ALTER ROLE ... RESET idgen.keys), make new keys, and set them in a file of the server''s configuration.';
    END IF;
END
$$;
