-- For the DBA

CREATE FUNCTION idgen.accept_clock() RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_accept_clock' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen.advance(at timestamptz, far boolean DEFAULT false) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_advance' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen.reset(no_id_above timestamptz) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_reset' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen.confirm_shards() RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_confirm_shards' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
REVOKE EXECUTE ON FUNCTION idgen.accept_clock(), idgen.advance(timestamptz, boolean), idgen.reset(timestamptz),
    idgen.confirm_shards() FROM PUBLIC;

COMMENT ON FUNCTION idgen.advance(timestamptz, boolean) IS
    'no ID below that instant will be made from now on, durably: after a restore behind the server''s back, or taking over a shard; more than an hour ahead of the clock only if far is true';
COMMENT ON FUNCTION idgen.reset(timestamptz) IS
    'lowers the durable horizon after a wrong clock raised it; makes duplicates unless no ID has reached that instant';
COMMENT ON FUNCTION idgen.accept_clock() IS 'accepts the clock as it is now, after a forward jump beyond idgen.max_clock_jump';
COMMENT ON FUNCTION idgen.confirm_shards() IS
    'says that the shards of a copied database are this server''s own: its origin makes no more IDs';
