// A registry's identity as the text of a uuid.
#pragma once

#include "core/durable/durable_record.hpp"
#include "core/lease/lease_record.hpp"
#include "pg/postgres.hpp"

namespace idgen::lease {

// 32 hexadecimal digits, with or without hyphens; all zero where it is anything else.
inline RegistryIdentity parse_identity(std::string_view text) noexcept {
    BootId read = parse_boot_id(text);
    return {read.high, read.low};
}

constexpr bool is_known(const RegistryIdentity &identity) noexcept {
    return (identity.high | identity.low) != 0;
}

// With hyphens, by palloc.
inline char *print_identity(const RegistryIdentity &identity) {
    return psprintf("%08x-%04x-%04x-%04x-%012llx", static_cast<uint32>(identity.high >> 32),
                    static_cast<uint32>(identity.high >> 16) & 0xFFFF, static_cast<uint32>(identity.high) & 0xFFFF,
                    static_cast<uint32>(identity.low >> 48),
                    static_cast<unsigned long long>(identity.low & 0xFFFFFFFFFFFF));
}

}  // namespace idgen::lease
