-- Text forms of an ID, and an ID inside a UUID

CREATE FUNCTION id_to_base62(id bigint) RETURNS text
    AS 'MODULE_PATHNAME', 'idgen_to_base62' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_from_base62(digits text, short boolean DEFAULT false) RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_from_base62' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_to_base32(id bigint, checksum boolean DEFAULT false) RETURNS text
    AS 'MODULE_PATHNAME', 'idgen_to_base32' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_from_base32(digits text, checksum boolean DEFAULT false, short boolean DEFAULT false) RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_from_base32' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_to_base64url(id bigint) RETURNS text
    AS 'MODULE_PATHNAME', 'idgen_to_base64url' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_from_base64url(digits text, short boolean DEFAULT false) RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_from_base64url' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_to_uuid(id bigint, layout id_layout DEFAULT 'instagram') RETURNS uuid
    AS 'MODULE_PATHNAME', 'idgen_to_uuid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_to_uuidv8(id bigint, layout id_layout DEFAULT 'instagram') RETURNS uuid
    AS 'MODULE_PATHNAME', 'idgen_to_uuidv8' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
CREATE FUNCTION id_from_uuid(id uuid, layout id_layout DEFAULT 'instagram') RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_from_uuid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION id_to_base62(bigint) IS 'ID as 11 digits of 0-9, A-Z, a-z; sorted as bytes (COLLATE "C") they are sorted as IDs';
COMMENT ON FUNCTION id_from_base62(text, boolean) IS 'ID from 11 digits of 0-9, A-Z, a-z; short: from up to 11';
COMMENT ON FUNCTION id_to_base32(bigint, boolean) IS
    'ID as 13 digits of Crockford''s Base32, to be read aloud and typed; checksum: a check symbol follows';
COMMENT ON FUNCTION id_from_base32(text, boolean, boolean) IS
    'ID from 13 digits of Crockford''s Base32, in either case, hyphens skipped; checksum: a check symbol follows, and a wrong one is an error; short: from up to 13';
COMMENT ON FUNCTION id_to_base64url(bigint) IS 'ID as up to 11 digits of A-Z, a-z, 0-9, - and _, as in the links of Instagram''s posts';
COMMENT ON FUNCTION id_from_base64url(text, boolean) IS 'ID from 11 digits of A-Z, a-z, 0-9, - and _, which IDs from 2^60 on have; short: from up to 11';
COMMENT ON FUNCTION id_to_uuid(bigint, id_layout) IS
    'ID of layout inside a UUID of version 7 that has the ID''s time, and sorts as the ID does';
COMMENT ON FUNCTION id_to_uuidv8(bigint, id_layout) IS
    'UUID of version 8 that begins with the ID, of layout, sorts as the ID does, and ends in 58 random bits';
COMMENT ON FUNCTION id_from_uuid(uuid, id_layout) IS 'ID inside a UUID of id_to_uuid or id_to_uuidv8; one without an ID of the layout is an error';

-- IDs for the outside: encrypted, so that they show neither time nor rate

CREATE FUNCTION id_encrypt(id bigint, key bytea, tweak bytea DEFAULT '') RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_encrypt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_decrypt(number bigint, key bytea, tweak bytea DEFAULT '') RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_decrypt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
-- These read idgen.keys.
CREATE FUNCTION id_to_public(id bigint, key_number integer DEFAULT 0, tweak bytea DEFAULT '', prefix text DEFAULT '') RETURNS text
    AS 'MODULE_PATHNAME', 'idgen_to_public' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION id_from_public(public_id text, tweak bytea DEFAULT '', prefix text DEFAULT '') RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_from_public' LANGUAGE C STABLE STRICT PARALLEL SAFE;

-- Whoever may call these uses keys that he may not see. The two above have the key from their caller.
REVOKE EXECUTE ON FUNCTION id_to_public(bigint, integer, bytea, text), id_from_public(text, bytea, text) FROM PUBLIC;

COMMENT ON FUNCTION id_encrypt(bigint, bytea, bytea) IS 'ID encrypted to another positive bigint under an AES key of 16, 24 or 32 bytes (FF1 of NIST SP 800-38G). tweak: with another one the number is another';
COMMENT ON FUNCTION id_decrypt(bigint, bytea, bytea) IS 'ID that id_encrypt encrypted with the same key and tweak; any number decrypts to some ID';
COMMENT ON FUNCTION id_to_public(bigint, integer, bytea, text) IS
    'ID encrypted with the key key_number of idgen.keys, 1 to 2147483647, or 0 for the highest, as text: prefix and "_" if there is one, the key''s number, 11 digits. tweak: with another one the text is another, so that what it is an ID of can be part of it';
COMMENT ON FUNCTION id_from_public(text, bytea, text) IS
    'ID of public_id, a text of id_to_public with this prefix and tweak, decrypted with the key of idgen.keys that it names';
