#include "kinds/pg/kinds_state.hpp"

#include "kinds/core/decimal_id.hpp"
#include "pg/report/words.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {

int decimal_launch = 0;

void define_kinds_settings() {
    DefineCustomIntVariable("idgen.decimal_launch", "Sets the launch number, the last five digits of DecimalIds.",
                            "Each database that makes them beside others has its own; 0 means a test.", &decimal_launch,
                            0, 0, last_launch, PGC_SUSET, 0, nullptr, nullptr, nullptr);
}

size_t size_of_kinds() noexcept {
    return sizeof(SharedKinds);
}

void initialise(SharedKinds &kinds) noexcept {
    kinds.ulid.mutex.initialise();
    kinds.ulid.log_budget.initialise();
    kinds.uuidv7.mutex.initialise();
    kinds.uuidv7.log_budget.initialise();
}

void log_new_order(LogBudget &budget, const char *kind, int64 now_ms, int64 behind_ms) {
    if (!budget.spend(1)) return;
    ereport(LOG,
            errmsg("the order of %s begins again at the clock, %s below the last one", kind, duration_text(behind_ms)),
            errdetail("The last one says %s, the clock says %s: one of the two is wrong.",
                      instant_text(now_ms + behind_ms), instant_text(now_ms)),
            errhint("See what set the clock; values of before may sort above those made from now on."));
}

}  // namespace idgen::pg
