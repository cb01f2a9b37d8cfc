// The server's record of its numbers as the keeper has it: a copy in memory, and the page on disk. Only the
// proposal of a claim must be written before the keeper goes on; a page that is lost is written again.
//
// The keeper waits for no lock of another transaction: it takes the lock of the sequence only if it is free,
// and lock_timeout bounds its waits for catalogs. What is in the way is a sentence, and the next round tries
// again.
#pragma once

#include "lease/keep/record_sequence.hpp"
#include "pg/state/lease_gate.hpp"

namespace idgen::lease {

class RecordPage {
   public:
    explicit RecordPage(const pg::LeaseGate &gate) noexcept : gate_(gate) {}

    // What the keeper knows, and changes before it writes.
    LeasePage &page() noexcept { return page_; }
    const LeasePage &page() const noexcept { return page_; }

    // Each is a transaction of its own, durable when it returns. False: obstacle() says why.
    bool read();
    bool write();

    // Writes the page again if it is not as it was written. What keeps it from that is not said: nothing
    // needs the page now.
    void restore();

    // In the way of the last access: a sentence, until the end of the round.
    const char *obstacle() const noexcept { return obstacle_; }

    // Accesses are tried again: after one that failed, the others of a round fail at once.
    void begin_round() noexcept { obstacle_ = nullptr; }

   private:
    template <class Work>
    bool access(Work work);
    void explain(Oid sequence);

    const pg::LeaseGate &gate_;
    LeasePage page_{};
    const char *obstacle_ = nullptr;
};

}  // namespace idgen::lease
