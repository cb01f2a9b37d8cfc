\echo Use "ALTER EXTENSION idgen UPDATE" to load this file. \quit
-- Every object stays as it is: what must be there is the library.
SELECT idgen.require_library('1.0.0'::pg_catalog.text);
