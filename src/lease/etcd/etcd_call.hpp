// What the calls of a registry in an etcd share: the store, and the loop of a look and a write.
#pragma once

#include "lease/etcd/etcd_client.hpp"
#include "lease/store/trouble.hpp"

namespace idgen::lease {

struct EtcdStore {
    StoreMemory memory;
    EtcdClient client;
    int64 answer_ms;
};

constexpr int64 longest_pause_ms = 63;

inline EtcdStore &store_of(void *self) noexcept {
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

}  // namespace idgen::lease
