-- The durable horizon: its record has a page of its own behind this sequence, of which last_value is a mirror, in unix ms.
-- pg_dump carries the mirror along by setval: in a restored database, that counts. The bounds are the years 2000 to 2200.

CREATE SEQUENCE idgen.horizon MINVALUE 946684800000 MAXVALUE 7258118400000;
SELECT pg_catalog.pg_extension_config_dump('idgen.horizon', '');
-- A role that dumps a database reads it; a number that only grows shows nothing more than any ID does.
GRANT SELECT ON SEQUENCE idgen.horizon TO PUBLIC;

CREATE FUNCTION idgen.create_horizon() RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_create_horizon' LANGUAGE C VOLATILE;
SELECT idgen.create_horizon();
DROP FUNCTION idgen.create_horizon();

-- Of which server the database is, for its dumps: a database that was restored from one finds the origin here. The record of
-- the horizon says the same for this server, so that writing to this sequence changes nothing. nextval() of it fails.
CREATE SEQUENCE idgen.origin INCREMENT 9223372036854775807 MINVALUE -9223372036854775808;
SELECT pg_catalog.setval('idgen.origin'::pg_catalog.regclass, c.system_identifier) FROM pg_catalog.pg_control_system() AS c;
SELECT pg_catalog.pg_extension_config_dump('idgen.origin', '');
GRANT SELECT ON SEQUENCE idgen.origin TO PUBLIC;

COMMENT ON SEQUENCE idgen.horizon IS
    'mirrors the durable horizon: no ID at or after this unix ms has left the server; written only by idgen';
COMMENT ON SEQUENCE idgen.origin IS
    'carried by dumps: the system identifier of the server whose shards the database uses; written only by idgen';
