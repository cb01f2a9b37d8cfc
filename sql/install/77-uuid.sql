-- What UUIDs say of themselves

CREATE FUNCTION uuid_time(value uuid) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'idgen_uuid_time' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION uuid_version_number(value uuid) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_uuid_version_number' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION uuid_time(uuid) IS 'time of a UUID of version 1, 6 or 7; null for others, which have none';
COMMENT ON FUNCTION uuid_version_number(uuid) IS 'version of a UUID, null if its variant is not that of RFC 9562';
