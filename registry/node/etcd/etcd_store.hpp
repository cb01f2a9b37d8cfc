// A registry in an etcd, over its v3 JSON gateway. Each call reads what there is, lets registry/node/rules/registry_row.hpp
// decide, and writes if no other node has written meanwhile; else it begins again.
#pragma once

#include "registry/node/etcd/etcd_client.hpp"
#include "registry/node/store/registry.hpp"
#include "registry/node/store/trouble.hpp"

namespace idgen::lease {

bool open_etcd(const char *address, int64 answer_ms, Registry &registry, Trouble &trouble);

// What its calls share: the store, the loop of a look and a write, and the calls for counters.

struct EtcdStore {
    StoreMemory memory;
    EtcdClient client;
    int64 answer_ms;
};

constexpr int64 longest_pause_ms = 63;

inline EtcdStore &etcd_of(void *self) noexcept {
    return *static_cast<EtcdStore *>(self);
}

// Does what a call does until no other node wrote between its look and its write.
template <typename Try>
Reply until_done(EtcdStore &store, Trouble &trouble, Try once) {
    Deadline deadline = deadline_in(store.answer_ms);
    for (int64 pause_ms = 0;; pause_ms = Min(pause_ms * 2 + 1, longest_pause_ms)) {
        bool is_done = false;
        Reply reply = in_scratch(store.memory, [&] { return once(deadline, is_done); });
        if (reply != Reply::answered || is_done) return reply;
        const char *sentence = sleep_within(pause_ms, deadline);
        if (sentence != nullptr) return put_trouble(trouble, Reply::silent, sentence);
    }
}

// The counters, a key for each (etcd_counters.cpp). A user who may write there may do everything: etcd knows no owner
// of a registry.

// Each counter that another node writes meanwhile is tried again without the others. One whose key holds something else
// awaits its owner's word.
Reply fetch_from_etcd(void *self, const RegistryIdentity &identity, FetchCall *calls, size_t count, Trouble &trouble);
Reply give_back_to_etcd(void *self, const RegistryIdentity &identity, GiveBackCall *calls, size_t count,
                        Trouble &trouble);

Reply manage_etcd_counter(void *self, const CounterCall &call, Trouble &trouble);
Reply list_etcd_counters(void *self, CounterList &list, Trouble &trouble);

}  // namespace idgen::lease
