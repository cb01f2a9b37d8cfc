// Only for tests: calls a maker by one and the same FmgrInfo while the session lives, as code in C may that keeps
// one.
//
//      CREATE FUNCTION kept_call(maker regprocedure, shard bigint, layout id_layout) RETURNS bigint
#include "pg/postgres.hpp"

extern "C" {
PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(kept_call);

Datum kept_call(PG_FUNCTION_ARGS) {
    static FmgrInfo kept;
    if (kept.fn_oid == InvalidOid) fmgr_info_cxt(PG_GETARG_OID(0), &kept, TopMemoryContext);
    return FunctionCall2(&kept, PG_GETARG_DATUM(1), PG_GETARG_DATUM(2));
}
}
