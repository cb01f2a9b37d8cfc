-- idgen_lease @VERSION@: what this server remembers of the shards that it holds from a registry, and calls for their administrator.

-- What the server remembers of its shards lies in a page of its own behind this sequence, which the server's own worker writes
-- before each claim. A dump does not carry it: a restored database is on another server, which takes other shards.
CREATE SEQUENCE idgen_lease.record;

COMMENT ON SEQUENCE idgen_lease.record IS
    'behind it lies what this server remembers of the shards that it holds from a registry; its value means nothing';

-- Each asks the registry of idgen.registry, and waits for its answer.
CREATE FUNCTION idgen_lease.nodes(
    OUT shard integer, OUT owner text, OUT system_identifier bigint, OUT timeline integer, OUT since timestamptz, OUT lease_left interval,
    OUT horizon timestamptz, OUT is_free boolean)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'idgen_nodes' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 16;
CREATE FUNCTION idgen_lease.release(shard integer) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_release' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_lease.advance_registry(longest_ahead interval DEFAULT '15 min', at timestamptz DEFAULT NULL) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'idgen_registry_advance' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_lease.limit_registry(max_ahead interval DEFAULT NULL, largest_shard integer DEFAULT NULL,
    longest_ttl interval DEFAULT NULL) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_limit_registry' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_lease.forget_shards(unused_for interval DEFAULT '30 days') RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_forget_numbers' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_lease.confirm_registry(force boolean DEFAULT false) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_confirm_registry' LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION idgen_lease.nodes() IS 'every shard that the registry knows, its last owner, and what is left of the lease (null: for ever)';
COMMENT ON FUNCTION idgen_lease.release(integer) IS
    'takes a shard from its owner in the registry at once; true if it had one. No ID is made twice: the server that takes it next begins above';
COMMENT ON FUNCTION idgen_lease.advance_registry(interval, timestamptz) IS
    'after the registry was restored or created again: no shard has an owner, and all begin longest_ahead from now, or at an explicit instant';
COMMENT ON FUNCTION idgen_lease.limit_registry(interval, integer, interval) IS
    'what the registry allows nodes: how far ahead a horizon may lie (max_ahead, 1 s to 15 min), the largest_shard, the longest_ttl of a lease (5 s to a year); null leaves a limit as it is. In PostgreSQL only the registry''s owner may';
COMMENT ON FUNCTION idgen_lease.forget_shards(interval) IS
    'removes shards from the registry that no server has held for the time unused_for; gives how many. In PostgreSQL only the registry''s owner may';
COMMENT ON FUNCTION idgen_lease.confirm_registry(boolean) IS
    'forgets the registry that this server remembers, and the shards from it: idgen.registry names another from now on; one that was not advanced above that, or does not answer now, only if force is true: then no other server may have shards of the former one';
