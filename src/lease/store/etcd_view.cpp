#include "lease/store/etcd_view.hpp"

#include "lease/store/etcd_txn.hpp"
#include "lease/store/trouble.hpp"

namespace idgen::lease {
namespace {

Reply refuse_key(const char *key, Trouble &trouble) {
    return put_trouble(trouble, Reply::denied, "the key %s holds nothing of a registry", key);
}

// Sends a transaction; `is_done` says whether what it compared was so.
Reply commit(EtcdClient &client, EtcdTxn &txn, const Deadline &deadline, bool &is_done, Trouble &trouble) {
    EtcdAnswer answer{};
    Reply reply = ask(client, "kv/txn", txn.print(), deadline, answer, trouble);
    is_done = reply == Reply::answered && !answer.is_lease_gone && flag_in(answer.json, "succeeded");
    return reply;
}

char *request_of(const char *name, int64 value) {
    JsonWriter body;
    body.begin_object();
    body.add(name, value);
    body.end_object();
    return body.print();
}

}  // namespace

char *registry_key(const EtcdClient &client) {
    return psprintf("%s/registry", client.address.prefix);
}

char *number_key(const EtcdClient &client, int64 number) {
    return psprintf("%s/number/%010lld", client.address.prefix, static_cast<long long>(number));
}

char *holder_key(const EtcdClient &client, int64 number) {
    return psprintf("%s/holder/%010lld", client.address.prefix, static_cast<long long>(number));
}

Reply take_registry(const EtcdAnswer &answer, bool may_be_copy, EtcdView &view, Trouble &trouble) {
    view.now_ms = answer.now_ms;
    view.cluster = text_in(object_in(answer.json, "header"), "cluster_id");
    if (view.cluster.empty()) return put_trouble(trouble, Reply::denied, no_registry_there);
    if (!read_registry(key_read(answer.json, 0), view.cluster, view.registry))
        return put_trouble(trouble, Reply::denied, "the registry's key holds something else");
    if (may_be_copy || view.registry.cluster == view.cluster) return Reply::answered;
    return put_trouble(trouble, Reply::denied,
                       "the registry has been copied or restored, and does not know what has been granted since: "
                       "idgen_lease.advance_registry() makes it safe to use");
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
    return refuse_key(number_key(client, number), trouble);
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

}  // namespace idgen::lease
