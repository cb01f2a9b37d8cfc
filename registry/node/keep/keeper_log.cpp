#include "registry/node/keep/keeper_log.hpp"

#include "pg/report/words.hpp"

namespace idgen::lease {

void NumberTroubles::publish(uint32 index, const char *sentence) {
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
    ereport(LOG, errmsg("shards of this server cannot be kept now: %s", sentence),
            errdetail("IDs go on up to the horizons that the registry has granted."),
            errhint("SELECT * FROM idgen.status() says how far that is."));
}

void log_number_claimed(int64 number, int64 claimed_ms) {
    ereport(LOG, errmsg("this server has claimed shard %lld from the registry", static_cast<long long>(number)),
            claimed_ms == 0
                ? errdetail("No other owner has held it before.")
                : errdetail("Its IDs begin at %s or at the clock, whichever is later.", pg::instant_text(claimed_ms)));
}

void log_number_resumed(int64 number, int64 from_ms) {
    ereport(LOG, errmsg("this server goes on with shard %lld as it was left", static_cast<long long>(number)),
            errdetail("All IDs that it made before lie below %s.", pg::instant_text(from_ms)));
}

void log_number_lost(int64 number) {
    ereport(
        LOG, errmsg("this server has lost shard %lld to another owner", static_cast<long long>(number)),
        errdetail(
            "The registry refused to extend its horizon: its lease had ended, it was released, or a copy of this server claimed it. This server makes no more IDs with it."));
}

void log_number_left(const char *why) {
    ereport(LOG, errmsg("this server leaves a shard that it cannot keep: %s", why),
            errdetail("It claims another one, and makes no more IDs with this one."));
}

void log_number_stopped(int64 number, int64 horizon_ms) {
    ereport(LOG, errmsg("this server has stopped using shard %lld", static_cast<long long>(number)),
            errdetail("All of its IDs lie below %s.", pg::instant_text(horizon_ms)));
}

}  // namespace idgen::lease
