-- Reading by ID

CREATE FUNCTION id_settled(layout id_layout DEFAULT 'instagram') RETURNS bigint
    AS 'MODULE_PATHNAME', 'idgen_settled' LANGUAGE C STABLE PARALLEL RESTRICTED;

COMMENT ON FUNCTION id_settled(id_layout) IS
    'the first ID up to which the query that calls it sees every row that will ever be there; null if that is not known';
