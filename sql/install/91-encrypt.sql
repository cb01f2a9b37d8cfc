-- IDs for the outside: encrypted, so that they show neither time nor rate

CREATE FUNCTION id_encrypt(id bigint, key bytea, tweak bytea DEFAULT '') RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_encrypt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_decrypt(number bigint, key bytea, tweak bytea DEFAULT '') RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_decrypt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
-- These read idgen.keys.
CREATE FUNCTION id_to_public(id bigint, key_number integer DEFAULT 0, tweak bytea DEFAULT '') RETURNS text
    AS 'MODULE_PATHNAME', 'idgen_to_public' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_from_public(public_id text, tweak bytea DEFAULT '') RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_from_public' LANGUAGE C STABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION id_encrypt(bigint, bytea, bytea) IS 'ID encrypted to another positive bigint under an AES key of 16, 24 or 32 bytes (FF1 of NIST SP 800-38G)';
COMMENT ON FUNCTION id_decrypt(bigint, bytea, bytea) IS 'ID that id_encrypt encrypted with the same key and tweak; any number decrypts to some ID';
COMMENT ON FUNCTION id_to_public(bigint, integer, bytea) IS 'ID encrypted with a key of idgen.keys, as text that begins with the key''s number; 0 means the highest';
COMMENT ON FUNCTION id_from_public(text, bytea) IS 'ID of a text of id_to_public, decrypted with the key of idgen.keys that it names';
