#include "lease/etcd/etcd_counters.hpp"

#include "lease/etcd/etcd_call.hpp"
#include "lease/etcd/etcd_rows.hpp"
#include "lease/etcd/json.hpp"

namespace idgen::lease {

namespace {

struct EtcdCounter {
    int64 mod_revision;  // 0: there is none
    CounterRow row;
};

char *counter_key(const EtcdClient &client, const char *name) {
    return psprintf("%s/counter/%s", client.address.prefix, name);
}

// Comes behind the keys of all counters.
char *counters_end(const EtcdClient &client) {
    return psprintf("%s/counter0", client.address.prefix);
}

bool is_counter(const CounterRow &row) noexcept {
    return row.last >= -1 && row.largest >= row.last && row.largest < PG_INT64_MAX && row.run_start <= row.last + 1 &&
           row.version != 0 && row.block >= 1 && row.max_block >= row.block;
}

// The counter of a key, as it is in that registry. False if the key holds something else.
bool read_counter(Json *key, const EtcdRegistry &registry, EtcdCounter &counter) {
    counter = {};
    if (key == nullptr) return true;
    Json *value = value_of(key);
    bool is_old = number_in(value, "advances") != registry.advances;
    counter = {number_in(key, "mod_revision"),
               {number_in(value, "last"), number_in(value, "largest"), number_in(value, "run_start"),
                number_in(value, "version"), number_in(value, "block"), number_in(value, "max_block"), is_old}};
    return has_numbers(value, {"last", "largest", "run_start", "version", "block", "max_block", "advances"}) &&
           is_counter(counter.row);
}

char *print_counter(const CounterRow &row, const EtcdRegistry &registry) {
    JsonWriter value;
    value.begin_object();
    value.add("last", row.last);
    value.add("largest", row.largest);
    value.add("run_start", row.run_start);
    value.add("version", row.version);
    value.add("block", row.block);
    value.add("max_block", row.max_block);
    // One that awaits its owner's word goes on to do so.
    value.add("advances", row.awaits_advance ? -1 : registry.advances);
    value.end_object();
    return value.print();
}

Reply look_at_counter(EtcdClient &client, const char *name, const Deadline &deadline, EtcdView &view,
                      EtcdCounter &counter, Trouble &trouble) {
    EtcdTxn txn;
    txn.begin_work();
    txn.read(registry_key(client));
    txn.read(counter_key(client, name));
    EtcdAnswer answer{};
    Reply reply = ask(client, "kv/txn", txn.print(), deadline, answer, trouble);
    if (reply == Reply::answered) reply = take_registry(answer, false, view, trouble);
    if (reply != Reply::answered) return reply;
    if (read_counter(key_read(answer.json, 1), view.registry, counter)) return Reply::answered;
    return refuse_key("of a counter", trouble);
}

// Executes a node's call; what it makes of the row is written if it is done.
CounterAnswer execute(EtcdCounter &counter, const CounterCall &call, int64 new_version) {
    CounterAnswer answer{CounterOutcome::missing, 0, 0, 0, 0, 0};
    if (counter.mod_revision == 0) return answer;
    if (call.act == CounterAct::fetch) return fetch(counter.row, call.fetch, new_version);
    answer.outcome = give_back(counter.row, call.number, call.version, new_version);
    return answer;
}

// The owner's calls. They are done, or denied with the reason.

Reply create(EtcdCounter &counter, const CounterCall &call, int64 new_version, Trouble &trouble) {
    if (counter.mod_revision != 0)
        return put_trouble(trouble, Reply::denied, "counter \"%s\" exists; it goes on where it is", call.name);
    counter.row = {call.number - 1, call.largest, call.number, new_version, call.block, call.max_block, false};
    return Reply::answered;
}

Reply move(CounterRow &row, const CounterCall &call, int64 new_version, Trouble &trouble) {
    if (call.number <= row.last || call.number > row.largest + 1)
        return put_trouble(trouble, Reply::denied,
                           "a counter goes on above its last number, %s, and not beyond its end",
                           psprintf(INT64_FORMAT, row.last));
    advance(row, call.number, new_version);
    return Reply::answered;
}

Reply change(EtcdCounter &counter, const CounterCall &call, int64 new_version, Trouble &trouble) {
    if (call.act == CounterAct::create) return create(counter, call, new_version, trouble);
    if (counter.mod_revision == 0)
        return put_trouble(trouble, Reply::denied, "counter \"%s\" does not exist", call.name);
    if (call.act == CounterAct::advance) return move(counter.row, call, new_version, trouble);
    if (call.act == CounterAct::set_max && call.largest < counter.row.last)
        return put_trouble(trouble, Reply::denied, "a counter does not end before its last number, %s",
                           psprintf(INT64_FORMAT, counter.row.last));
    if (call.act == CounterAct::set_max) counter.row.largest = call.largest;
    if (call.act == CounterAct::set_block) counter.row.block = call.block;
    if (call.act == CounterAct::set_block) counter.row.max_block = call.max_block;
    return Reply::answered;
}

Reply write_counter(EtcdClient &client, const EtcdView &view, const EtcdCounter &before, const EtcdCounter &next,
                    const CounterCall &call, const Deadline &deadline, bool &is_done, Trouble &trouble) {
    char *key = counter_key(client, call.name);
    EtcdTxn txn;
    txn.expect(registry_key(client), view.registry.mod_revision);
    txn.expect(key, before.mod_revision);
    txn.begin_work();
    if (call.act == CounterAct::drop)
        txn.remove(key);
    else
        txn.write(key, print_counter(next.row, view.registry), 0);
    return commit(client, txn, deadline, is_done, trouble);
}

bool is_node_call(const CounterCall &call) noexcept {
    return call.act == CounterAct::fetch || call.act == CounterAct::give_back;
}

}  // namespace

Reply call_etcd_counter(void *self, const RegistryIdentity &identity, const CounterCall &call, CounterAnswer &answer,
                        Trouble &trouble) {
    EtcdStore &store = store_of(self);
    return until_done(store, trouble, [&](const Deadline &deadline, bool &is_done) {
        EtcdView view{};
        EtcdCounter counter{};
        Reply reply = look_at_counter(store.client, call.name, deadline, view, counter, trouble);
        if (reply != Reply::answered) return reply;
        if (is_node_call(call) && !(view.registry.identity == identity))
            return put_trouble(trouble, Reply::foreign, "this is another registry");
        EtcdCounter next = counter;
        int64 new_version = random_secret();
        answer = {CounterOutcome::done, 0, 0, 0, 0, 0};
        if (is_node_call(call))
            answer = execute(next, call, new_version);
        else
            reply = change(next, call, new_version, trouble);
        is_done = answer.outcome != CounterOutcome::done;
        if (is_done || reply != Reply::answered) return reply;
        return write_counter(store.client, view, counter, next, call, deadline, is_done, trouble);
    });
}

namespace {

Reply take_counters(const EtcdAnswer &answer, const EtcdRegistry &registry, size_t prefix, CounterList &list,
                    Trouble &trouble) {
    Json *keys = keys_read(answer.json, 1);
    for (uint32 i = 0; i < count_of(keys); i++) {
        Json *key = element_of(keys, i);
        const char *path = bytes_of(text_in(key, "key"));
        EtcdCounter counter;
        if (path == nullptr || strlen(path) <= prefix || !read_counter(key, registry, counter))
            return refuse_key("of a counter", trouble);
        ListedCounter &row = list.rows[list.count++];
        strlcpy(row.name, path + prefix, sizeof(row.name));
        row.next = counter.row.last < counter.row.largest ? counter.row.last + 1 : -1;
        row.largest = counter.row.largest;
        row.block = counter.row.block;
        row.max_block = counter.row.max_block;
        row.awaits_advance = counter.row.awaits_advance;
    }
    return Reply::answered;
}

}  // namespace

Reply list_etcd_counters(void *self, CounterList &list, Trouble &trouble) {
    EtcdStore &store = store_of(self);
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
        return take_counters(answer, view.registry, strlen(counter_key(store.client, "")), list, trouble);
    });
}

}  // namespace idgen::lease
