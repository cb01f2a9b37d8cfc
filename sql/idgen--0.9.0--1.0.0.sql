\echo Use "ALTER EXTENSION idgen UPDATE" to load this file. \quit
-- Every object stays as it is but for what is said of it. The library must be there.
SELECT idgen.require_library('1.0.0'::pg_catalog.text);

COMMENT ON FUNCTION @extschema@.id_settled(@extschema@.id_layout) IS
    'the bound below which the query that calls it sees every row that will ever be there; null if that is not known';
COMMENT ON COLUMN idgen.stat_shard.wait_time IS 'time that calls slept, all together, ms';
COMMENT ON COLUMN idgen.stat_shard.max_lead IS 'furthest that an ID lay ahead of the clock, ms';
COMMENT ON COLUMN idgen.stat_shard.ids_per_second_limit IS 'what the layout allows';
COMMENT ON COLUMN idgen.stat_backend.wait_time IS 'time that calls slept, all together, ms';
COMMENT ON COLUMN idgen.stat_backend.draws_from IS 'no ID of the transaction lies before it: how far readers by ID go';
COMMENT ON COLUMN idgen.stat_database.horizon IS 'no ID at or after it has left the server';
COMMENT ON COLUMN idgen.stat_database.stall IS 'for how long renewals of the horizon have failed, ms';
COMMENT ON COLUMN idgen.stat_database.lead IS 'how far the last ID of any shard lies ahead of the clock, ms';
COMMENT ON COLUMN idgen.stat_database.settled_lag IS 'how far open transactions hold the bound of id_settled() behind the clock, ms';
COMMENT ON COLUMN idgen.stat_database.clock_offset IS 'the clock less the highest one accepted, ms; below 0: it was set back';
COMMENT ON COLUMN idgen.stat_database.clock_max_error IS 'how far the clock may be wrong, as the kernel says, ms';
COMMENT ON COLUMN idgen.stat_database.layout IS 'the layout in use that ends first';
COMMENT ON COLUMN idgen.stat_registry.horizon IS 'the nearest horizon of those numbers';
COMMENT ON COLUMN idgen.stat_registry.lease_window IS 'how far ahead horizons are extended, ms';
COMMENT ON COLUMN idgen.stat_registry.counter_used IS 'of the counter that is nearest to its end, percent of its max';
