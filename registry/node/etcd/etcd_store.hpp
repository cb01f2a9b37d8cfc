// A registry in an etcd, over its v3 JSON gateway. Each call reads what there is, lets registry/node/rules/registry_row.hpp
// decide, and writes if no other node has written meanwhile; else it begins again.
#pragma once

#include "registry/node/store/registry.hpp"

namespace idgen::lease {

bool open_etcd(const char *address, int64 answer_ms, Registry &registry, Trouble &trouble);

}  // namespace idgen::lease
