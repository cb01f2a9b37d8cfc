-- Each asks the registry of idgen.registry, and waits for its answer.
CREATE FUNCTION @extschema@.idgen_nodes(
    OUT number integer, OUT owner text, OUT system_identifier bigint, OUT timeline integer, OUT since timestamptz, OUT lease_left interval,
    OUT horizon timestamptz, OUT is_free boolean)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'idgen_nodes' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 16;
CREATE FUNCTION @extschema@.idgen_release(number integer) RETURNS boolean
    AS 'MODULE_PATHNAME', 'idgen_release' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_registry_advance(at timestamptz DEFAULT NULL) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'idgen_registry_advance' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION @extschema@.idgen_confirm_registry() RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_confirm_registry' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION @extschema@.idgen_nodes() IS 'every number that the registry knows, its last owner, and what is left of the lease (null: for ever)';
COMMENT ON FUNCTION @extschema@.idgen_release(integer) IS
    'takes a number from its owner in the registry at once; true where it had one. No ID is made twice: whoever takes it next begins above';
COMMENT ON FUNCTION @extschema@.idgen_registry_advance(timestamptz) IS
    'after the registry was restored: no number has an owner, and none begins below that instant; by default the first that is safe';
COMMENT ON FUNCTION @extschema@.idgen_confirm_registry() IS
    'forgets the registry that this server remembers, and the numbers from it: idgen.registry names another from now on';
