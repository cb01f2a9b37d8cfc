-- For the DBA

CREATE FUNCTION idgen.accept_clock() RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_accept_clock' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION idgen.advance(at timestamptz, far boolean DEFAULT false) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_advance' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen.reset(no_id_above timestamptz DEFAULT NULL, force boolean DEFAULT false) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_reset' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen.confirm_shards() RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_confirm_shards' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
REVOKE EXECUTE ON FUNCTION idgen.accept_clock(), idgen.advance(timestamptz, boolean), idgen.reset(timestamptz, boolean),
    idgen.confirm_shards() FROM PUBLIC;

COMMENT ON FUNCTION idgen.advance(timestamptz, boolean) IS
    'no ID below the instant at will be made from now on, durably: after a restore behind the server''s back, or taking over a shard; more than an hour ahead of the clock only if far is true';
COMMENT ON FUNCTION idgen.reset(timestamptz, boolean) IS
    'lowers the durable horizon after a mistake raised it: to the instant no_id_above, or without one to just above what this server made; refused where IDs could come twice, unless force is true: then no ID may have reached that instant';
COMMENT ON FUNCTION idgen.accept_clock() IS 'accepts the clock as it is now, after a forward jump beyond idgen.max_clock_jump';
COMMENT ON FUNCTION idgen.confirm_shards() IS
    'says that the shards of a copied database are this server''s own: its origin makes no more IDs';

-- The durable horizon: its record has a page of its own behind this sequence, of which last_value is a mirror, in unix ms.
-- pg_dump carries the mirror along by setval: in a restored database, that counts. The bounds are the years 2000 to 2200.

CREATE SEQUENCE idgen.horizon MINVALUE 946684800000 MAXVALUE 7258118400000;
SELECT pg_catalog.pg_extension_config_dump('idgen.horizon', '');

CREATE FUNCTION idgen.create_horizon() RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_create_horizon' LANGUAGE C VOLATILE;
SELECT idgen.create_horizon();
DROP FUNCTION idgen.create_horizon();

-- Of which server the database is, for its dumps: a database that was restored from one finds the origin here. The record of
-- the horizon says the same for this server, so that writing to this sequence changes nothing. nextval() of it fails.
CREATE SEQUENCE idgen.origin INCREMENT 9223372036854775807 MINVALUE -9223372036854775808;
SELECT pg_catalog.setval('idgen.origin'::pg_catalog.regclass, c.system_identifier) FROM pg_catalog.pg_control_system() AS c;
SELECT pg_catalog.pg_extension_config_dump('idgen.origin', '');

COMMENT ON SEQUENCE idgen.horizon IS
    'mirrors the durable horizon: no ID at or after this unix ms has left the server; written only by idgen';
COMMENT ON SEQUENCE idgen.origin IS
    'carried by dumps: the system identifier of the server whose shards the database uses; written only by idgen';

-- The record of the generators of DecimalIds lies behind their sequence like that of the horizon; last_value mirrors the
-- last one taken. The functions are in idgen_kinds: dropping that extension forgets no generator.

CREATE SEQUENCE idgen.generator MINVALUE 0 MAXVALUE 99999 START 0;
SELECT pg_catalog.pg_extension_config_dump('idgen.generator', '');

CREATE FUNCTION idgen.create_generators() RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_create_generators' LANGUAGE C VOLATILE;
SELECT idgen.create_generators();
DROP FUNCTION idgen.create_generators();

COMMENT ON SEQUENCE idgen.generator IS
    'the generators of DecimalIds: the last one that was taken; written only by idgen';
