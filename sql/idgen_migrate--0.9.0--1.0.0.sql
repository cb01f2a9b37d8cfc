\echo Use "ALTER EXTENSION idgen_migrate UPDATE" to load this file. \quit
-- Every object stays as it is but for what is said of it.

COMMENT ON PROCEDURE idgen_migrate.uuid_finish(regclass, name, interval, integer) IS
    'from uuid or integer keys to IDs, once nobody writes the old references: nothing keeps them any more';
COMMENT ON PROCEDURE idgen_migrate.uuid_rename(regclass, name, interval, integer) IS
    'from uuid or integer keys to IDs, after uuid_finish: the old columns go, the new ones take their names';
