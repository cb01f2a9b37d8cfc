-- TypeIDs: 128 bits with a prefix. typeid_text takes a uuid or a ulid, distinguished when it is called: a function for
-- uuid alone would not take a ulid, and of two with the same name none would take an untyped literal, which is a uuid
-- here.

CREATE FUNCTION typeid_text(prefix text, value "any") RETURNS text
    AS 'MODULE_PATHNAME', 'idgen_typeid_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION typeid_uuid(typeid text) RETURNS uuid
    AS 'MODULE_PATHNAME', 'idgen_typeid_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION typeid_ulid(typeid text) RETURNS ulid
    AS 'MODULE_PATHNAME', 'idgen_typeid_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION typeid_prefix(typeid text) RETURNS text
    AS 'MODULE_PATHNAME', 'idgen_typeid_prefix' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION typeid_text(text, "any") IS 'the TypeID of a prefix and a uuid or ulid; texts of one prefix sort as the values do (COLLATE "C")';
COMMENT ON FUNCTION typeid_uuid(text) IS 'UUID of a TypeID, whatever its prefix';
COMMENT ON FUNCTION typeid_ulid(text) IS 'ULID of a TypeID, whatever its prefix';
COMMENT ON FUNCTION typeid_prefix(text) IS 'prefix of a TypeID, empty if it has none';
