-- The registry of idgen @VERSION@, the same as CREATE EXTENSION idgen_registry makes, for a server on which no extension can be installed:
-- psql -f idgen_registry.sql, as the role that is to own it. That role may create schemas in the database, and roles unless the role
-- idgen_node is there. All or nothing.
BEGIN;
SET LOCAL search_path = pg_catalog, pg_temp;
CREATE SCHEMA idgen_registry;
