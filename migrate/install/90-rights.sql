-- What roles may do in the schema and with the migrations that are remembered: this, whatever default privileges give. Who had more
-- may have put a trigger there, which would run as whoever migrates.
DO $$
DECLARE
    take_back pg_catalog.text;
BEGIN
    FOR take_back IN
        SELECT pg_catalog.format('REVOKE ALL ON %s FROM %s CASCADE', c.oid::pg_catalog.regclass, coalesce(pg_catalog.quote_ident(r.rolname), 'PUBLIC'::pg_catalog.text))
          FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) a.grantee
         WHERE c.relnamespace OPERATOR(pg_catalog.=) 'idgen_migrate'::pg_catalog.regnamespace::pg_catalog.oid AND a.grantee OPERATOR(pg_catalog.<>) c.relowner
        UNION SELECT pg_catalog.format('REVOKE ALL ON SCHEMA idgen_migrate FROM %s CASCADE', coalesce(pg_catalog.quote_ident(r.rolname), 'PUBLIC'::pg_catalog.text))
          FROM pg_catalog.pg_namespace n, pg_catalog.aclexplode(n.nspacl) a LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) a.grantee
         WHERE n.nspname OPERATOR(pg_catalog.=) 'idgen_migrate'::pg_catalog.name AND a.grantee OPERATOR(pg_catalog.<>) n.nspowner
        UNION SELECT pg_catalog.format('DROP TRIGGER %I ON idgen_migrate.job', t.tgname) FROM pg_catalog.pg_trigger t
         WHERE t.tgrelid OPERATOR(pg_catalog.=) 'idgen_migrate.job'::pg_catalog.regclass::pg_catalog.oid AND NOT t.tgisinternal
    LOOP
        EXECUTE take_back;
    END LOOP;
END
$$;
GRANT USAGE ON SCHEMA idgen_migrate TO PUBLIC;
GRANT SELECT,
      INSERT (relation, id_column, kind, step, rows_done, rows_estimated, started, last_batch, runner, last_id, last_time, parent, source, helper, has_made),
      UPDATE (kind, step, rows_done, rows_estimated, started, last_batch, runner, last_id, last_time, parent, source, helper, has_made)
   ON idgen_migrate.job TO PUBLIC;
GRANT SELECT ON idgen_migrate.progress TO PUBLIC;
