// The transaction that a session draws for: its own, or as a parallel worker its leader's. All that the session may know
// of it is reached through the entry of the process (process_entry.hpp).
//
// A machine that is copied with its memory (horizon/machine.hpp) must not commit, in each copy, what was handed out
// before the copy:
//
//      a maker:  look at the machine --> mark the transaction with the word that this look compared --> hand out
//      its end:  is the machine still that of the mark? --> commit record, or prepare
//
// The mark is never a word that is read again: a copy between the two readings would mark the new one in each copy. The
// first word stays; a transaction that was handed something in another machine, too, is of several, and fits none. Makers
// of every kind come here, and so does every later hand-out. It is not the announcement: a kind that is not read by ID
// holds back no reader.
#pragma once

#include "core/reading/settled.hpp"
#include "core/slot/process_entry.hpp"

namespace idgen {

// Marks a transaction, whoever of its processes does so.
template <class Lock>
void mark_transaction(ProcessEntry<Lock> &entry, const LocalTransaction &transaction, std::uint64_t machine) noexcept {
    Guard<Lock> guard(entry.mutex);
    if (!(entry.mark.transaction == transaction))
        entry.mark = {transaction, machine, 0};
    else if (entry.mark.machine != machine)
        entry.mark.is_several = 1;
}

// Whether a transaction was handed anything in another machine than this one.
template <class Lock>
bool was_handed_elsewhere(ProcessEntry<Lock> &entry, const LocalTransaction &transaction,
                          std::uint64_t machine) noexcept {
    Guard<Lock> guard(entry.mutex);
    if (!(entry.mark.transaction == transaction)) return false;
    return entry.mark.is_several != 0 || entry.mark.machine != machine;
}

// What happens to a transaction.
enum class TransactionEvent : std::uint8_t { savepoint_ends, before_prepare, before_commit };

template <class Lock>
class OwnTransaction {
   public:
    // In the process that has the entry; `number` is where that process keeps the number of its transaction.
    void attach(ProcessEntry<Lock> &entry, std::uint32_t pid, const volatile std::uint32_t *number) noexcept {
        *this = OwnTransaction{};
        entry_ = &entry;
        pid_ = pid;
        number_ = number;
    }
    bool is_attached() const noexcept { return entry_ != nullptr; }

    // Whether a draw whose first tick starts at `start_ms` is announced, at a glance.
    bool is_announced(std::int64_t start_ms) const noexcept {
        return idgen::is_announced(announced_, *number_, start_ms);
    }
    // Announces a draw; see announce() of settled.hpp. Requires is_attached().
    template <class Pause>
    std::int64_t announce(const Horizon &horizon, std::uint32_t database, const Packing &p, std::int64_t base,
                          Pause pause) noexcept {
        return idgen::announce(*entry_, announced_, horizon, database, now(), p, base, pause);
    }
    // What is to be handed over if it is prepared. Requires is_attached().
    PreparedAnnouncement announcement(std::uint32_t database, std::uint32_t xid) const noexcept {
        return announcement_of(*entry_, announced_, database, now(), xid);
    }

    // Whether this session has marked it with that machine. Only a memory of what it wrote: if it is wrong, the entry is
    // written a second time.
    bool is_marked(std::uint64_t machine) const noexcept {
        return marked_number_ == *number_ && marked_machine_ == machine;
    }
    // Marks it with the word that the maker's last look compared. Requires is_attached().
    void mark(std::uint64_t machine) noexcept {
        mark_transaction(*entry_, now(), machine);
        marked_number_ = *number_;
        marked_machine_ = machine;
    }
    // Whether it may go on at an event, in the machine as it is now. Requires is_attached().
    bool admits(TransactionEvent event, std::uint64_t machine) const noexcept {
        switch (event) {
            case TransactionEvent::savepoint_ends:
                // What was handed out in it can be stored by what goes on, even if it is rolled back.
                return true;
            case TransactionEvent::before_prepare:
            case TransactionEvent::before_commit:
                break;
        }
        return !was_handed_elsewhere(*entry_, now(), machine);
    }

   private:
    LocalTransaction now() const noexcept { return {pid_, *number_}; }

    static constexpr std::uint32_t none = 0;
    ProcessEntry<Lock> *entry_ = nullptr;
    const volatile std::uint32_t *number_ = &none;
    std::uint32_t pid_ = 0;
    std::uint32_t marked_number_ = UINT32_MAX;
    std::uint64_t marked_machine_ = 0;
    Announced announced_{};
};

}  // namespace idgen
