#include <algorithm>

#include "registry/node/etcd/etcd_rows.hpp"
#include "registry/node/etcd/etcd_store.hpp"
#include "registry/node/etcd/json.hpp"

namespace idgen::lease {
namespace {

struct EtcdCounter {
    int64 mod_revision;  // 0: there is no key
    CounterRow row;
    bool is_readable;  // false: the key holds something else
};

// Stands for a key that holds something else. What the counter gave is not known, so it gives none until its owner has
// put that right. It is not missing: servers use what they hold of it.
constexpr CounterRow unreadable_row() noexcept {
    CounterRow row = no_counter();
    row.is_dropped = false;
    row.awaits_advance = true;
    return row;
}

// Stands for a name without a key. A registry that was advanced may have been put back to a state before the counter of
// that name was made.
CounterRow row_without_key(const EtcdRegistry &registry) noexcept {
    CounterRow row = no_counter();
    row.awaits_advance = registry.advances != 0;
    return row;
}

char *counter_key(const EtcdClient &client, const char *name) {
    return psprintf("%s/counter/%s", client.address.prefix, name);
}

// Comes behind the keys of all counters.
char *counters_end(const EtcdClient &client) {
    return psprintf("%s/counter0", client.address.prefix);
}

bool is_counter(const CounterRow &row) noexcept {
    return row.identity != 0 && row.last >= -1 && row.largest >= row.last && row.largest < PG_INT64_MAX &&
           row.run_start <= row.last + 1 && row.version != 0 && row.block >= 1 && row.max_block >= row.block;
}

// The counter of a key, as it is in that registry.
EtcdCounter read_counter(Json *key, const EtcdRegistry &registry) {
    if (key == nullptr) return {0, row_without_key(registry), true};
    Json *value = value_of(key);
    bool is_old = number_in(value, "advances") != registry.advances;
    CounterRow row{number_in(value, "identity"),  number_in(value, "last"),
                   number_in(value, "largest"),   number_in(value, "run_start"),
                   number_in(value, "version"),   number_in(value, "block"),
                   number_in(value, "max_block"), is_old,
                   flag_in(value, "dropped")};
    bool is_readable =
        has_flag(value, "dropped") && is_counter(row) &&
        has_numbers(value, {"identity", "last", "largest", "run_start", "version", "block", "max_block", "advances"});
    return {number_in(key, "mod_revision"), is_readable ? row : unreadable_row(), is_readable};
}

char *print_counter(const CounterRow &row, const EtcdRegistry &registry) {
    JsonWriter value;
    value.begin_object();
    value.add("identity", row.identity);
    value.add("last", row.last);
    value.add("largest", row.largest);
    value.add("run_start", row.run_start);
    value.add("version", row.version);
    value.add("block", row.block);
    value.add("max_block", row.max_block);
    // One that awaits its owner's word goes on to do so.
    value.add("advances", row.awaits_advance ? -1 : registry.advances);
    value.add_flag("dropped", row.is_dropped);
    value.end_object();
    return value.print();
}

// Reads the registry's key and those of counters, at one revision.
Reply look_at_counters(EtcdClient &client, const char *const *names, EtcdCounter *counters, size_t count,
                       const Deadline &deadline, EtcdView &view, Trouble &trouble) {
    EtcdTxn txn;
    txn.begin_work();
    txn.read(registry_key(client));
    for (size_t i = 0; i < count; i++) txn.read(counter_key(client, names[i]));
    EtcdAnswer answer{};
    Reply reply = ask(client, "kv/txn", txn.print(), deadline, answer, trouble);
    if (reply == Reply::answered) reply = take_registry(answer, false, view, trouble);
    if (reply != Reply::answered) return reply;
    for (size_t i = 0; i < count; i++)
        counters[i] = read_counter(key_read(answer.json, static_cast<uint32>(i) + 1), view.registry);
    return reply;
}

// The calls of a node. Those that are not done yet are `locked`.

// etcd takes 128 operations in a transaction unless it is set up otherwise. Those of transactions within count, too: of
// all within only the longest, here of 1. The look reads the registry's key beside the counters'.
constexpr size_t most_in_txn = 127;

CounterOutcome &outcome_of(FetchCall &call) noexcept {
    return call.answer.outcome;
}

CounterOutcome &outcome_of(GiveBackCall &call) noexcept {
    return call.outcome;
}

void execute(FetchCall &call, CounterRow &row, int64 new_version) noexcept {
    call.answer = fetch(row, call.fetch, new_version);
}

void execute(GiveBackCall &call, CounterRow &row, int64 new_version) noexcept {
    call.outcome = give_back(row, call.unused.first, call.unused.version, new_version);
}

// Calls that are tried in one transaction, with their counters.
template <typename NodeCall>
struct Batch {
    NodeCall *calls[most_in_txn];
    const char *names[most_in_txn];
    EtcdCounter counters[most_in_txn];
    size_t count;
};

// Those of the calls that are left, as many as one transaction takes.
template <typename NodeCall>
void take_left(NodeCall *calls, size_t count, Batch<NodeCall> &batch) noexcept {
    batch.count = 0;
    for (size_t i = 0; i < count && batch.count < most_in_txn; i++) {
        if (outcome_of(calls[i]) != CounterOutcome::locked) continue;
        batch.calls[batch.count] = &calls[i];
        batch.names[batch.count++] = calls[i].name;
    }
}

// Writes the counters whose calls are done, each if no other node has written it since the look; what is not written is
// left to do. `is_lost` says that some may be written all the same.
template <typename NodeCall>
Reply write_done(EtcdClient &client, const EtcdView &view, Batch<NodeCall> &batch, const Deadline &deadline,
                 bool &is_lost, Trouble &trouble) {
    EtcdTxn txn;
    txn.expect(registry_key(client), view.registry.mod_revision);
    txn.begin_work();
    NodeCall *done[most_in_txn];
    uint32 count = 0;
    for (size_t i = 0; i < batch.count; i++) {
        if (outcome_of(*batch.calls[i]) != CounterOutcome::done) continue;
        done[count++] = batch.calls[i];
        const char *key = counter_key(client, batch.names[i]);
        txn.begin_inner();
        txn.expect(key, batch.counters[i].mod_revision);
        txn.begin_work();
        txn.write(key, print_counter(batch.counters[i].row, view.registry), 0);
        txn.end_inner();
    }
    if (count == 0) return Reply::answered;
    EtcdAnswer answer{};
    Reply reply = ask(client, "kv/txn", txn.print(), deadline, answer, trouble);
    is_lost = reply != Reply::answered;
    // If the registry was written since, there are no answers of those within.
    for (uint32 i = 0; i < count; i++)
        if (!has_succeeded(answer.json, i)) outcome_of(*done[i]) = CounterOutcome::locked;
    return reply;
}

template <typename NodeCall>
bool is_left(NodeCall &call) noexcept {
    return outcome_of(call) == CounterOutcome::locked;
}

// A counter that others go on writing is left `locked`, and the others have their answers. What a write gave that was not
// answered is a gap; the call is silent if it was all that there was to answer.
template <typename NodeCall>
Reply call_counters(void *self, const RegistryIdentity &identity, NodeCall *calls, size_t count, Trouble &trouble) {
    EtcdStore &store = etcd_of(self);
    bool is_lost = false, is_answered = false;
    for (size_t i = 0; i < count; i++) outcome_of(calls[i]) = CounterOutcome::locked;
    Reply reply = until_done(store, trouble, [&](const Deadline &deadline, bool &is_done) {
        Batch<NodeCall> batch;
        EtcdView view{};
        take_left(calls, count, batch);
        Reply looked =
            look_at_counters(store.client, batch.names, batch.counters, batch.count, deadline, view, trouble);
        if (looked != Reply::answered) return looked;
        if (!(view.registry.identity == identity))
            return put_trouble(trouble, Reply::foreign, "this is another registry");
        for (size_t i = 0; i < batch.count; i++) execute(*batch.calls[i], batch.counters[i].row, random_secret());
        Reply written = write_done(store.client, view, batch, deadline, is_lost, trouble);
        is_answered = is_answered || written == Reply::answered;
        is_done = std::none_of(calls, calls + count, is_left<NodeCall>);
        return written;
    });
    bool are_all_left = std::all_of(calls, calls + count, is_left<NodeCall>);
    if (reply != Reply::silent || !is_answered || (are_all_left && is_lost)) return reply;
    return Reply::answered;
}

// The owner's calls. They are done, or denied with the reason.

const char *text_of(int64 number) {
    return psprintf(INT64_FORMAT, number);
}

Reply create(EtcdCounter &counter, const CounterCall &call, int64 new_version, Trouble &trouble) {
    if (!counter.row.is_dropped)
        return put_trouble(trouble, Reply::denied, "counter \"%s\" exists; it goes on where it is", call.name);
    int64 last = counter.row.last;
    bool is_begun_below = call.made.first >= 0 && call.made.first <= last;
    bool is_last_unknown = counter.row.awaits_advance && (is_begun_below || call.made.first < 0);
    CounterOutcome outcome = idgen::create(counter.row, call.made, random_secret(), new_version);
    if (outcome == CounterOutcome::done) return Reply::answered;
    if (is_last_unknown)
        return put_trouble(
            trouble, Reply::denied,
            "what a counter of that name may have given before is not known since the registry was advanced: give a start above all of it");
    if (is_begun_below)
        return put_trouble(trouble, Reply::denied,
                           "a counter of that name gave numbers up to %s before: give a start above that, or none",
                           text_of(last));
    return put_trouble(trouble, Reply::denied, "the counter would begin with %s: give a max that is not below that",
                       text_of(call.made.first >= 0 ? call.made.first : Max(last + 1, 1)));
}

Reply move(CounterRow &row, const CounterCall &call, int64 new_version, Trouble &trouble) {
    if (call.next <= row.last || call.next > row.largest + 1)
        return put_trouble(trouble, Reply::denied,
                           "a counter goes on above its last number, %s, and not beyond its end", text_of(row.last));
    advance(row, call.next, new_version);
    return Reply::answered;
}

Reply set_max(CounterRow &row, const CounterCall &call, Trouble &trouble) {
    if (call.made.largest < row.last)
        return put_trouble(trouble, Reply::denied, "a counter does not end before its last number, %s",
                           text_of(row.last));
    row.largest = call.made.largest;
    return Reply::answered;
}

// What a call makes of a counter that there is; for `forget` also of one that was dropped, or cannot be read.
Reply change(EtcdCounter &counter, const CounterCall &call, int64 new_version, Trouble &trouble) {
    switch (call.act) {
        case CounterAct::create:
            return create(counter, call, new_version, trouble);
        case CounterAct::drop:
            drop(counter.row, new_version);
            return Reply::answered;
        case CounterAct::forget:
            return Reply::answered;
        case CounterAct::advance:
            return move(counter.row, call, new_version, trouble);
        case CounterAct::set_max:
            return set_max(counter.row, call, trouble);
        case CounterAct::set_block:
            counter.row.block = call.made.block;
            counter.row.max_block = call.made.max_block;
            return Reply::answered;
    }
    return Reply::answered;
}

// Whether there is what a call is to change.
Reply check_counter(const char *key, const EtcdCounter &counter, const CounterCall &call, Trouble &trouble) {
    bool forgets = call.act == CounterAct::forget;
    if (!counter.is_readable && !forgets)
        return put_trouble(
            trouble, Reply::denied,
            "the key %s holds something else than a counter: call drop_counter(name, forget => true), then create_counter() with a start above all that it gave",
            key);
    bool is_there = forgets ? counter.mod_revision != 0 : !counter.row.is_dropped;
    if (is_there || call.act == CounterAct::create) return Reply::answered;
    return put_trouble(trouble, Reply::denied, "counter \"%s\" does not exist", call.name);
}

Reply write_counter(EtcdClient &client, const char *key, const EtcdView &view, const EtcdCounter &next,
                    const CounterCall &call, const Deadline &deadline, bool &is_done, Trouble &trouble) {
    EtcdTxn txn;
    txn.expect(registry_key(client), view.registry.mod_revision);
    txn.expect(key, next.mod_revision);
    txn.begin_work();
    if (call.act == CounterAct::forget)
        txn.remove(key);
    else
        txn.write(key, print_counter(next.row, view.registry), 0);
    return commit(client, txn, deadline, is_done, trouble);
}

// Whether a counter can have that name: no call reaches what lies below other keys.
bool is_name(const char *text) {
    size_t size = strlen(text);
    return size >= 1 && size <= longest_counter_name && pg_verify_mbstr(PG_UTF8, text, static_cast<int>(size), true);
}

void take_counters(const EtcdAnswer &answer, const EtcdRegistry &registry, size_t prefix, CounterList &list) {
    Json *keys = keys_read(answer.json, 1);
    for (uint32 i = 0; i < count_of(keys); i++) {
        Json *key = element_of(keys, i);
        const char *path = bytes_of(text_in(key, "key"));
        const char *name = path == nullptr || strlen(path) < prefix ? "" : path + prefix;
        EtcdCounter counter = read_counter(key, registry);
        if (counter.row.is_dropped || !is_name(name)) continue;
        ListedCounter &row = list.rows[list.count++];
        strlcpy(row.name, name, sizeof(row.name));
        row.next = counter.row.last < counter.row.largest ? counter.row.last + 1 : -1;
        row.largest = counter.row.largest;
        row.block = counter.row.block;
        row.max_block = counter.row.max_block;
        row.awaits_advance = counter.row.awaits_advance;
    }
}

}  // namespace

Reply fetch_from_etcd(void *self, const RegistryIdentity &identity, FetchCall *calls, size_t count, Trouble &trouble) {
    return call_counters(self, identity, calls, count, trouble);
}

Reply give_back_to_etcd(void *self, const RegistryIdentity &identity, GiveBackCall *calls, size_t count,
                        Trouble &trouble) {
    return call_counters(self, identity, calls, count, trouble);
}

Reply manage_etcd_counter(void *self, const CounterCall &call, Trouble &trouble) {
    EtcdStore &store = etcd_of(self);
    return until_done(store, trouble, [&](const Deadline &deadline, bool &is_done) {
        const char *key = counter_key(store.client, call.name);
        EtcdView view{};
        EtcdCounter counter{};
        Reply reply = look_at_counters(store.client, &call.name, &counter, 1, deadline, view, trouble);
        if (reply == Reply::answered) reply = check_counter(key, counter, call, trouble);
        if (reply == Reply::answered) reply = change(counter, call, random_secret(), trouble);
        if (reply != Reply::answered) return reply;
        return write_counter(store.client, key, view, counter, call, deadline, is_done, trouble);
    });
}

Reply list_etcd_counters(void *self, CounterList &list, Trouble &trouble) {
    EtcdStore &store = etcd_of(self);
    MemoryContext caller = CurrentMemoryContext;
    return in_scratch(store.memory, [&] {
        EtcdTxn txn;
        txn.begin_work();
        txn.read(registry_key(store.client));
        txn.read_range(counter_key(store.client, ""), counters_end(store.client), false);
        EtcdAnswer answer{};
        Reply reply = ask(store.client, "kv/txn", txn.print(), deadline_in(store.answer_ms), answer, trouble);
        EtcdView view{};
        if (reply == Reply::answered) reply = take_registry(answer, true, view, trouble);
        if (reply != Reply::answered) return reply;
        size_t size = Max(count_of(keys_read(answer.json, 1)), 1) * sizeof(ListedCounter);
        list = {static_cast<ListedCounter *>(MemoryContextAlloc(caller, size)), 0};
        take_counters(answer, view.registry, strlen(counter_key(store.client, "")), list);
        return reply;
    });
}

}  // namespace idgen::lease
