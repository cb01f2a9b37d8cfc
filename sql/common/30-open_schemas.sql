-- A function next_id(integer) is a better match for next_id(5) than next_id(bigint), wherever it stands in search_path, and
-- runs with its caller's rights. So a warning, if an ordinary role may create in the chosen schema, or PUBLIC in public,
-- which is in most paths. src/pg/host/own_extension.hpp says what an ordinary role is; idgen.status() looks for the same.
DO $$
DECLARE
    found pg_catalog.record;
BEGIN
    FOR found IN
        SELECT pg_catalog.quote_ident(n.nspname::pg_catalog.text) AS schema, pg_catalog.bool_or(a.grantor OPERATOR(pg_catalog.<>) n.nspowner) AS is_passed_on,
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
         GROUP BY n.oid, n.nspname
    LOOP
        RAISE WARNING USING
            MESSAGE = pg_catalog.concat(found.roles, ' may create functions in '::pg_catalog.text, found.schema),
            DETAIL = 'A function of the same name as one of @EXTENSION@ can be a better match for its arguments, as next_id(integer) is for next_id(5); it runs with the rights of its caller.',
            HINT = pg_catalog.format('REVOKE CREATE ON SCHEMA %s FROM %s%s, or call only functions of a schema in which nobody else may create, by its name: ids.next_id(5).',
                                     found.schema, found.roles, CASE WHEN found.is_passed_on THEN ' CASCADE' ELSE '' END);
    END LOOP;
END
$$;
