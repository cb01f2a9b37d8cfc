-- idgen_kinds @VERSION@: the other kinds of IDs, from the library of idgen. All goes to the schema that CREATE EXTENSION chose.
SELECT idgen.require_library('@VERSION@'::pg_catalog.text);
