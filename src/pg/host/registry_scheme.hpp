// Which store the address of a registry names, by its beginning.
#pragma once

#include <string_view>

#include "core/text/text_part.hpp"

namespace idgen::pg {

enum class RegistryScheme {
    unknown,
    postgresql,  // postgresql://..., postgres://..., or host=... dbname=...
    etcd,        // etcd://..., with TLS etcds://...
};

inline RegistryScheme scheme_of(std::string_view address) noexcept {
    auto begins_with = [address](std::string_view beginning) noexcept {
        return address.size() >= beginning.size() && head_of(address, beginning.size()) == beginning;
    };
    if (begins_with("etcd://") || begins_with("etcds://")) return RegistryScheme::etcd;
    if (begins_with("postgresql://") || begins_with("postgres://")) return RegistryScheme::postgresql;
    bool is_options = address.find("://") == std::string_view::npos && address.find('=') != std::string_view::npos;
    return is_options ? RegistryScheme::postgresql : RegistryScheme::unknown;
}

}  // namespace idgen::pg
