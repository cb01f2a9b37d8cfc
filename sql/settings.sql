-- The settings: contexts, units, boot values, who may set which, what is refused.
SELECT name, vartype, unit, context, boot_val, min_val, max_val, enumvals
  FROM pg_settings WHERE name LIKE 'idgen.%' ORDER BY name COLLATE "C";
-- Each says what it is; category and source file are those of a module.
SELECT name FROM pg_settings WHERE name LIKE 'idgen.%' AND (short_desc IS NULL OR short_desc !~ '^[A-Z].*\.$' OR extra_desc IS NULL);
SELECT DISTINCT category FROM pg_settings WHERE name LIKE 'idgen.%';

-- Units
SET idgen.max_wait = '2s';
SHOW idgen.max_wait;
SET idgen.max_wait = 1500;
SHOW idgen.max_wait;
SET idgen.overflow = 'Borrow';
SHOW idgen.overflow;

-- Refused
SET idgen.overflow = 'panic';
\set VERBOSITY sqlstate
SET idgen.max_wait = -1;
\set VERBOSITY default
SET idgen.max_wait = '5 parsecs';
SET idgen.max_lead = '2s';
SET idgen.max_clock_jump = '1h';
SET idgen.require_clock_sync = 'on';
SET idgen.max_slots = 8;
SET idgen.max_slots_per_database = 8;
SET idgen.max_databases = 8;
SET idgen.region = 2147483648;
SET idgen.decimal_launch = 100000;
SET idgen.decimal_launch = -1;
SET idgen.no_such_setting = 1;
\set VERBOSITY sqlstate
ALTER SYSTEM SET idgen.max_lead = '61s';
\set VERBOSITY default
ALTER SYSTEM SET idgen.require_clock_sync = 'perhaps';
ALTER SYSTEM SET idgen.max_slots = 3;
ALTER SYSTEM SET idgen.max_databases = 0;
ALTER DATABASE :DBNAME SET idgen.shards = 'five';
ALTER DATABASE :DBNAME SET idgen.keys = '1:000102030405060708090a0b0c0d0e0f';
ALTER DATABASE :DBNAME SET idgen.max_lead = '2s';
RESET ALL;

-- Who may set which
CREATE ROLE regress_idgen_user;
GRANT SET ON PARAMETER idgen.shards TO regress_idgen_user;
SET ROLE regress_idgen_user;
SET idgen.overflow = 'borrow';
SET idgen.max_wait = '1s';
SET idgen.shards = '7';
SET idgen.region = 3;
SET idgen.keys = '1:000102030405060708090a0b0c0d0e0f';
SET idgen.decimal_launch = 3;
SHOW idgen.shards;
RESET ROLE;
REVOKE SET ON PARAMETER idgen.shards FROM regress_idgen_user;
RESET idgen.shards;
SET ROLE regress_idgen_user;
SET idgen.shards = '7';
SELECT set_config('idgen.shards', '7', false);
ALTER ROLE regress_idgen_user SET idgen.shards = '7';
-- Any role may make and read IDs, but not accept a clock.
RESET ROLE;
SET idgen.shards = '5';
SET ROLE regress_idgen_user;
SELECT id_shard(next_id()), (SELECT count(*) FROM next_ids(10)), cardinality(next_id_array(10)), id_time(1) IS NOT NULL AS reads;
SELECT idgen.accept_clock();
SELECT idgen.advance('2020-01-01');
SELECT idgen.reset(now());
RESET ROLE;
-- The kernel may say that its clock is not synchronized.
SET client_min_messages = warning;
SELECT idgen.accept_clock();
RESET client_min_messages;
-- What was granted: an advance; a reset is for superusers all the same.
GRANT EXECUTE ON FUNCTION idgen.reset(timestamptz, boolean), idgen.advance(timestamptz, boolean) TO regress_idgen_user;
SET ROLE regress_idgen_user;
SELECT idgen.advance('2020-01-01');
SELECT idgen.reset(now());
RESET ROLE;
REVOKE EXECUTE ON FUNCTION idgen.reset(timestamptz, boolean), idgen.advance(timestamptz, boolean) FROM regress_idgen_user;
-- Keys stand in no catalog.
ALTER ROLE regress_idgen_user SET idgen.keys = '1:000102030405060708090a0b0c0d0e0f';
SELECT count(*) FROM pg_db_role_setting WHERE setconfig::text LIKE '%idgen.keys%';
DROP ROLE regress_idgen_user;

-- For a function, a transaction, a database
CREATE FUNCTION shard_9() RETURNS int LANGUAGE sql SET idgen.shards = '9' AS 'SELECT id_shard(next_id())';
SELECT id_shard(next_id()) AS before, shard_9(), id_shard(next_id()) AS after;
DROP FUNCTION shard_9();
ALTER DATABASE :DBNAME SET idgen.shards = '0-15';
\c -
SHOW idgen.shards;
ALTER DATABASE :DBNAME RESET idgen.shards;
\c -
SHOW idgen.shards;
