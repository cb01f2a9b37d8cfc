GRANT EXECUTE ON FUNCTION idgen.stat_errors(), idgen.stat_lease(), idgen.stat_registry() TO pg_monitor;
