GRANT EXECUTE ON FUNCTION idgen_lease.nodes() TO pg_monitor;
GRANT SELECT ON idgen_lease.stat_counter TO pg_monitor;
