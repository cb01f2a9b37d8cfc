// Notices a registry that was put back to an older state, or made new, without advance(): it knows less of a
// number than this server was granted. That is told until the registry was advanced.
#pragma once

#include "lease/store/registry.hpp"
#include "pg/state/lease_gate.hpp"

namespace idgen::lease {

class OlderRegistryWatch {
   public:
    explicit OlderRegistryWatch(const pg::LeaseGate &gate) noexcept : leases_(gate.leases()) {}

    // What the registry says of its numbers: of a range, and of one that was claimed.
    void look_at(const Registration &registration, const NumberRange &range);
    void look_at_claim(int64 number, int64 horizon_ms);

    // Whether it is told now.
    bool is_told() const noexcept;

   private:
    void tell(const OlderRegistry &older);

    pg::SharedLeases &leases_;
};

}  // namespace idgen::lease
