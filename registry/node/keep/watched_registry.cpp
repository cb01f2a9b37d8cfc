#include "registry/node/keep/watched_registry.hpp"

#include <unistd.h>
#include <algorithm>

#include "core/text/text_part.hpp"
#include "pg/host/clock.hpp"
#include "pg/report/words.hpp"
#include "registry/node/store/trouble.hpp"

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

NumberList list_of(const Registration &registration) {
    auto *rows = static_cast<ListedNumber *>(palloc(Max(registration.count, 1) * sizeof(ListedNumber)));
    for (size_t i = 0; i < registration.count; i++) rows[i] = registration.rows[i].listed;
    return {rows, registration.count, registration.floor_ms};
}

NumberList list_with(const Registration &registration, const GrantedHorizons &granted) {
    NumberList list = list_of(registration);
    auto *rows = static_cast<ListedNumber *>(palloc((list.count + most_granted) * sizeof(ListedNumber)));
    ListedNumber *end = std::copy(list.rows, list.rows + list.count, rows);
    for (const GrantedHorizon &row : granted.rows) {
        ListedNumber known = listed_number(list, row.number);
        if (row.horizon_ms <= known.horizon_ms) continue;
        known.horizon_ms = row.horizon_ms;
        ListedNumber *there =
            std::find_if(rows, end, [&known](const ListedNumber &other) { return other.number == known.number; });
        *there = known;
        end = std::max(end, there + 1);
    }
    std::sort(rows, end, [](const ListedNumber &a, const ListedNumber &b) { return a.number < b.number; });
    return {rows, static_cast<size_t>(end - rows), list.floor_ms};
}

const char *held_by(const Registration &registration, int64 number) {
    for (size_t i = 0; i < registration.count; i++) {
        const RegisteredNumber &row = registration.rows[i];
        if (row.listed.number != number) continue;
        return psprintf("shard %lld is held by \"%s\", system %lld", static_cast<long long>(number), row.name,
                        static_cast<long long>(row.system_identifier));
    }
    return psprintf("shard %lld is held by another server", static_cast<long long>(number));
}

void OlderRegistryWatch::look_at(const Registration &registration, const NumberRange &range) {
    OlderRegistry older = find_older(leases_.granted, list_of(registration), range);
    if (older.granted_ms != 0) return publish(older);
    // advance() lifts every number, and with them those that no server has held.
    Guard<pg::LightLock> guard(leases_.lock);
    if (registration.floor_ms >= leases_.registry.older.granted_ms) leases_.registry.older = {};
}

void OlderRegistryWatch::look_at_claim(int64 number, int64 horizon_ms) {
    int64 granted = granted_ms(leases_.granted, number);
    if (horizon_ms < granted) publish({number, granted, horizon_ms});
}

bool OlderRegistryWatch::is_published() const noexcept {
    Guard<pg::LightLock> guard(leases_.lock);
    return leases_.registry.older.granted_ms != 0;
}

namespace {

void warn_older_registry(int64 number, int64 granted_ms, int64 known_ms) {
    ereport(
        WARNING, errcode(ERRCODE_WARNING), errmsg("the registry has lost horizons that it had granted"),
        errdetail(
            "It granted shard %lld to this server up to %s, and now says %s: it was restored to an older state, is new or damaged, and was not advanced.",
            static_cast<long long>(number), pg::instant_text(granted_ms), pg::instant_text(known_ms)),
        errhint("%s", pg::older_registry_hint(granted_ms)));
}

void log_registry_back() {
    ereport(LOG, errmsg("shards of this server are kept again"));
}

constexpr int64 shortest_answer_ms = 250, longest_answer_ms = 10000;

// Long enough for a slow store, short enough that there is time for another try within the window.
int64 patience(int64 window_ms) noexcept {
    return Min(Max(window_ms / 4, shortest_answer_ms), longest_answer_ms);
}

// What others see of this server: cluster_name, or host and port if it has none. A registry refuses control characters.
const char *own_name() {
    const char *name = GetConfigOption("cluster_name", true, false);
    char host[64] = "";
    gethostname(host, sizeof(host) - 1);
    char *shown = name != nullptr && name[0] != '\0' ? pstrdup(name) : psprintf("%s:%d", host, PostPortNumber);
    for (char *c = shown; *c != '\0'; c++)
        if (IS_HIGHBIT_SET(*c) || control_size({c, 1}) != 0) *c = '?';
    return shown;
}

}  // namespace

// Once, until it is over: the highest R that is known to be missing.
void OlderRegistryWatch::publish(const OlderRegistry &older) {
    bool was_published = is_published();
    {
        Guard<pg::LightLock> guard(leases_.lock);
        OlderRegistry &published = leases_.registry.older;
        if (older.granted_ms > published.granted_ms) published = older;
    }
    if (!was_published) warn_older_registry(older.number, older.granted_ms, older.known_ms);
}

bool WatchedRegistry::is_ready(RecordPage &record) {
    if (is_known_) return true;
    if (!record.read()) {
        note_trouble(record.obstacle());
        return false;
    }
    return open() && identify(record.page().registry);
}

bool WatchedRegistry::open() {
    if (is_open_) return true;
    if (answer_ms_ == 0) answer_ms_ = patience(gate_.rules().window_ms);
    MemoryContext before = MemoryContextSwitchTo(TopMemoryContext);
    is_open_ = open_registry(gate_.settings().registry, answer_ms_, store_, trouble_);
    MemoryContextSwitchTo(before);
    if (!is_open_) note_trouble(trouble_.sentence);
    return is_open_;
}

bool WatchedRegistry::identify(const RegistryIdentity &expected) {
    RegistryIdentity met{};
    is_known_ = false;
    if (!heard(store_.identify(store_.self, met, trouble_))) return false;
    if (is_known(expected) && !(expected == met)) {
        note_trouble(psprintf(
            "idgen.registry is another registry, %s, than this server knows, %s; advance it where others have shards of that one, then call idgen_lease.confirm_registry()",
            print_identity(met), print_identity(expected)));
        return false;
    }
    identity_ = met;
    is_known_ = true;
    return true;
}

bool WatchedRegistry::is_there() {
    RegistryIdentity met{};
    return open() && heard(store_.identify(store_.self, met, trouble_));
}

bool WatchedRegistry::call(const LeaseCall &call, CallAnswer &answer) {
    if (!open()) return false;
    Holder holder{own_name(), static_cast<int64>(GetSystemIdentifier()), static_cast<int32>(GetWALInsertionTimeLine())};
    return heard(store_.call(store_.self, identity_, call, gate_.rules().ttl_ms, holder, answer, trouble_));
}

bool WatchedRegistry::fetch(FetchCall *calls, size_t count) {
    return open() && heard_of_counters(store_.fetch(store_.self, identity_, calls, count, trouble_));
}

bool WatchedRegistry::give_back(GiveBackCall *calls, size_t count) {
    return open() && heard_of_counters(store_.give_back(store_.self, identity_, calls, count, trouble_));
}

bool WatchedRegistry::list_counters(CounterList &list) {
    return open() && heard_of_counters(store_.list_counters(store_.self, list, trouble_));
}

const char *WatchedRegistry::find_locker(const char *counter, int64 number) {
    const char *who = nullptr;
    Trouble unused;
    if (!open() || store_.find_locker(store_.self, counter, number, who, unused) != Reply::answered) return nullptr;
    return who;
}

bool WatchedRegistry::list(const NumberRange &range, Registration &registration) {
    return open() && heard(store_.list(store_.self, range, registration, trouble_)) && identify(identity_);
}

bool WatchedRegistry::heard(Reply reply) {
    is_locked_ = reply == Reply::locked;
    limit_ = reply == Reply::limited || is_locked_ ? trouble_.sentence : nullptr;
    bool is_there = reply == Reply::answered || limit_ != nullptr;
    note_answer(is_there);
    strlcpy(failure_, is_there ? "" : trouble_.sentence, sizeof(failure_));
    // It may come back as another.
    if (!is_there) is_known_ = is_known_ && reply == Reply::silent;
    return reply == Reply::answered;
}

bool WatchedRegistry::heard_of_counters(Reply reply) {
    bool is_denied = reply == Reply::denied;
    strlcpy(refusal_, is_denied ? trouble_.sentence : "", sizeof(refusal_));
    is_locked_ = false;
    return is_denied ? false : heard(reply);
}

void WatchedRegistry::note_answer(bool is_answered) noexcept {
    pg::SharedLeases &leases = gate_.leases();
    Guard<pg::LightLock> guard(leases.lock);
    pg::RegistryState &state = leases.registry;
    if (is_answered) state.answered_ms = pg::wall_ms();
    if (is_answered || state.silent_since_ms == 0) state.silent_since_ms = is_answered ? 0 : pg::wall_ms();
}

void WatchedRegistry::note_trouble(const char *sentence) {
    if (strstr(noted_, sentence) != nullptr) return;
    size_t noted = strlen(noted_);
    const char *more = psprintf("%s%s", noted == 0 ? "" : "; ", sentence);
    int room = static_cast<int>(sizeof(noted_) - noted) - 1;
    int size = pg_mbcliplen(more, static_cast<int>(strlen(more)), room);
    memcpy(noted_ + noted, more, static_cast<size_t>(size));
    noted_[noted + static_cast<size_t>(size)] = '\0';
}

void WatchedRegistry::end_round(const pg::CounterState &counters, bool are_numbers_free) {
    if (failure_[0] != '\0') note_trouble(failure_);
    publish_counters(counters);
    publish(noted_, are_numbers_free);
    noted_[0] = '\0';
}

void WatchedRegistry::publish_counters(const pg::CounterState &counters) {
    pg::SharedLeases &leases = gate_.leases();
    Guard<pg::LightLock> guard(leases.lock);
    leases.registry.counters = counters;
    // None of them gets any then.
    if (refusal_[0] == '\0') return;
    leases.registry.counters.in_trouble = counters.count;
    strlcpy(leases.registry.counters.trouble, refusal_, sizeof(leases.registry.counters.trouble));
}

// Says what is in the way; empty: nothing. A text lives as long as what it says.
void WatchedRegistry::publish(const char *text, bool are_numbers_free) {
    pg::SharedLeases &leases = gate_.leases();
    bool is_new = false, was_away = false;
    {
        Guard<pg::LightLock> guard(leases.lock);
        pg::RegistryState &state = leases.registry;
        is_new = strcmp(state.trouble, text) != 0;
        was_away = state.trouble[0] != '\0';
        strlcpy(state.trouble, text, sizeof(state.trouble));
    }
    bool is_well = text[0] == '\0';
    if (!is_well && (is_new || !is_logged_)) {
        is_logged_ = budget_.spend(most_troubles);
        if (is_logged_) log_registry_away(text);
    }
    if (!is_well) return;
    bool is_over = (was_away && is_logged_) || are_numbers_free;
    if (is_over && budget_.spend(most_troubles)) log_registry_back();
    is_logged_ = true;
}

void WatchedRegistry::close() {
    if (is_open_) store_.close(store_.self);
    is_open_ = is_known_ = false;
    failure_[0] = refusal_[0] = '\0';
}

void WatchedRegistry::wait_up_to(int64 answer_ms) {
    answer_ms_ = answer_ms;
    if (is_open_) store_.wait_up_to(store_.self, answer_ms);
}

}  // namespace idgen::lease
