-- What an audit counts.

-- The facts of a column as json, null if it has no row. Arguments: a number; the table or partition that holds the row,
-- null if the order is not known; the instant that turns are near to and the future lies ahead of; the layout. Rows come
-- in the order in which they are stored: a parallel plan would break it.
CREATE FUNCTION idgen.audit_row(internal, bigint, oid, timestamptz, id_layout) RETURNS internal
    AS 'MODULE_PATHNAME', 'idgen_audit_row' LANGUAGE C STABLE PARALLEL UNSAFE;
CREATE FUNCTION idgen.audit_end(internal) RETURNS json
    AS 'MODULE_PATHNAME', 'idgen_audit_end' LANGUAGE C STABLE PARALLEL UNSAFE;
CREATE AGGREGATE idgen.audit_facts(bigint, oid, timestamptz, id_layout) (
    SFUNC = idgen.audit_row, STYPE = internal, SSPACE = 65536, FINALFUNC = idgen.audit_end, FINALFUNC_MODIFY = READ_WRITE, PARALLEL = UNSAFE
);

COMMENT ON FUNCTION idgen.audit_row(internal, bigint, oid, timestamptz, id_layout) IS 'part of the audit of a column';
COMMENT ON FUNCTION idgen.audit_end(internal) IS 'part of the audit of a column';
COMMENT ON AGGREGATE idgen.audit_facts(bigint, oid, timestamptz, id_layout) IS 'part of the audit of a column';
