-- What is granted of that which is not for PUBLIC.
GRANT EXECUTE ON FUNCTION idgen_lease.nodes(), idgen_lease.counters(), idgen_lease.stat_counter() TO pg_monitor;
GRANT SELECT ON idgen_lease.stat_counter TO pg_monitor;
