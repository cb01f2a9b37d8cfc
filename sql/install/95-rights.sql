-- What is granted of that which is not for PUBLIC. Those who may read the server's statistics may read these. A role that
-- dumps a database reads the sequences; numbers that only grow show nothing more than any ID does.
GRANT EXECUTE ON FUNCTION idgen.stat_shard(), idgen.stat_backend(), idgen.stat_database(), idgen.stat_errors(),
    idgen.stat_lease(), idgen.stat_registry() TO pg_monitor;
GRANT SELECT ON idgen.stat_shard, idgen.stat_backend, idgen.stat_database, idgen.stat_lease, idgen.stat_registry
    TO pg_monitor;
GRANT SELECT ON SEQUENCE idgen.horizon, idgen.origin, idgen.generator TO PUBLIC;
