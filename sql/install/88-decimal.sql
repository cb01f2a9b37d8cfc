-- DecimalIds. The record of the generators lies behind their sequence like that of the horizon; last_value mirrors the
-- last one taken.

CREATE SEQUENCE idgen.generator MINVALUE 0 MAXVALUE 99999 START 0;
SELECT pg_catalog.pg_extension_config_dump('idgen.generator', '');
GRANT SELECT ON SEQUENCE idgen.generator TO PUBLIC;

CREATE FUNCTION idgen.create_generators() RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_create_generators' LANGUAGE C VOLATILE;
SELECT idgen.create_generators();
DROP FUNCTION idgen.create_generators();

CREATE FUNCTION next_decimal_id() RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_next_decimal_id' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION decimal_id_decode(id bigint, OUT counter integer, OUT generator integer, OUT launch integer)
    AS 'MODULE_PATHNAME', 'idgen_decimal_id_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON SEQUENCE idgen.generator IS
    'the generators of DecimalIds: the last one that was taken; written only by idgen';
COMMENT ON FUNCTION next_decimal_id() IS 'makes a new DecimalId: 9 digits counter, 5 digits generator, 5 digits launch';
COMMENT ON FUNCTION decimal_id_decode(bigint) IS 'counter, generator and launch of a DecimalId; null for a number that is not one';
