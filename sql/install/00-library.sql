-- idgen: the install script, one subject a file, after those in sql/common. What is typed every day goes to the schema that
-- CREATE EXTENSION chose, all else to the schema idgen. The first stands behind pg_catalog in search_path meanwhile, and
-- others may have made operators and functions in it: so each is qualified, or takes exactly the types that it is given.

-- Without preload the server knows no idgen.keys: it takes any value for a database or a role, and shows it to every
-- role.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_db_role_setting s, pg_catalog.unnest(s.setconfig) c(entry)
                WHERE pg_catalog.starts_with(pg_catalog.lower(c.entry), 'idgen.keys='::pg_catalog.text)) THEN
        RAISE WARNING USING
            MESSAGE = 'idgen.keys is set for a database or a role, where every role can read it',
            DETAIL = 'Such keys are not used.',
            HINT = 'Take it out (ALTER DATABASE or ALTER ROLE ... RESET idgen.keys), make new keys, and set them in a file of the server''s configuration.';
    END IF;
END
$$;

-- A library that the server loaded before its file was exchanged lacks what follows: said before anything else fails. An
-- update script begins with the same call, for the version that it leads to.
CREATE FUNCTION idgen.require_library(version text) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_require_library' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
SELECT idgen.require_library('@VERSION@'::pg_catalog.text);

COMMENT ON FUNCTION idgen.require_library(text) IS
    'an error if the server runs an earlier library than that version; install and update scripts begin with it';
