#include "registry/node/etcd/etcd_rows.hpp"

#include "registry/node/store/trouble.hpp"

namespace idgen::lease {
namespace {

// As idgen_registry has it, in SQL.
constexpr int64 default_max_ahead_ms = int64{11} * 60 * 1000;
constexpr int64 default_largest_number = 8191;

bool are_instants(std::initializer_list<int64> all_ms) {
    for (int64 ms : all_ms)
        if (!is_instant(ms)) return false;
    return true;
}

char *request_of(const char *name, int64 value) {
    JsonWriter body;
    body.begin_object();
    body.add(name, value);
    body.end_object();
    return body.print();
}

// The key of a number without the prefix, which is part of the address.
char *short_key(int64 number) {
    return psprintf("number/%010lld", static_cast<long long>(number));
}

// What a key of a number is called below "/number/" or "/holder/", which are as long.
const char *name_of(const EtcdClient &client, Json *key) {
    const char *path = bytes_of(text_in(key, "key"));
    size_t size = strlen(client.address.prefix) + strlen("/number/");
    return path == nullptr || strlen(path) < size ? "" : path + size;
}

// The number that is called so; -1: none is.
int64 number_called(const char *name) {
    bool is_one = strlen(name) == 10 && strspn(name, "0123456789") == 10;
    int64 number = is_one ? strtoll(name, nullptr, 10) : -1;
    return is_number(number) ? number : -1;
}

// Whether a name is among the keys, which ascend as the names that are asked for do.
bool has_holder(const EtcdClient &client, Json *holders, uint32 &next, const char *name) {
    while (next < count_of(holders) && strcmp(name_of(client, element_of(holders, next)), name) < 0) next++;
    return next < count_of(holders) && strcmp(name_of(client, element_of(holders, next)), name) == 0;
}

int64 lease_left_ms(const EtcdNumber &number, bool is_free, int64 now_ms) noexcept {
    if (is_free) return 0;
    if (number.ttl_ms == 0) return -1;
    return Max(number.lease_end_ms - now_ms, 1);
}

RegisteredNumber listed(int64 key, const EtcdNumber &number, int64 now_ms) {
    bool is_free = number.row.incarnation == 0 || number.row.lease_end_ms <= now_ms;
    RegisteredNumber row{};
    row.listed = {key, number.row.horizon_ms, is_free};
    copy_foreign_text(number.name, row.name, sizeof(row.name));
    row.system_identifier = number.system_identifier;
    row.timeline = number.timeline;
    row.since_ms = number.since_ms;
    row.lease_left_ms = lease_left_ms(number, is_free, now_ms);
    return row;
}

// A number whose key is damaged: nobody knows who has it, so no server may choose it. What can be read of its horizon
// counts.
RegisteredNumber listed_as_damaged(int64 key, const EtcdNumber &number, int64 floor_ms) {
    int64 horizon_ms = number.row.horizon_ms;
    RegisteredNumber row{};
    row.listed = {key, is_instant(horizon_ms) ? Max(horizon_ms, floor_ms) : floor_ms, false};
    copy_foreign_text(psprintf("unknown: damaged key %s", short_key(key)), row.name, sizeof(row.name));
    row.lease_left_ms = -1;
    return row;
}

// Passes over keys that no node would read.
void take_rows(const EtcdClient &client, const EtcdAnswer &answer, const EtcdView &view, Registration &registration) {
    Json *numbers = keys_read(answer.json, 1);
    Json *holders = keys_read(answer.json, 2);
    uint32 next_holder = 0;
    for (uint32 i = 0; i < count_of(numbers); i++) {
        Json *key = element_of(numbers, i);
        const char *name = name_of(client, key);
        int64 number = number_called(name);
        if (number < 0) continue;
        EtcdNumber row;
        bool has_lease = has_holder(client, holders, next_holder, name);
        registration.rows[registration.count++] = read_number(key, has_lease, view.registry, row)
                                                      ? listed(number, row, view.now_ms)
                                                      : listed_as_damaged(number, row, view.registry.floor_ms);
    }
}

}  // namespace

Json *value_of(Json *key) {
    char *text = bytes_of(text_in(key, "value"));
    return text == nullptr ? nullptr : parse_json(text);
}

bool has_numbers(Json *value, std::initializer_list<std::string_view> names) {
    for (std::string_view name : names)
        if (!has_number(value, name)) return false;
    return true;
}

bool read_registry(Json *key, std::string_view cluster, EtcdRegistry &registry) {
    registry = {0, {0, 0}, 0, default_max_ahead_ms, default_largest_number, 0, 0, cluster};
    if (key == nullptr) return true;
    Json *value = value_of(key);
    registry = {number_in(key, "mod_revision"),     parse_random_id(text_in(value, "identity")),
                number_in(value, "floor_ms"),       number_in(value, "max_ahead_ms"),
                number_in(value, "largest_number"), number_in(value, "longest_ttl_ms"),
                number_in(value, "advances"),       text_in(value, "cluster")};
    return is_known(registry.identity) &&
           has_numbers(value, {"floor_ms", "max_ahead_ms", "largest_number", "longest_ttl_ms", "advances"}) &&
           is_instant(registry.floor_ms) && is_number(registry.largest_number) && is_instant(registry.longest_ttl_ms) &&
           is_count(registry.advances) && registry.max_ahead_ms >= 0 && registry.max_ahead_ms <= longest_ahead_ms;
}

char *print_registry(const EtcdRegistry &registry) {
    JsonWriter value;
    value.begin_object();
    value.add("identity", print_identity(registry.identity));
    value.add("floor_ms", registry.floor_ms);
    value.add("max_ahead_ms", registry.max_ahead_ms);
    value.add("largest_number", registry.largest_number);
    value.add("longest_ttl_ms", registry.longest_ttl_ms);
    value.add("advances", registry.advances);
    value.add("cluster", registry.cluster);
    value.end_object();
    return value.print();
}

bool read_number(Json *key, bool has_holder, const EtcdRegistry &registry, EtcdNumber &number) {
    number = {};
    number.row = unheld_row(registry.floor_ms);
    if (key == nullptr) return true;
    Json *value = value_of(key);
    number = {number_in(key, "mod_revision"),
              {number_in(value, "incarnation"), number_in(value, "life"), number_in(value, "horizon_ms"),
               number_in(value, "claimed_ms"), has_holder ? INT64_MAX : 0},
              number_in(value, "lease"),
              number_in(value, "ttl_ms"),
              number_in(value, "lease_end_ms"),
              text_in(value, "name"),
              number_in(value, "system_identifier"),
              static_cast<int32>(number_in(value, "timeline")),
              number_in(value, "since_ms")};
    if (number_in(value, "advances") != registry.advances) advance(number.row, registry.floor_ms);
    return has_numbers(value, {"incarnation", "life", "horizon_ms", "claimed_ms", "lease", "ttl_ms", "lease_end_ms",
                               "system_identifier", "timeline", "since_ms", "advances"}) &&
           are_instants(
               {number.row.horizon_ms, number.row.claimed_ms, number.ttl_ms, number.lease_end_ms, number.since_ms});
}

char *print_number(const EtcdNumber &number, const EtcdRegistry &registry) {
    JsonWriter value;
    value.begin_object();
    value.add("incarnation", number.row.incarnation);
    value.add("life", number.row.life);
    value.add("horizon_ms", number.row.horizon_ms);
    value.add("claimed_ms", number.row.claimed_ms);
    value.add("lease", number.lease);
    value.add("ttl_ms", number.ttl_ms);
    value.add("lease_end_ms", number.lease_end_ms);
    value.add("name", number.name);
    value.add("system_identifier", number.system_identifier);
    value.add("timeline", int64{number.timeline});
    value.add("since_ms", number.since_ms);
    value.add("advances", registry.advances);
    value.end_object();
    return value.print();
}

Reply commit(EtcdClient &client, EtcdTxn &txn, const Deadline &deadline, bool &is_done, Trouble &trouble) {
    EtcdAnswer answer{};
    Reply reply = ask(client, "kv/txn", txn.print(), deadline, answer, trouble);
    is_done = reply == Reply::answered && !answer.is_lease_gone && has_succeeded(answer.json);
    return reply;
}

char *registry_key(const EtcdClient &client) {
    return psprintf("%s/registry", client.address.prefix);
}

char *number_key(const EtcdClient &client, int64 number) {
    return psprintf("%s/%s", client.address.prefix, short_key(number));
}

char *holder_key(const EtcdClient &client, int64 number) {
    return psprintf("%s/holder/%010lld", client.address.prefix, static_cast<long long>(number));
}

Reply take_registry(const EtcdAnswer &answer, bool may_be_copy, EtcdView &view, Trouble &trouble) {
    view.now_ms = answer.now_ms;
    view.cluster = text_in(object_in(answer.json, "header"), "cluster_id");
    if (view.cluster.empty()) return put_trouble(trouble, Reply::denied, no_registry_there);
    if (!read_registry(key_read(answer.json, 0), view.cluster, view.registry))
        return put_trouble(trouble, Reply::denied, "the registry's key lacks a field, or holds something else");
    if (may_be_copy || view.registry.cluster == view.cluster) return Reply::answered;
    return put_trouble(
        trouble, Reply::denied,
        "the registry has been copied or restored, and does not know what has been granted since: idgen_lease.advance_registry() makes it safe to use");
}

Reply look(EtcdClient &client, int64 number, const Deadline &deadline, EtcdView &view, Trouble &trouble) {
    EtcdTxn txn;
    txn.begin_work();
    txn.read(registry_key(client));
    txn.read(number_key(client, number));
    txn.read(holder_key(client, number));
    EtcdAnswer answer{};
    Reply reply = ask(client, "kv/txn", txn.print(), deadline, answer, trouble);
    if (reply == Reply::answered) reply = take_registry(answer, false, view, trouble);
    if (reply != Reply::answered) return reply;
    bool has_holder = key_read(answer.json, 2) != nullptr;
    if (read_number(key_read(answer.json, 1), has_holder, view.registry, view.number)) return Reply::answered;
    return put_trouble(
        trouble, Reply::limited,
        "the key %s in the etcd lacks a field, or holds something else: call idgen_lease.advance_registry(at => now() + '15 min') before you delete it",
        short_key(number));
}

Reply write_registry(EtcdClient &client, const EtcdView &view, const EtcdRegistry &next, const Deadline &deadline,
                     bool &is_done, Trouble &trouble) {
    EtcdTxn txn;
    txn.expect(registry_key(client), view.registry.mod_revision);
    txn.begin_work();
    txn.write(registry_key(client), print_registry(next), 0);
    return commit(client, txn, deadline, is_done, trouble);
}

Reply write_number(EtcdClient &client, const EtcdView &view, int64 number, const EtcdNumber &next, HolderChange change,
                   const Deadline &deadline, bool &is_done, Trouble &trouble) {
    EtcdTxn txn;
    txn.expect(registry_key(client), view.registry.mod_revision);
    txn.expect(number_key(client, number), view.number.mod_revision);
    txn.begin_work();
    txn.write(number_key(client, number), print_number(next, view.registry), 0);
    if (change == HolderChange::put) txn.write(holder_key(client, number), "", next.lease);
    if (change == HolderChange::remove) txn.remove(holder_key(client, number));
    return commit(client, txn, deadline, is_done, trouble);
}

Reply remove_number(EtcdClient &client, const EtcdView &view, int64 number, const EtcdRegistry &next,
                    const Deadline &deadline, bool &is_done, Trouble &trouble) {
    EtcdTxn txn;
    txn.expect(registry_key(client), view.registry.mod_revision);
    txn.expect(number_key(client, number), view.number.mod_revision);
    txn.begin_work();
    txn.write(registry_key(client), print_registry(next), 0);
    txn.remove(number_key(client, number));
    return commit(client, txn, deadline, is_done, trouble);
}

Reply lengthen_lease(EtcdClient &client, int64 ttl_ms, const Deadline &deadline, int64 &lease, Trouble &trouble) {
    EtcdAnswer answer{};
    if (lease != 0) {
        Reply reply = ask(client, "lease/keepalive", request_of("ID", lease), deadline, answer, trouble);
        // One that is past is answered too, without a TTL.
        if (reply != Reply::answered || number_in(object_in(answer.json, "result"), "TTL") > 0) return reply;
    }
    Reply reply = ask(client, "lease/grant", request_of("TTL", (ttl_ms + 999) / 1000), deadline, answer, trouble);
    if (reply != Reply::answered) return reply;
    lease = number_in(answer.json, "ID");
    return lease != 0 ? Reply::answered : put_trouble(trouble, Reply::silent, "it gave no lease");
}

Reply list_numbers(EtcdClient &client, const NumberRange &range, const Deadline &deadline, MemoryContext caller,
                   Registration &registration, Trouble &trouble) {
    EtcdTxn txn;
    txn.begin_work();
    txn.read(registry_key(client));
    txn.read_range(number_key(client, range.first), number_key(client, range.last + 1), false);
    txn.read_range(holder_key(client, range.first), holder_key(client, range.last + 1), true);
    EtcdAnswer answer{};
    Reply reply = ask(client, "kv/txn", txn.print(), deadline, answer, trouble);
    EtcdView view{};
    if (reply == Reply::answered) reply = take_registry(answer, true, view, trouble);
    if (reply != Reply::answered) return reply;
    size_t size = Max(count_of(keys_read(answer.json, 1)), 1) * sizeof(RegisteredNumber);
    registration = {static_cast<RegisteredNumber *>(MemoryContextAlloc(caller, size)), 0, view.registry.floor_ms};
    take_rows(client, answer, view, registration);
    return reply;
}

}  // namespace idgen::lease
