#include "lease/store/etcd_store.hpp"

#include "lease/store/etcd_list.hpp"
#include "lease/store/etcd_txn.hpp"
#include "lease/store/etcd_view.hpp"
#include "lease/store/store_memory.hpp"
#include "lease/store/trouble.hpp"

namespace idgen::lease {
namespace {

struct EtcdStore {
    StoreMemory memory;
    EtcdClient client;
    int64 answer_ms;
};

constexpr int64 longest_pause_ms = 63;

EtcdStore &store_of(void *self) noexcept {
    return *static_cast<EtcdStore *>(self);
}

// Does what a call does until nobody else wrote between its look and its write.
template <typename Try>
Reply until_done(EtcdStore &store, Trouble &trouble, Try once) {
    Deadline deadline = deadline_in(store.answer_ms);
    for (int64 pause_ms = 0;; pause_ms = Min(pause_ms * 2 + 1, longest_pause_ms)) {
        bool is_done = false;
        Reply reply = in_scratch(store.memory, [&] { return once(deadline, is_done); });
        if (reply != Reply::answered || is_done) return reply;
        Wake wake = sleep_within(pause_ms, deadline);
        if (wake != Wake::ready) return put_trouble(trouble, Reply::silent, sentence_of(wake));
    }
}

// Reads the registry's key alone, also that of a copy.
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
    EtcdStore &store = store_of(self);
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
    return owner != 0 &&
           (owner == call.incarnation || (call.kind == CallKind::claim && owner == call.proposed));
}

// What is written for eyes.
void sign(EtcdNumber &number, const LeaseCall &call, const Holder &holder, bool is_same_owner, int64 now_ms) {
    if (call.kind != CallKind::claim) return;
    number.name = holder.name;
    number.system_identifier = holder.system_identifier;
    number.timeline = holder.timeline;
    if (!is_same_owner) number.since_ms = now_ms;
}

// Writes what a call that is granted makes of a number. A claim and an extension lengthen the lease, or begin
// one.
Reply write_granted(EtcdStore &store, const EtcdView &view, EtcdNumber next, const LeaseCall &call,
                    int64 ttl_ms, const Deadline &deadline, bool &is_done, Trouble &trouble) {
    if (call.kind == CallKind::stop)
        return write_number(store.client, view, call.number, next, HolderChange::keep, deadline, is_done,
                            trouble);
    bool is_same = is_owner(view.number, call) && view.number.ttl_ms == ttl_ms;
    next.lease = is_same ? view.number.lease : 0;
    next.ttl_ms = ttl_ms;
    next.lease_end_ms = ttl_ms == 0 ? 0 : view.now_ms + ttl_ms;
    Reply reply =
        ttl_ms == 0 ? Reply::answered : lengthen_lease(store.client, ttl_ms, deadline, next.lease, trouble);
    if (reply != Reply::answered) return reply;
    return write_number(store.client, view, call.number, next, HolderChange::put, deadline, is_done, trouble);
}

Reply make_call(void *self, const RegistryIdentity &identity, const LeaseCall &call, int64 ttl_ms,
                const Holder &holder, CallAnswer &answer, Trouble &trouble) {
    EtcdStore &store = store_of(self);
    return until_done(store, trouble, [&](const Deadline &deadline, bool &is_done) {
        EtcdView view{};
        Reply reply = look(store.client, call.number, deadline, view, trouble);
        if (reply != Reply::answered) return reply;
        if (!(view.registry.identity == identity))
            return put_trouble(trouble, Reply::foreign, "this is another registry");
        EtcdNumber next = view.number;
        answer = execute(next.row, call, {view.now_ms, ttl_ms, view.registry.max_ahead_ms});
        is_done = answer.outcome != CallOutcome::granted;
        if (is_done) return reply;
        sign(next, call, holder, is_owner(view.number, call), view.now_ms);
        return write_granted(store, view, next, call, ttl_ms, deadline, is_done, trouble);
    });
}

Reply list(void *self, Registration &registration, Trouble &trouble) {
    EtcdStore &store = store_of(self);
    MemoryContext caller = CurrentMemoryContext;
    return in_scratch(store.memory, [&] {
        return list_numbers(store.client, deadline_in(store.answer_ms), caller, registration, trouble);
    });
}

Reply release(void *self, int64 number, bool &had_owner, Trouble &trouble) {
    EtcdStore &store = store_of(self);
    return until_done(store, trouble, [&](const Deadline &deadline, bool &is_done) {
        EtcdView view{};
        Reply reply = look(store.client, number, deadline, view, trouble);
        if (reply != Reply::answered) return reply;
        EtcdNumber next = view.number;
        had_owner = next.row.incarnation != 0;
        is_done = !had_owner;
        if (is_done) return reply;
        idgen::release(next.row);
        next.lease = 0;
        return write_number(store.client, view, number, next, HolderChange::remove, deadline, is_done,
                            trouble);
    });
}

// What can have been granted by a registry whose clock says that reaches no further than max_ahead above it.
bool choose_instant(const EtcdView &view, int64 &to_ms) noexcept {
    constexpr int64 minute_ms = 60000;
    constexpr int64 two_days_ms = int64{2} * 24 * 60 * minute_ms;
    int64 first_ms = view.now_ms + view.registry.max_ahead_ms;
    if (to_ms == 0) to_ms = first_ms + minute_ms;
    return to_ms >= first_ms && to_ms <= view.now_ms + two_days_ms;
}

Reply advance(void *self, int64 &to_ms, Trouble &trouble) {
    EtcdStore &store = store_of(self);
    return until_done(store, trouble, [&](const Deadline &deadline, bool &is_done) {
        EtcdView view{};
        Reply reply = look_at_registry(store.client, true, deadline, view, trouble);
        if (reply != Reply::answered) return reply;
        if (!choose_instant(view, to_ms))
            return put_trouble(
                trouble, Reply::denied,
                "the instant must lie at least %s ms and at most two days ahead: nodes can have extended "
                "the horizons of their numbers so far",
                psprintf(INT64_FORMAT, view.registry.max_ahead_ms));
        EtcdRegistry next = view.registry;
        if (!begin_registry(next)) return put_trouble(trouble, Reply::silent, "there are no random bytes");
        next.floor_ms = Max(next.floor_ms, to_ms);
        next.advances++;
        next.cluster = view.cluster;
        return write_registry(store.client, view, next, deadline, is_done, trouble);
    });
}

void end_client(void *self) {
    close(store_of(self).client.http);
}

void close_store(void *self) {
    MemoryContextDelete(store_of(self).memory.own);
}

}  // namespace

bool open_etcd(const char *address, int64 answer_ms, Registry &registry, Trouble &trouble) {
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
    if (is_good) registry = {store, identify, make_call, list, release, advance, close_store};
    MemoryContextSwitchTo(caller);
    if (!is_good) MemoryContextDelete(own);
    return is_good;
}

}  // namespace idgen::lease
