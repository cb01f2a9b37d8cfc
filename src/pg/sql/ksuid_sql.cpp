// The SQL face of the type ksuid.
#include "core/kinds/time_prefixed.hpp"

#include "pg/host/entropy.hpp"
#include "pg/sql/time_prefixed_entries.hpp"

namespace idgen::pg {
extern "C" {

TIME_PREFIXED_ENTRIES(ksuid, Ksuid);
PG_FUNCTION_INFO_V1(idgen_next_ksuid);

Datum idgen_next_ksuid(PG_FUNCTION_ARGS) {
    uint8 random[Ksuid::tail_size];
    fill_random(random, sizeof(random));
    return prefixed_datum(composed<Ksuid>(stamp_of_clock<Ksuid, ksuid_form>(), random));
}

}  // extern "C"
}  // namespace idgen::pg
