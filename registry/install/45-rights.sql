-- The role that nodes are members of: it may make the calls, and see nothing else.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'idgen_node') THEN
        RETURN;
    ELSIF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND (rolcreaterole OR rolsuper)) THEN
        RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = 'the role idgen_node does not exist, and you may not create it',
            DETAIL = 'Nodes are its members.', HINT = 'Have it created: CREATE ROLE idgen_node NOLOGIN';
    END IF;
    CREATE ROLE idgen_node NOLOGIN;
    COMMENT ON ROLE idgen_node IS 'nodes that claim their shards from idgen_registry';
END
$$;

-- Takes back what default privileges gave to any role, and what PUBLIC has.
DO $$
DECLARE
    grant_back text;
BEGIN
    FOR grant_back IN
        SELECT format('REVOKE ALL ON ROUTINE %s FROM %s', p.oid::regprocedure, coalesce(quote_ident(r.rolname), 'PUBLIC'))
          FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a LEFT JOIN pg_roles r ON r.oid = a.grantee
         WHERE p.pronamespace = 'idgen_registry'::regnamespace AND a.grantee <> p.proowner
        UNION SELECT format('REVOKE ALL ON TABLE %s FROM %s', c.oid::regclass, coalesce(quote_ident(r.rolname), 'PUBLIC'))
          FROM pg_class c, aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
         WHERE c.relnamespace = 'idgen_registry'::regnamespace AND c.relkind = 'r' AND a.grantee <> c.relowner
        UNION SELECT format('REVOKE ALL ON TYPE %s FROM %s', t.oid::regtype, coalesce(quote_ident(r.rolname), 'PUBLIC'))
          FROM pg_type t, aclexplode(coalesce(t.typacl, acldefault('T', t.typowner))) a LEFT JOIN pg_roles r ON r.oid = a.grantee
         WHERE t.oid IN ('idgen_registry.answer'::regtype, 'idgen_registry.counter_answer'::regtype) AND a.grantee <> t.typowner
        UNION SELECT format('REVOKE ALL ON SCHEMA idgen_registry FROM %s', coalesce(quote_ident(r.rolname), 'PUBLIC'))
          FROM pg_namespace n, aclexplode(n.nspacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
         WHERE n.nspname = 'idgen_registry' AND a.grantee <> n.nspowner
    LOOP
        EXECUTE grant_back;
    END LOOP;
END
$$;

GRANT USAGE ON SCHEMA idgen_registry TO idgen_node;
GRANT EXECUTE ON FUNCTION idgen_registry.identity(), idgen_registry.list(integer, integer), idgen_registry.list_floor(), idgen_registry.release(integer), idgen_registry.counters(),
    idgen_registry.take_range(text, bigint), idgen_registry.taken_range(uuid), idgen_registry.fetch_ranges(uuid, bytea[], bigint[], bigint[], bigint[]),
    idgen_registry.give_back_ranges(uuid, bytea[], bigint[], bigint[]), idgen_registry.find_locker(bytea, integer),
    idgen_registry.claim(uuid, integer, bigint, bigint, bigint, bigint, text, bigint, integer),
    idgen_registry.extend(uuid, integer, bigint, bigint, bigint, bigint, bigint),
    idgen_registry.stop(uuid, integer, bigint, bigint, bigint, bigint) TO idgen_node;
GRANT EXECUTE ON PROCEDURE idgen_registry.next_range(text, bigint, int8range) TO idgen_node;

-- A node keeps the parameters of its calls out of the server's log.
DO $$
BEGIN
    IF has_parameter_privilege('log_parameter_max_length', 'SET WITH GRANT OPTION') THEN
        GRANT SET ON PARAMETER log_parameter_max_length TO idgen_node;
    END IF;
END
$$;
