-- The durable horizon: last_value is H in unix ms, log_cnt the identity of the server that wrote it. pg_dump
-- carries it along by setval, which leaves no identity. The bounds are the years 2000 to 2200.

CREATE SEQUENCE idgen_horizon MINVALUE 946684800000 MAXVALUE 7258118400000;
SELECT pg_catalog.pg_extension_config_dump('idgen_horizon', '');

CREATE FUNCTION idgen_create_horizon() RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_create_horizon' LANGUAGE C VOLATILE;
SELECT idgen_create_horizon();
DROP FUNCTION idgen_create_horizon();

COMMENT ON SEQUENCE idgen_horizon IS
    'the durable horizon: no ID at or after this unix ms has left the server; written by idgen alone';
