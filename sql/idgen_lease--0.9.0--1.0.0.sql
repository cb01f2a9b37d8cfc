\echo Use "ALTER EXTENSION idgen_lease UPDATE" to load this file. \quit
-- Both libraries are of one version, and must be there.
SELECT idgen.require_library('1.0.0'::pg_catalog.text);

DROP FUNCTION idgen_lease.confirm_registry();
CREATE FUNCTION idgen_lease.confirm_registry(force boolean DEFAULT false) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_confirm_registry' LANGUAGE C VOLATILE PARALLEL UNSAFE;
REVOKE EXECUTE ON FUNCTION idgen_lease.confirm_registry(boolean) FROM PUBLIC;
COMMENT ON FUNCTION idgen_lease.confirm_registry(boolean) IS
    'forgets the registry that this server remembers, and the numbers from it: idgen.registry names another from now on; one that was never advanced only if force is true: then no other server may have numbers of the former one';

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

-- What is said of arguments.
COMMENT ON FUNCTION idgen_lease.limit_registry(interval, integer, interval) IS
    'what the registry allows nodes: how far ahead a horizon may lie (max_ahead, 1 s to 15 min), the largest_number, the longest_ttl of a lease (5 s to a year); null leaves a limit as it is. In PostgreSQL only the registry''s owner may';
COMMENT ON FUNCTION idgen_lease.forget_numbers(interval) IS
    'removes numbers from the registry that no server has held for the time unused_for; gives how many. In PostgreSQL only the registry''s owner may';
COMMENT ON FUNCTION @extschema@.next_ticket(text) IS
    'the next number that this server holds of the counter name of the registry: small, dense, unique across servers';
COMMENT ON FUNCTION @extschema@.next_tickets(text, bigint) IS
    'the next n numbers of the counter name, 1 to 1000000000, in a row';
COMMENT ON FUNCTION idgen_lease.set_counter_max(text, bigint) IS
    'max, the last number that the counter name gives, not below what it gave. In PostgreSQL only the registry''s owner may';
COMMENT ON FUNCTION idgen_lease.set_counter_block(text, bigint, bigint) IS
    'how many numbers of the counter name a server gets at once: at least block and at most max_block, 1 to 1000000000. In PostgreSQL only the registry''s owner may';
COMMENT ON FUNCTION idgen_lease.advance_counter(text, bigint) IS
    'the counter name goes on at next, above every number that was given: to be said after advance_registry(). In PostgreSQL only the registry''s owner may';
