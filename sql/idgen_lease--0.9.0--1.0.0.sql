\echo Use "ALTER EXTENSION idgen_lease UPDATE" to load this file. \quit
-- Both libraries are of one version, and must be there.
SELECT idgen.require_library('1.0.0'::pg_catalog.text);

CREATE VIEW idgen_lease.stat_counter AS
SELECT name, state, held, block, last_fetched, drawn, fetches, waits, left_out, max, locked_by FROM idgen_lease.stat_counter();
COMMENT ON FUNCTION idgen_lease.stat_counter() IS 'what the view idgen_lease.stat_counter shows';
COMMENT ON VIEW idgen_lease.stat_counter IS 'the counters of which this server holds numbers, and what was drawn since it started';
-- Takes back what default privileges gave to any role.
DO $$
DECLARE
    take_back pg_catalog.text;
BEGIN
    FOR take_back IN
        SELECT pg_catalog.format('REVOKE ALL ON idgen_lease.stat_counter FROM %s',
                                 coalesce(pg_catalog.quote_ident(r.rolname), 'PUBLIC'::pg_catalog.text))
          FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) a.grantee
         WHERE c.oid OPERATOR(pg_catalog.=) 'idgen_lease.stat_counter'::pg_catalog.regclass::pg_catalog.oid
           AND a.grantee OPERATOR(pg_catalog.<>) c.relowner
    LOOP
        EXECUTE take_back;
    END LOOP;
END
$$;
GRANT SELECT ON idgen_lease.stat_counter TO pg_monitor;
