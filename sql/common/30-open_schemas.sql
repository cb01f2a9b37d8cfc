-- A function next_id(integer) is a better match for next_id(5) than next_id(bigint), wherever it stands in search_path, and
-- runs with its caller's rights. So a warning, if an ordinary role owns the chosen schema or may create there, or PUBLIC in
-- public, which is in most paths. src/pg/host/own_extension.hpp says what an ordinary role is; idgen.status() looks for the same.
DO $$
DECLARE
    found pg_catalog.record;
BEGIN
    FOR found IN
        SELECT pg_catalog.format('%s may create functions in %I', c.roles, c.schema) AS who,
               pg_catalog.format('REVOKE CREATE ON SCHEMA %I FROM %s%s', c.schema, c.roles, CASE WHEN c.is_passed_on THEN ' CASCADE' ELSE '' END) AS remedy
          FROM (
        SELECT n.nspname AS schema, pg_catalog.bool_or(a.grantor OPERATOR(pg_catalog.<>) n.nspowner) AS is_passed_on,
               pg_catalog.string_agg(coalesce(pg_catalog.quote_ident(r.rolname::pg_catalog.text), 'PUBLIC'::pg_catalog.text), ', '::pg_catalog.text
                                     ORDER BY a.place) AS roles
          FROM pg_catalog.pg_namespace n CROSS JOIN LATERAL pg_catalog.aclexplode(n.nspacl) WITH ORDINALITY a(grantor, grantee, privilege_type, is_grantable, place)
          LEFT JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) a.grantee
         WHERE a.privilege_type OPERATOR(pg_catalog.=) 'CREATE'::pg_catalog.text
           AND (n.oid OPERATOR(pg_catalog.=) '@extschema@'::pg_catalog.regnamespace::pg_catalog.oid
                OR n.nspname OPERATOR(pg_catalog.=) 'public'::pg_catalog.name AND r.oid IS NULL)
           AND (r.oid IS NULL
                OR NOT r.rolsuper AND NOT pg_catalog.pg_has_role(r.oid, n.nspowner, 'USAGE'::pg_catalog.text)
                   AND NOT pg_catalog.pg_has_role(r.oid, 'pg_database_owner'::pg_catalog.name, 'USAGE'::pg_catalog.text))
         GROUP BY n.oid, n.nspname) c
        UNION ALL
        SELECT pg_catalog.format('%I owns %I', r.rolname, n.nspname), pg_catalog.format('ALTER SCHEMA %I OWNER TO CURRENT_USER', n.nspname)
          FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_roles r ON r.oid OPERATOR(pg_catalog.=) n.nspowner
         WHERE n.oid OPERATOR(pg_catalog.=) '@extschema@'::pg_catalog.regnamespace::pg_catalog.oid AND NOT r.rolsuper
           AND NOT pg_catalog.pg_has_role(r.oid, 'pg_database_owner'::pg_catalog.name, 'USAGE'::pg_catalog.text)
    LOOP
        RAISE WARNING USING
            MESSAGE = found.who,
            DETAIL = 'A function of the same name as one of @EXTENSION@ can be a better match for its arguments, as next_id(integer) is for next_id(5); it runs with the rights of its caller.',
            HINT = pg_catalog.concat(found.remedy, ', and drop what others have made there; or call only functions of a schema in which nobody else may create, by its name: ids.next_id(5).'::pg_catalog.text);
    END LOOP;
END
$$;
