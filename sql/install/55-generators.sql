-- The record of the generators of DecimalIds lies behind their sequence like that of the horizon; last_value mirrors the
-- last one taken. The functions are in idgen_kinds: dropping that extension forgets no generator.

CREATE SEQUENCE idgen.generator MINVALUE 0 MAXVALUE 99999 START 0;
SELECT pg_catalog.pg_extension_config_dump('idgen.generator', '');
GRANT SELECT ON SEQUENCE idgen.generator TO PUBLIC;

CREATE FUNCTION idgen.create_generators() RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_create_generators' LANGUAGE C VOLATILE;
SELECT idgen.create_generators();
DROP FUNCTION idgen.create_generators();

COMMENT ON SEQUENCE idgen.generator IS
    'the generators of DecimalIds: the last one that was taken; written only by idgen';
