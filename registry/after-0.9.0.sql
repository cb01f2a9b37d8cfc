-- Takes back what PUBLIC and default privileges have of the functions that 0.9.0 does not have.
DO $$
DECLARE
    grant_back text;
BEGIN
    FOR grant_back IN
        SELECT format('REVOKE ALL ON FUNCTION %s FROM %s', p.oid::regprocedure, coalesce(quote_ident(r.rolname), 'PUBLIC'))
          FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a LEFT JOIN pg_roles r ON r.oid = a.grantee
         WHERE p.pronamespace = 'idgen_registry'::regnamespace AND a.grantee <> p.proowner
           AND p.proname IN ('refuse_controls', 'check_untold', 'size_of', 'check_lists')
    LOOP
        EXECUTE grant_back;
    END LOOP;
END
$$;
