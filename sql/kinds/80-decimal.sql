-- DecimalIds. The sequence of their generators belongs to idgen, which keeps it when this extension is dropped.

CREATE FUNCTION next_decimal_id() RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_next_decimal_id' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION decimal_id_decode(id bigint, OUT counter integer, OUT generator integer, OUT launch integer)
    AS 'MODULE_PATHNAME', 'idgen_decimal_id_decode' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION next_decimal_id() IS 'makes a new DecimalId: 9 digits counter, 5 digits generator, 5 digits launch';
COMMENT ON FUNCTION decimal_id_decode(bigint) IS 'counter, generator and launch of a DecimalId; null for a number that is not one';
