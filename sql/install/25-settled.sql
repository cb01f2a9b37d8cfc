-- Reading by ID

CREATE PROCEDURE id_settled(INOUT upto bigint DEFAULT NULL, layout id_layout DEFAULT 'instagram')
    AS 'MODULE_PATHNAME', 'idgen_settled' LANGUAGE C;

COMMENT ON PROCEDURE id_settled(bigint, id_layout) IS
    'gives the first ID up to which all is settled: whoever reads after the call sees every row below it that its own transaction drew the ID of';
