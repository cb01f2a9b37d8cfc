-- NanoIDs

CREATE FUNCTION next_nanoid(size integer DEFAULT 21,
                            alphabet text DEFAULT 'useandom-26T198340PX75pxJACKVERYMINDBUSHWOLF_GQZbfghjklqvwyzrict')
    RETURNS text
    AS 'MODULE_PATHNAME', 'idgen_next_nanoid' LANGUAGE C VOLATILE PARALLEL SAFE;

COMMENT ON FUNCTION next_nanoid(integer, text) IS 'makes a new NanoID: that many random characters of an alphabet, all equally likely';
