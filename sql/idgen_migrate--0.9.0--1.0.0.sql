\echo Use "ALTER EXTENSION idgen_migrate UPDATE" to load this file. \quit
-- Every object stays as it is.
