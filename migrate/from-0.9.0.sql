\echo Use "ALTER EXTENSION idgen_migrate UPDATE" to load this file. \quit
-- What of 0.9.0 has other arguments or results now. The parts of the install script follow, which replace the rest; the table of
-- migrations and what begun ones have written there stay.
DROP FUNCTION idgen_migrate.lock_tables(oid[], interval);
DROP FUNCTION idgen_migrate.step(text, oid, name, oid, name, bigint, interval, id_layout);
DROP FUNCTION idgen_migrate.tables_of_step(text, oid, oid);
DROP FUNCTION idgen_migrate.switch_serial(oid, name, bigint, boolean, id_layout);
DROP PROCEDURE idgen_migrate.try(text, oid, name, oid, name, bigint, interval, integer, id_layout);
DROP FUNCTION idgen_migrate.comparison(oid, name);
