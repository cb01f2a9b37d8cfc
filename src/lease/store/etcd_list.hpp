// The numbers of a registry in an etcd.
#pragma once

#include "lease/store/etcd_client.hpp"

namespace idgen::lease {

// The rows lie in memory of the caller's context.
Reply list_numbers(EtcdClient &client, const NumberRange &range, const Deadline &deadline, MemoryContext caller,
                   Registration &registration, Trouble &trouble);

}  // namespace idgen::lease
