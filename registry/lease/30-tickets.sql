-- Numbers of the registry's counters. The right to draw them is granted: GRANT EXECUTE ON FUNCTION next_ticket(text) TO
-- ...
CREATE FUNCTION @extschema@.next_ticket(name text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_next_ticket' LANGUAGE C VOLATILE PARALLEL SAFE SUPPORT idgen.maker_support;
CREATE FUNCTION @extschema@.next_tickets(name text, n bigint) RETURNS int8range
    AS 'MODULE_PATHNAME', 'idgen_next_tickets' LANGUAGE C VOLATILE PARALLEL SAFE;

CREATE FUNCTION idgen_lease.counters(
    OUT name text, OUT next bigint, OUT max bigint, OUT block bigint, OUT max_block bigint, OUT awaits_advance boolean)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'idgen_counters' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 16;
CREATE FUNCTION idgen_lease.create_counter(name text, start bigint DEFAULT NULL, block bigint DEFAULT 10, max bigint DEFAULT 9223372036854775806,
    max_block bigint DEFAULT 100000) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_create_counter' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_lease.drop_counter(name text, forget boolean DEFAULT false) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_drop_counter' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_lease.set_counter_max(name text, max bigint) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_set_counter_max' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_lease.set_counter_block(name text, block bigint, max_block bigint) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_set_counter_block' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_lease.advance_counter(name text, next bigint) RETURNS void
    AS 'MODULE_PATHNAME', 'idgen_advance_counter' LANGUAGE C VOLATILE PARALLEL UNSAFE;
CREATE FUNCTION idgen_lease.stat_counter(
    OUT name text, OUT state text, OUT held bigint, OUT block bigint, OUT last_fetched bigint, OUT drawn bigint, OUT fetches bigint, OUT waits bigint,
    OUT left_out bigint, OUT max bigint, OUT locked_by text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'idgen_stat_counter' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 16;
CREATE VIEW idgen_lease.stat_counter AS
SELECT name, state, held, block, last_fetched, drawn, fetches, waits, left_out, max, locked_by FROM idgen_lease.stat_counter();

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA idgen_lease FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION next_ticket(text), next_tickets(text, bigint) FROM PUBLIC;

COMMENT ON FUNCTION @extschema@.next_ticket(text) IS
    'the next number that this server holds of the counter name of the registry: small, dense, unique across servers';
COMMENT ON FUNCTION @extschema@.next_tickets(text, bigint) IS 'the next n numbers of the counter name, 1 to 1000000000, in a row';
COMMENT ON FUNCTION idgen_lease.counters() IS
    'the counters of the registry: the next number that it gives, null if none is left; the last there is; how many a server gets at once';
COMMENT ON FUNCTION idgen_lease.create_counter(text, bigint, bigint, bigint, bigint) IS
    'a new counter, which gives the numbers from start to max; without start from 1, or from above those of a dropped one of that name. A server gets at least block, at most max_block of them at once. In PostgreSQL only the registry''s owner may';
COMMENT ON FUNCTION idgen_lease.drop_counter(text, boolean) IS
    'takes a counter away; what it gave is remembered, so that another one of that name begins above. forget: it is not, and numbers can come again. In PostgreSQL only the registry''s owner may';
COMMENT ON FUNCTION idgen_lease.set_counter_max(text, bigint) IS
    'max, the last number that the counter name gives, not below what it gave. In PostgreSQL only the registry''s owner may';
COMMENT ON FUNCTION idgen_lease.set_counter_block(text, bigint, bigint) IS
    'how many numbers of the counter name a server gets at once: at least block and at most max_block, 1 to 1000000000. In PostgreSQL only the registry''s owner may';
COMMENT ON FUNCTION idgen_lease.advance_counter(text, bigint) IS
    'the counter name goes on at next, above every number that was given: to be said after advance_registry(). In PostgreSQL only the registry''s owner may';
COMMENT ON FUNCTION idgen_lease.stat_counter() IS 'what the view idgen_lease.stat_counter shows';
COMMENT ON VIEW idgen_lease.stat_counter IS 'the counters of which this server holds numbers, and what was drawn since it started';
