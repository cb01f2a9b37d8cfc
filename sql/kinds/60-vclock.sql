-- Vector clocks of rows that are written in several places: jsonb objects of node and counter

CREATE FUNCTION vclock_next(vclock jsonb, node text) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'idgen_vclock_next' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION vclock_merge(a jsonb, b jsonb) RETURNS jsonb
    AS 'MODULE_PATHNAME', 'idgen_vclock_merge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION vclock_compare(a jsonb, b jsonb) RETURNS text
    AS 'MODULE_PATHNAME', 'idgen_vclock_compare' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE AGGREGATE vclock_merge_agg(vclock jsonb) (
    SFUNC = vclock_merge, STYPE = jsonb, INITCOND = '{}', COMBINEFUNC = vclock_merge, PARALLEL = SAFE
);

COMMENT ON FUNCTION vclock_next(jsonb, text) IS 'vector clock after one more write of the node';
COMMENT ON FUNCTION vclock_merge(jsonb, jsonb) IS 'smallest vector clock that has seen what either has: the larger counter of each node';
COMMENT ON FUNCTION vclock_compare(jsonb, jsonb) IS 'before, after, equal, or concurrent: written without knowledge of each other';
COMMENT ON AGGREGATE vclock_merge_agg(jsonb) IS 'vector clock that has seen what any has; {} of no rows';
