\echo Use "ALTER EXTENSION idgen_registry UPDATE" to load this file. \quit
-- Every object stays as it is.
