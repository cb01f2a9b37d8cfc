-- Default privileges give no role more than the script grants, which it does below: on what it made, it takes back all
-- rights in relations, and in functions that it revoked from PUBLIC above, for which the server keeps their first
-- privileges. On functions for PUBLIC a site's default privileges stand: they may name a few roles in its place. What was
-- there before an update keeps its rights: the row of the extension was written with those of its new objects, and an
-- update notes by which command that was, which another script in its transaction came before.
DO $$
DECLARE
    take_back pg_catalog.text;
BEGIN
    FOR take_back IN
        SELECT pg_catalog.format('REVOKE ALL ON %s FROM %s', made.object, coalesce(pg_catalog.quote_ident(r.rolname::pg_catalog.text), 'PUBLIC'::pg_catalog.text))
          FROM pg_catalog.pg_extension e
          JOIN pg_catalog.pg_depend d ON d.refobjid OPERATOR(pg_catalog.=) e.oid AND d.deptype OPERATOR(pg_catalog.=) 'e'::"char"
           AND d.xmin OPERATOR(pg_catalog.=) e.xmin
           AND d.cmin::pg_catalog.text::pg_catalog.int8 OPERATOR(pg_catalog.>=)
               pg_catalog.concat('0'::pg_catalog.text, pg_catalog.current_setting('idgen_update.began'::pg_catalog.text, true))::pg_catalog.int8
           AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid
          JOIN (SELECT 'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid, p.oid, p.proowner, p.proacl,
                       pg_catalog.concat('ROUTINE '::pg_catalog.text, p.oid::pg_catalog.regprocedure::pg_catalog.text)
                  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_init_privs i ON i.objoid OPERATOR(pg_catalog.=) p.oid
                   AND i.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid
                UNION ALL
                SELECT 'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid, c.oid, c.relowner, c.relacl, c.oid::pg_catalog.regclass::pg_catalog.text
                  FROM pg_catalog.pg_class c WHERE c.relkind OPERATOR(pg_catalog.=) ANY ('{r,v,S}'::"char"[])) made(class, oid, owner, acl, object)
            ON made.class OPERATOR(pg_catalog.=) d.classid AND made.oid OPERATOR(pg_catalog.=) d.objid
         CROSS JOIN LATERAL pg_catalog.aclexplode(made.acl) a
          LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) a.grantee
         WHERE e.extname OPERATOR(pg_catalog.=) '@EXTENSION@'::pg_catalog.name AND a.grantee OPERATOR(pg_catalog.<>) made.owner
    LOOP
        EXECUTE take_back;
    END LOOP;
END
$$;
