-- The comparisons of id64 with bigint in the operator families of id64, so that its indexes, partitions and joins know
-- them. Sorting and hashing the other side of a join takes comparisons of two bigints in the same family. Those of the
-- server would then be in two families, and it would no longer see that a bigint and an integer are joined alike.

CREATE FUNCTION idgen.id64_cmp_bigint(id64, bigint) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_btint8cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
CREATE FUNCTION idgen.bigint_cmp_id64(bigint, id64) RETURNS integer
    AS 'MODULE_PATHNAME', 'idgen_btint8cmp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

COMMENT ON FUNCTION idgen.id64_cmp_bigint(id64, bigint) IS 'less, equal or greater: negative, 0 or positive';
COMMENT ON FUNCTION idgen.bigint_cmp_id64(bigint, id64) IS 'less, equal or greater: negative, 0 or positive';

ALTER OPERATOR FAMILY id64_ops USING btree ADD
    OPERATOR 1 < (id64, bigint),
    OPERATOR 2 <= (id64, bigint),
    OPERATOR 3 = (id64, bigint),
    OPERATOR 4 >= (id64, bigint),
    OPERATOR 5 > (id64, bigint),
    FUNCTION 1 (id64, bigint) idgen.id64_cmp_bigint(id64, bigint),
    OPERATOR 1 < (bigint, id64),
    OPERATOR 2 <= (bigint, id64),
    OPERATOR 3 = (bigint, id64),
    OPERATOR 4 >= (bigint, id64),
    OPERATOR 5 > (bigint, id64),
    FUNCTION 1 (bigint, id64) idgen.bigint_cmp_id64(bigint, id64),
    OPERATOR 1 *< (bigint, bigint),
    OPERATOR 2 *<= (bigint, bigint),
    OPERATOR 3 *= (bigint, bigint),
    OPERATOR 4 *>= (bigint, bigint),
    OPERATOR 5 *> (bigint, bigint),
    FUNCTION 1 (bigint, bigint) pg_catalog.btint8cmp(bigint, bigint),
    FUNCTION 2 (bigint, bigint) pg_catalog.btint8sortsupport(internal);
ALTER OPERATOR FAMILY id64_ops USING hash ADD
    OPERATOR 1 = (id64, bigint),
    OPERATOR 1 = (bigint, id64),
    OPERATOR 1 *= (bigint, bigint),
    FUNCTION 1 (bigint, bigint) pg_catalog.hashint8(bigint),
    FUNCTION 2 (bigint, bigint) pg_catalog.hashint8extended(bigint, bigint);
ALTER OPERATOR FAMILY id64_minmax_ops USING brin ADD
    OPERATOR 1 < (id64, bigint),
    OPERATOR 2 <= (id64, bigint),
    OPERATOR 3 = (id64, bigint),
    OPERATOR 4 >= (id64, bigint),
    OPERATOR 5 > (id64, bigint);
ALTER OPERATOR FAMILY id64_minmax_multi_ops USING brin ADD
    OPERATOR 1 < (id64, bigint),
    OPERATOR 2 <= (id64, bigint),
    OPERATOR 3 = (id64, bigint),
    OPERATOR 4 >= (id64, bigint),
    OPERATOR 5 > (id64, bigint);
ALTER OPERATOR FAMILY id64_bloom_ops USING brin ADD
    OPERATOR 1 = (id64, bigint);
