\echo Use "ALTER EXTENSION idgen_lease UPDATE" to load this file. \quit
-- Every object stays as it is: what must be there is the library. Both libraries are of one version.
SELECT idgen.require_library('1.0.0'::pg_catalog.text);
