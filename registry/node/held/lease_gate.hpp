// What the server's two modules share of shards from a registry: the settings, as plain values, whose manual is
// docs/settings.md; and the gate by which idgen_lease reaches the slots and clocks of idgen. Without
// shared_preload_libraries there is neither: nothing could keep a number.
#pragma once

#include "core/text/text_part.hpp"
#include "pg/host/machine.hpp"
#include "registry/node/held/leases.hpp"
#include "registry/node/held/saved_leases.hpp"
#include "registry/node/rules/lease.hpp"
#include "registry/node/rules/number_choice.hpp"

namespace idgen::pg {

// Which store the address of a registry names, by its beginning.
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

struct LeaseSettings {
    const char *registry;  // its address; empty: none. May hold a password: not for a message or a view
    const char *database;  // where the record of the numbers lies
    NumberRange range;
    int count;
    int ttl_ms;
    int window_ms;  // as it is set; see lease_rules()
    int max_counters;
};

extern LeaseSettings lease_settings;

// A window is shorter than the lease, whatever is set.
LeaseRules lease_rules() noexcept;

// What the module idgen_lease finds of this one, by the server's rendezvous variables: it is another library, with a
// network in it, and takes no part in making IDs.

struct LeaseGate {
    SharedLeases &(*leases)();
    const LeaseSettings &(*settings)();
    LeaseRules (*rules)() noexcept;
    // The clock, and whether IDs may take its time: a jump that the databases of this server do not accept is not for
    // the registry.
    ClockReading (*clock)(bool &is_accepted);
    // Makes every slot of a number go on at or above `at_ms`.
    void (*move_number)(uint32 number, int64 at_ms) noexcept;
    // The instant below which all IDs lie that this server made since its start. Takes the lock of each slot, so a
    // session that read an older cap is done when it returns.
    int64 (*reached_ms)() noexcept;
    // What a crash leaves: see registry/node/held/saved_leases.hpp.
    decltype(&save_lease) save;
    decltype(&find_left_lease) find_left;
    const WatchedMachine *machine;
    // Has all processes leave what was held in the machine before this one, and logs it once.
    void (*note_copied_machine)();
    // Marks the transaction that was handed a ticket (pg/state/own_transaction.hpp).
    void (*mark)(uint64 machine);
};

// Bump with any change to the gate or to what it gives.
constexpr const char *lease_gate_name = "idgen lease gate 9 " IDGEN_VERSION;

// Null if the server has not loaded idgen before, or another version of it.
inline const LeaseGate *find_lease_gate() {
    return static_cast<const LeaseGate *>(*find_rendezvous_variable(lease_gate_name));
}

}  // namespace idgen::pg
