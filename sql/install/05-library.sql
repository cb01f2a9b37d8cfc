-- A library that the server loaded before its file was exchanged lacks what follows: said before anything else fails. An
-- update script begins with the same call, for the version that it leads to.
CREATE FUNCTION idgen.require_library(version text) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_require_library' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
SELECT idgen.require_library('@VERSION@'::pg_catalog.text);

COMMENT ON FUNCTION idgen.require_library(text) IS
    'an error if the server runs an earlier library than that version; install and update scripts begin with it';
