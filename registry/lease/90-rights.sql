-- Takes back what PUBLIC has, and what default privileges gave to any role.
DO $$
DECLARE
    take_back pg_catalog.text;
BEGIN
    FOR take_back IN
        SELECT pg_catalog.format('REVOKE ALL ON FUNCTION %s FROM %s', p.oid::pg_catalog.regprocedure,
                                 coalesce(pg_catalog.quote_ident(r.rolname), 'PUBLIC'::pg_catalog.text))
          FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_proc p ON p.oid OPERATOR(pg_catalog.=) d.objid,
               pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f'::"char", p.proowner))) a
          LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) a.grantee
         WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid
           AND d.refobjid OPERATOR(pg_catalog.=) (SELECT e.oid FROM pg_catalog.pg_extension e WHERE e.extname OPERATOR(pg_catalog.=) 'idgen_lease'::pg_catalog.name)
           AND a.grantee OPERATOR(pg_catalog.<>) p.proowner
        UNION SELECT pg_catalog.format('REVOKE ALL ON %s FROM %s', c.oid::pg_catalog.regclass,
                                       coalesce(pg_catalog.quote_ident(r.rolname), 'PUBLIC'::pg_catalog.text))
          FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) a.grantee
         WHERE c.relnamespace OPERATOR(pg_catalog.=) 'idgen_lease'::pg_catalog.regnamespace::pg_catalog.oid
           AND a.grantee OPERATOR(pg_catalog.<>) c.relowner
    LOOP
        EXECUTE take_back;
    END LOOP;
END
$$;
GRANT EXECUTE ON FUNCTION idgen_lease.nodes(), idgen_lease.counters(), idgen_lease.stat_counter() TO pg_monitor;
GRANT SELECT ON idgen_lease.stat_counter TO pg_monitor;
