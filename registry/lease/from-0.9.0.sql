\echo Use "ALTER EXTENSION idgen_lease UPDATE" to load this file. \quit
-- Both libraries are of one version, and must be there.
SELECT idgen.require_library('@VERSION@'::pg_catalog.text);
-- What an earlier script of this transaction made was there before (sql/common/90-rights.sql).
SELECT pg_catalog.set_config('idgen_update.began'::pg_catalog.text, e.cmin::pg_catalog.text, true) FROM pg_catalog.pg_extension e
 WHERE e.extname OPERATOR(pg_catalog.=) 'idgen_lease'::pg_catalog.name;

-- What a registry gives is called a shard everywhere.
COMMENT ON EXTENSION idgen_lease IS 'takes the shards of a node from a registry, in a PostgreSQL or an etcd';
DROP FUNCTION idgen_lease.nodes();
DROP FUNCTION idgen_lease.release(integer);
DROP FUNCTION idgen_lease.limit_registry(interval, integer, interval);
DROP FUNCTION idgen_lease.forget_numbers(interval);
CREATE FUNCTION idgen_lease.nodes(
    OUT shard integer, OUT owner text, OUT system_identifier bigint, OUT timeline integer, OUT since timestamptz, OUT lease_left interval,
    OUT horizon timestamptz, OUT is_free boolean)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'idgen_nodes' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 16;
CREATE FUNCTION idgen_lease.release(shard integer) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_release' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_lease.limit_registry(max_ahead interval DEFAULT NULL, largest_shard integer DEFAULT NULL,
    longest_ttl interval DEFAULT NULL) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_limit_registry' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_lease.forget_shards(unused_for interval DEFAULT '30 days') RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_forget_numbers' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idgen_lease.nodes() IS 'every shard that the registry knows, its last owner, and what is left of the lease (null: for ever)';
COMMENT ON FUNCTION idgen_lease.release(integer) IS
    'takes a shard from its owner in the registry at once; true if it had one. No ID is made twice: the server that takes it next begins above';
COMMENT ON FUNCTION idgen_lease.advance_registry(interval, timestamptz) IS
    'after the registry was restored or created again: no shard has an owner, and all begin longest_ahead from now, or at an explicit instant';
COMMENT ON FUNCTION idgen_lease.limit_registry(interval, integer, interval) IS
    'what the registry allows nodes: how far ahead a horizon may lie (max_ahead, 1 s to 15 min), the largest_shard, the longest_ttl of a lease (5 s to a year); null leaves a limit as it is. In PostgreSQL only the registry''s owner may';
COMMENT ON FUNCTION idgen_lease.forget_shards(interval) IS
    'removes shards from the registry that no server has held for the time unused_for; gives how many. In PostgreSQL only the registry''s owner may';
COMMENT ON SEQUENCE idgen_lease.record IS
    'behind it lies what this server remembers of the shards that it holds from a registry; its value means nothing';

DROP FUNCTION idgen_lease.confirm_registry();
CREATE FUNCTION idgen_lease.confirm_registry(force boolean DEFAULT false) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_confirm_registry' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION idgen_lease.confirm_registry(boolean) IS
    'forgets the registry that this server remembers, and the shards from it: idgen.registry names another from now on; one that was not advanced above that, or does not answer now, only if force is true: then no other server may have shards of the former one';

CREATE VIEW idgen_lease.stat_counter AS
SELECT name, state, held, block, last_fetched, drawn, fetches, waits, left_out, max, locked_by FROM idgen_lease.stat_counter();
COMMENT ON FUNCTION idgen_lease.stat_counter() IS 'what the view idgen_lease.stat_counter shows';
COMMENT ON VIEW idgen_lease.stat_counter IS 'the counters of which this server holds numbers, and what was drawn since it started';
REVOKE EXECUTE ON FUNCTION idgen_lease.nodes(), idgen_lease.release(integer), idgen_lease.limit_registry(interval, integer, interval),
    idgen_lease.forget_shards(interval), idgen_lease.confirm_registry(boolean) FROM PUBLIC;

-- What is said of arguments.
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
