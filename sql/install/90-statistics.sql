-- To see what it does, for members of pg_monitor.

CREATE FUNCTION idgen.stat_shard(
    OUT layout id_layout, OUT shard integer, OUT ids bigint, OUT waits bigint, OUT wait_time double precision,
    OUT borrows bigint, OUT holds bigint, OUT max_lead bigint, OUT last_id bigint, OUT last_time timestamptz)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'idgen_stat_shard' LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 16;
CREATE FUNCTION idgen.stat_backend(
    OUT pid integer, OUT datid oid, OUT usesysid oid, OUT layout id_layout, OUT shard integer, OUT ids bigint,
    OUT waits bigint, OUT wait_time double precision, OUT last_id bigint, OUT draws_from timestamptz, OUT prepared xid)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'idgen_stat_backend' LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 100;
CREATE FUNCTION idgen.stat_database(
    OUT in_recovery boolean, OUT horizon timestamptz, OUT renewals bigint, OUT renewed_at timestamptz,
    OUT stall bigint, OUT lead bigint, OUT settled_lag bigint, OUT clock_offset bigint, OUT clock_steps_forward bigint,
    OUT clock_steps_back bigint, OUT clock_synchronized boolean, OUT clock_max_error double precision,
    OUT synchronous boolean, OUT standbys integer, OUT slots integer, OUT slots_limit integer,
    OUT server_slots integer, OUT server_slots_limit integer, OUT server_databases integer,
    OUT server_databases_limit integer, OUT layout id_layout, OUT layout_end timestamptz)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'idgen_stat_database' LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 1;

CREATE FUNCTION idgen.stat_errors() RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_stat_errors' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen.stat_lease(OUT shard integer, OUT by_hand boolean, OUT held boolean, OUT horizon timestamptz)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'idgen_stat_lease' LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 4;
CREATE FUNCTION idgen.stat_registry(
    OUT shards integer, OUT horizon timestamptz, OUT lease_window bigint, OUT keeper_pid integer, OUT answered_at timestamptz,
    OUT silent_since timestamptz, OUT trouble text, OUT counters integer, OUT counters_in_trouble integer, OUT counter_used integer,
    OUT counter_trouble text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'idgen_stat_registry' LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 1;

CREATE VIEW idgen.stat_shard AS
SELECT s.layout, s.shard, s.ids, s.waits, s.wait_time, s.borrows, s.holds, s.max_lead, s.last_id, s.last_time,
       coalesce((id_layout_info(s.layout)).ids_per_second, 65536000) AS ids_per_second_limit  -- of the HLC: 16 bits a ms
  FROM idgen.stat_shard() AS s;
CREATE VIEW idgen.stat_backend AS
SELECT b.pid, b.datid, d.datname, b.usesysid, r.rolname AS usename, b.layout, b.shard, b.ids, b.waits, b.wait_time,
       b.last_id, b.draws_from, coalesce(a.xact_start, p.prepared) AS xact_start, b.prepared, p.gid
  FROM idgen.stat_backend() AS b
  LEFT JOIN pg_catalog.pg_stat_activity AS a ON a.pid OPERATOR(pg_catalog.=) b.pid
  LEFT JOIN pg_catalog.pg_prepared_xacts AS p ON p.transaction OPERATOR(pg_catalog.=) b.prepared
  LEFT JOIN pg_catalog.pg_database AS d ON d.oid OPERATOR(pg_catalog.=) b.datid
  LEFT JOIN pg_catalog.pg_roles AS r ON r.oid OPERATOR(pg_catalog.=) b.usesysid;
CREATE VIEW idgen.stat_database AS
SELECT pg_catalog.current_database() AS datname, s.*, idgen.stat_errors() AS server_errors FROM idgen.stat_database() AS s;

CREATE VIEW idgen.stat_lease AS SELECT shard, by_hand, held, horizon FROM idgen.stat_lease();
CREATE VIEW idgen.stat_registry AS
SELECT shards, horizon, lease_window, keeper_pid, answered_at, silent_since, trouble, counters, counters_in_trouble,
       counter_used, counter_trouble
  FROM idgen.stat_registry();

CREATE FUNCTION idgen.status(OUT key text, OUT value text, OUT ok boolean, OUT advice text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'idgen_status' LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 16;
CREATE FUNCTION idgen.reset_stats() RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_reset_stats' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

REVOKE EXECUTE ON FUNCTION idgen.stat_shard(), idgen.stat_backend(), idgen.stat_database(), idgen.stat_errors(),
    idgen.stat_lease(), idgen.stat_registry(), idgen.reset_stats() FROM PUBLIC;

COMMENT ON FUNCTION idgen.stat_shard() IS 'what the view idgen.stat_shard shows';
COMMENT ON FUNCTION idgen.stat_backend() IS 'what the view idgen.stat_backend shows';
COMMENT ON FUNCTION idgen.stat_database() IS 'what the view idgen.stat_database shows';
COMMENT ON FUNCTION idgen.stat_errors() IS 'calls that made no ID, of all databases, since the server started: no shard, no grant, a full tick, and the like';
COMMENT ON FUNCTION idgen.stat_lease() IS 'what the view idgen.stat_lease shows';
COMMENT ON FUNCTION idgen.stat_registry() IS 'what the view idgen.stat_registry shows';
COMMENT ON VIEW idgen.stat_shard IS
    'what each shard of this database made and waited for, since the server started, its slot was given out, or idgen.reset_stats()';
COMMENT ON VIEW idgen.stat_backend IS 'what each session of the server that makes IDs made and waited for, and from where its transaction holds back readers by ID; with prepared transactions that do';
COMMENT ON VIEW idgen.stat_database IS
    'what ID making in this database rests on, as numbers: horizon, clock, standbys, slots, end of the layout';
COMMENT ON VIEW idgen.stat_lease IS 'each shard that this server claims from a registry, and up to when IDs can be made with it';
COMMENT ON VIEW idgen.stat_registry IS
    'the registry as this server sees it: shards held, the nearest of their horizons, the last answer, and how its counters are; no row if none is set';
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
COMMENT ON COLUMN idgen.stat_database.server_errors IS 'calls that made no ID, of all databases, since the server started';
COMMENT ON COLUMN idgen.stat_registry.horizon IS 'the nearest horizon of those shards';
COMMENT ON COLUMN idgen.stat_registry.lease_window IS 'how far ahead horizons are extended, ms';
COMMENT ON COLUMN idgen.stat_registry.counter_used IS 'of the counter that is nearest to its end, percent of its max';
COMMENT ON FUNCTION idgen.status() IS 'the state of this database''s ID making in words, with what to do if it is not ok';
COMMENT ON FUNCTION idgen.reset_stats() IS 'sets the counts of this database''s shards and sessions back to 0';
