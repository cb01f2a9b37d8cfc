#include "registry/node/etcd/etcd_store.hpp"

#include "pg/report/words.hpp"
#include "registry/node/etcd/etcd_rows.hpp"
#include "registry/node/etcd/json.hpp"

namespace idgen::lease {
namespace {

// Reads only the registry's key, also that of a copy.
Reply look_at_registry(EtcdClient &client, bool may_be_copy, const Deadline &deadline, EtcdView &view,
                       Trouble &trouble) {
    EtcdAnswer answer{};
    EtcdTxn txn;
    txn.begin_work();
    txn.read(registry_key(client));
    Reply reply = ask(client, "kv/txn", txn.print(), deadline, answer, trouble);
    return reply == Reply::answered ? take_registry(answer, may_be_copy, view, trouble) : reply;
}

// Makes a registry that is not there yet, in this etcd.
bool begin_registry(EtcdRegistry &registry) {
    if (registry.mod_revision != 0) return true;
    return pg_strong_random(&registry.identity, sizeof(registry.identity));
}

Reply identify(void *self, RegistryIdentity &identity, Trouble &trouble) {
    EtcdStore &store = etcd_of(self);
    return until_done(store, trouble, [&](const Deadline &deadline, bool &is_done) {
        EtcdView view{};
        Reply reply = look_at_registry(store.client, false, deadline, view, trouble);
        if (reply != Reply::answered) return reply;
        EtcdRegistry next = view.registry;
        if (!begin_registry(next)) return put_trouble(trouble, Reply::silent, "there are no random bytes");
        identity = next.identity;
        is_done = view.registry.mod_revision != 0;
        return is_done ? reply : write_registry(store.client, view, next, deadline, is_done, trouble);
    });
}

bool is_owner(const EtcdNumber &number, const LeaseCall &call) noexcept {
    std::int64_t owner = number.row.incarnation;
    return owner != 0 && (owner == call.incarnation || (call.kind == CallKind::claim && owner == call.proposed));
}

// The lease that a node gets of what it asks for: one that was begun before the limit was lowered goes on.
int64 shortened(const EtcdRegistry &registry, int64 ttl_ms) noexcept {
    if (registry.longest_ttl_ms == 0) return ttl_ms;
    return ttl_ms == 0 ? registry.longest_ttl_ms : Min(ttl_ms, registry.longest_ttl_ms);
}

// What is written for people to read.
void sign(EtcdNumber &number, const LeaseCall &call, const Holder &holder, bool is_same_owner, int64 now_ms) {
    if (call.kind != CallKind::claim) return;
    number.name = holder.name;
    number.system_identifier = holder.system_identifier;
    number.timeline = holder.timeline;
    if (!is_same_owner) number.since_ms = now_ms;
}

// No server holds the number from now on.
void give_up(EtcdNumber &number, int64 now_ms) {
    idgen::release(number.row);
    number.lease = 0;
    number.lease_end_ms = number.lease_end_ms == 0 ? now_ms : Min(number.lease_end_ms, now_ms);
}

// Whether a claim asks for no more than the owner allows.
Reply check_limits(const EtcdRegistry &registry, const LeaseCall &call, int64 ttl_ms, Trouble &trouble) {
    if (call.kind != CallKind::claim) return Reply::answered;
    if (call.number > registry.largest_number)
        return put_trouble(trouble, Reply::limited, "this registry gives shards up to %s",
                           psprintf(INT64_FORMAT, registry.largest_number));
    if (shortened(registry, ttl_ms) != ttl_ms)
        return put_trouble(trouble, Reply::limited, "this registry gives leases of at most %s",
                           pg::duration_text(registry.longest_ttl_ms));
    return Reply::answered;
}

// Writes what a call that is granted makes of a number. A claim and an extension lengthen the lease, or begin one.
Reply write_granted(EtcdStore &store, const EtcdView &view, EtcdNumber next, const LeaseCall &call, int64 ttl_ms,
                    const Deadline &deadline, bool &is_done, Trouble &trouble) {
    if (call.kind == CallKind::stop) {
        give_up(next, view.now_ms);
        return write_number(store.client, view, call.number, next, HolderChange::remove, deadline, is_done, trouble);
    }
    bool is_same = is_owner(view.number, call) && view.number.ttl_ms == ttl_ms;
    next.lease = is_same ? view.number.lease : 0;
    next.ttl_ms = ttl_ms;
    next.lease_end_ms = ttl_ms == 0 ? 0 : view.now_ms + ttl_ms;
    Reply reply = ttl_ms == 0 ? Reply::answered : lengthen_lease(store.client, ttl_ms, deadline, next.lease, trouble);
    if (reply != Reply::answered) return reply;
    return write_number(store.client, view, call.number, next, HolderChange::put, deadline, is_done, trouble);
}

Reply make_call(void *self, const RegistryIdentity &identity, const LeaseCall &call, int64 ttl_ms, const Holder &holder,
                CallAnswer &answer, Trouble &trouble) {
    EtcdStore &store = etcd_of(self);
    return until_done(store, trouble, [&](const Deadline &deadline, bool &is_done) {
        EtcdView view{};
        Reply reply = look(store.client, call.number, deadline, view, trouble);
        if (reply != Reply::answered) return reply;
        if (!(view.registry.identity == identity))
            return put_trouble(trouble, Reply::foreign, "this is another registry");
        reply = check_limits(view.registry, call, ttl_ms, trouble);
        if (reply != Reply::answered) return reply;
        EtcdNumber next = view.number;
        answer = execute(next.row, call, {view.now_ms, ttl_ms, view.registry.max_ahead_ms});
        is_done = answer.outcome != CallOutcome::granted;
        if (is_done) return reply;
        sign(next, call, holder, is_owner(view.number, call), view.now_ms);
        return write_granted(store, view, next, call, shortened(view.registry, ttl_ms), deadline, is_done, trouble);
    });
}

Reply list(void *self, const NumberRange &range, Registration &registration, Trouble &trouble) {
    EtcdStore &store = etcd_of(self);
    MemoryContext caller = CurrentMemoryContext;
    return in_scratch(store.memory, [&] {
        return list_numbers(store.client, range, deadline_in(store.answer_ms), caller, registration, trouble);
    });
}

Reply release(void *self, int64 number, bool &had_owner, Trouble &trouble) {
    EtcdStore &store = etcd_of(self);
    return until_done(store, trouble, [&](const Deadline &deadline, bool &is_done) {
        EtcdView view{};
        Reply reply = look(store.client, number, deadline, view, trouble);
        if (reply != Reply::answered) return reply;
        EtcdNumber next = view.number;
        had_owner = next.row.incarnation != 0;
        is_done = !had_owner;
        if (is_done) return reply;
        give_up(next, view.now_ms);
        return write_number(store.client, view, number, next, HolderChange::remove, deadline, is_done, trouble);
    });
}

// The latest horizon that the registry knows, and whose it is.
struct Known {
    int64 at_ms;
    int64 number;  // -1: of the numbers without a row
};

Known latest_known(const Registration &registration) noexcept {
    Known known{registration.floor_ms, -1};
    for (size_t i = 0; i < registration.count; i++) {
        const ListedNumber &row = registration.rows[i].listed;
        if (row.horizon_ms > known.at_ms) known = {row.horizon_ms, row.number};
    }
    return known;
}

const char *text_of(const Known &known) {
    const char *at = pg::instant_text(known.at_ms);
    return known.number < 0 ? psprintf("the horizon of shards without a row is %s", at)
                            : psprintf("the horizon of shard %lld is %s", static_cast<long long>(known.number), at);
}

// The instant to which a registry is advanced: above all that was granted, as far as its clock shows, or one that is
// given. Denied: neither is safe.
Reply choose_instant(const EtcdView &view, const Known &known, const AdvanceTo &to, int64 &at_ms, Trouble &trouble) {
    constexpr int64 two_days_ms = int64{2} * 24 * 60 * 60 * 1000;
    std::int64_t safe_ms =
        instant_above_all({view.now_ms, view.registry.max_ahead_ms, to.longest_ahead_ms, known.at_ms});
    at_ms = to.at_ms != 0 ? to.at_ms : safe_ms;
    bool is_long = to.longest_ahead_ms >= view.registry.max_ahead_ms && to.longest_ahead_ms <= longest_ahead_ms;
    if (to.at_ms == 0 && !is_long)
        return put_trouble(trouble, Reply::denied,
                           "longest_ahead must lie between %s, the limit now in force, and 15 min",
                           pg::duration_text(view.registry.max_ahead_ms));
    if (at_ms == 0)
        return put_trouble(
            trouble, Reply::denied,
            "the clock of the etcd lies behind an instant that the registry knows: %s; if it is right, give an instant, at => now() + '15 min', or stop the nodes and wait; else correct it",
            text_of(known));
    if (at_ms < Max(view.now_ms, known.at_ms) || at_ms > view.now_ms + two_days_ms)
        return put_trouble(trouble, Reply::denied,
                           "the instant must lie above all that the registry knows, and at most two days ahead: %s",
                           text_of(known));
    return Reply::answered;
}

Reply advance(void *self, const AdvanceTo &to, int64 &at_ms, Trouble &trouble) {
    EtcdStore &store = etcd_of(self);
    return until_done(store, trouble, [&](const Deadline &deadline, bool &is_done) {
        EtcdView view{};
        Registration known{};
        Reply reply = look_at_registry(store.client, true, deadline, view, trouble);
        if (reply == Reply::answered)
            reply = list_numbers(store.client, all_numbers, deadline, CurrentMemoryContext, known, trouble);
        if (reply == Reply::answered) reply = choose_instant(view, latest_known(known), to, at_ms, trouble);
        if (reply != Reply::answered) return reply;
        EtcdRegistry next = view.registry;
        if (!begin_registry(next)) return put_trouble(trouble, Reply::silent, "there are no random bytes");
        next.floor_ms = Max(next.floor_ms, at_ms);
        next.advances++;
        next.cluster = view.cluster;
        return write_registry(store.client, view, next, deadline, is_done, trouble);
    });
}

Reply limit(void *self, const RegistryLimits &limits, Trouble &trouble) {
    EtcdStore &store = etcd_of(self);
    return until_done(store, trouble, [&](const Deadline &deadline, bool &is_done) {
        EtcdView view{};
        Reply reply = look_at_registry(store.client, false, deadline, view, trouble);
        if (reply != Reply::answered) return reply;
        EtcdRegistry next = view.registry;
        if (!begin_registry(next)) return put_trouble(trouble, Reply::silent, "there are no random bytes");
        if (limits.max_ahead_ms != 0) next.max_ahead_ms = limits.max_ahead_ms;
        if (limits.largest_number >= 0) next.largest_number = limits.largest_number;
        if (limits.longest_ttl_ms != 0) next.longest_ttl_ms = limits.longest_ttl_ms;
        return write_registry(store.client, view, next, deadline, is_done, trouble);
    });
}

// Removes one number if no server has held it for that long and its horizon is past. Numbers without a row begin no
// lower from then on.
Reply forget_number(EtcdStore &store, int64 number, int64 unused_ms, bool &is_forgotten, Trouble &trouble) {
    return until_done(store, trouble, [&](const Deadline &deadline, bool &is_done) {
        EtcdView view{};
        Reply reply = look(store.client, number, deadline, view, trouble);
        if (reply != Reply::answered) return reply;
        const EtcdNumber &row = view.number;
        bool is_free = row.row.incarnation == 0 || row.row.lease_end_ms <= view.now_ms;
        is_forgotten = row.mod_revision != 0 && is_free && row.lease_end_ms <= view.now_ms - unused_ms &&
                       row.row.horizon_ms <= view.now_ms;
        is_done = !is_forgotten;
        if (is_done) return reply;
        EtcdRegistry next = view.registry;
        next.floor_ms = Max(next.floor_ms, row.row.horizon_ms);
        return remove_number(store.client, view, number, next, deadline, is_done, trouble);
    });
}

Reply forget(void *self, int64 unused_ms, int64 &count, Trouble &trouble) {
    EtcdStore &store = etcd_of(self);
    Registration known{};
    Reply reply = list(self, all_numbers, known, trouble);
    count = 0;
    for (size_t i = 0; i < known.count && reply == Reply::answered; i++) {
        bool is_forgotten = false;
        if (known.rows[i].listed.is_free)
            reply = forget_number(store, known.rows[i].listed.number, unused_ms, is_forgotten, trouble);
        count += is_forgotten ? 1 : 0;
    }
    return reply;
}

// An etcd knows no locks.
Reply find_locker(void * /*self*/, const char * /*counter*/, int64 /*number*/, const char *&who,
                  Trouble & /*trouble*/) {
    who = nullptr;
    return Reply::answered;
}

void wait_up_to(void *self, int64 answer_ms) {
    etcd_of(self).answer_ms = answer_ms;
}

bool is_own(void * /*self*/) {
    return false;
}

void end_client(void *self) {
    close(etcd_of(self).client.http);
}

void close_store(void *self) {
    MemoryContextDelete(etcd_of(self).memory.own);
}

}  // namespace

bool open_etcd(const char *address, int64 answer_ms, Registry &registry, Trouble &trouble) {
    if (!load_curl()) {
        put_trouble(trouble, Reply::denied,
                    "a registry in etcd needs libcurl 7.66 or later: install the package libcurl4 (Debian) or libcurl");
        return false;
    }
    MemoryContext own = make_store_context();
    MemoryContext caller = MemoryContextSwitchTo(own);
    auto *store = static_cast<EtcdStore *>(palloc0(sizeof(EtcdStore)));
    EtcdAddress &parsed = store->client.address;
    begin_memory(store->memory, own, end_client, store);
    store->client.memory = own;
    store->answer_ms = answer_ms;
    bool is_good = parse_etcd_address(address, parsed, trouble);
    if (is_good && !open(store->client.http, {parsed.cacert, parsed.cert, parsed.key})) {
        put_trouble(trouble, Reply::silent, "too many files are open, or there is no memory");
        is_good = false;
    }
    if (is_good)
        registry = {store,
                    identify,
                    make_call,
                    list,
                    release,
                    advance,
                    limit,
                    forget,
                    fetch_from_etcd,
                    give_back_to_etcd,
                    manage_etcd_counter,
                    list_etcd_counters,
                    find_locker,
                    wait_up_to,
                    is_own,
                    close_store};
    MemoryContextSwitchTo(caller);
    if (!is_good) MemoryContextDelete(own);
    return is_good;
}

}  // namespace idgen::lease
