// Guards that live in the caller of the core, each of which a run can do without, to show that the
// oracle notices. Guards inside the core are removed by patching a copy of it; see the Makefile.
#pragma once

#include <cstring>

namespace idgen::sim {

enum class Weakness {
    none,
    no_flush,            // a window is granted before its record is flushed
    no_ceiling,          // the lead is unlimited
    volatile_debt,       // the new identity is written while the raised floor is in memory only
    cancel_grants,       // a cancelled wait for the standby counts as acknowledged
    past_persisted,      // the record holds the time reached, not the end of the window
    floor_before_grant,  // the floor is read before the grant that rests on it
    retired_unraised,    // a slot is reused without raising the floor
    advanced_tick_kept,  // an advance leaves the rest of the tick below it to a slot
    generation_ignored,  // a session keeps its handle to a slot that was given away
};

struct WeaknessName {
    Weakness weakness;
    const char *name;
};
constexpr WeaknessName weakness_names[] = {
    {Weakness::none, "none"},
    {Weakness::no_flush, "no_flush"},
    {Weakness::no_ceiling, "no_ceiling"},
    {Weakness::volatile_debt, "volatile_debt"},
    {Weakness::cancel_grants, "cancel_grants"},
    {Weakness::past_persisted, "past_persisted"},
    {Weakness::floor_before_grant, "floor_before_grant"},
    {Weakness::retired_unraised, "retired_unraised"},
    {Weakness::advanced_tick_kept, "advanced_tick_kept"},
    {Weakness::generation_ignored, "generation_ignored"},
};

inline bool find_weakness(const char *name, Weakness &weakness) noexcept {
    for (const WeaknessName &entry : weakness_names) {
        if (std::strcmp(entry.name, name) != 0) continue;
        weakness = entry.weakness;
        return true;
    }
    return false;
}

}  // namespace idgen::sim
