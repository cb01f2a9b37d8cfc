-- Order across nodes: the hybrid logical clock, and the bounds of the clock

CREATE FUNCTION hlc_now() RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_hlc_now' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION hlc_receive(remote bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_hlc_receive' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION hlc_time(hlc bigint) RETURNS timestamptz
    AS 'MODULE_PATHNAME', 'idgen_hlc_time' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hlc_logical(hlc bigint) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_hlc_logical' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hlc_make(at timestamptz, logical integer DEFAULT 0) RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_hlc_make' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION clock_bounds() RETURNS tstzrange
    AS 'MODULE_PATHNAME', 'idgen_clock_bounds' LANGUAGE C VOLATILE PARALLEL SAFE;
CREATE FUNCTION wait_until_past(at timestamptz) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_wait_until_past' LANGUAGE C VOLATILE PARALLEL SAFE;

COMMENT ON FUNCTION hlc_now() IS 'timestamp of an event by the database''s hybrid logical clock: 48 bits of unix ms, 16 bits logical';
COMMENT ON FUNCTION hlc_receive(bigint) IS 'timestamp of the receipt of another node''s timestamp: above it and above all of this database';
COMMENT ON FUNCTION hlc_time(bigint) IS 'time of an HLC timestamp; null for a negative number';
COMMENT ON FUNCTION hlc_logical(bigint) IS 'logical part of an HLC timestamp; null for a negative number';
COMMENT ON FUNCTION hlc_make(timestamptz, integer) IS 'the HLC timestamp with that time and logical part, for bounds and tests';
COMMENT ON FUNCTION clock_bounds() IS 'the earliest and the latest instant that it can be, by the kernel''s NTP state';
COMMENT ON FUNCTION wait_until_past(timestamptz) IS 'waits until an instant is certainly past, by the kernel''s NTP state';
