#include "lease/keep/keeper_log.hpp"

namespace idgen::lease {

void NumberTroubles::tell(uint32 index, const char *sentence) {
    pg::SharedLeases &leases = gate_.leases();
    pg::SharedLease &entry = leases.leases[index];
    char text[pg::trouble_size] = "";
    if (sentence != nullptr) {
        auto length = static_cast<int>(strlen(sentence));
        memcpy(text, sentence, static_cast<size_t>(pg_mbcliplen(sentence, length, sizeof(text) - 1)));
    }
    // It reads without the lock what no other process writes.
    bool is_new = strcmp(entry.trouble, text) != 0;
    if (is_new) {
        Guard<pg::LightLock> guard(leases.lock);
        strlcpy(entry.trouble, text, sizeof(entry.trouble));
    }
    is_logged_[index] &= !is_new;
    if (text[0] == '\0' || is_logged_[index]) return;
    is_logged_[index] = is_logged_for_another(index, text);
    if (is_logged_[index] || !budget_.spend(most_troubles)) return;
    is_logged_[index] = was_any_logged_ = true;
    log_registry_away(text);
}

// One sentence may be true of several numbers.
bool NumberTroubles::is_logged_for_another(uint32 index, const char *sentence) const noexcept {
    const pg::SharedLeases &leases = gate_.leases();
    for (uint32 i = 0; i < pg::max_leases; i++)
        if (i != index && is_logged_[i] && strcmp(leases.leases[i].trouble, sentence) == 0) return true;
    return false;
}

bool NumberTroubles::are_over(bool is_well) noexcept {
    bool are_over = is_well && was_any_logged_;
    if (is_well) was_any_logged_ = false;
    return are_over;
}

void log_registry_away(const char *sentence) {
    ereport(LOG, errmsg("numbers of this server cannot be kept now: %s", sentence),
            errdetail("IDs go on up to the horizons that the registry has granted."),
            errhint("SELECT * FROM idgen.status() says how far that is."));
}

}  // namespace idgen::lease
