// The server, as a renewal (core/draw/renewal_order.hpp) and a move by hand (core/draw/moves.hpp) see it; for a record
// whose sequence is open.
#pragma once

#include "core/reading/settled_pairs.hpp"
#include "pg/horizon/durable_page.hpp"
#include "pg/host/clock.hpp"
#include "pg/host/machine.hpp"
#include "pg/state/shared_state.hpp"
#include "pg/state/standby.hpp"
#include "pg/state/undecided.hpp"

namespace idgen::pg {

class RecordHost {
   public:
    // Without a state and a database the server did not load the library: only create_record asks such a host.
    RecordHost(SharedState *state, SharedDatabase *database, Relation sequence) noexcept
        : state_(state), database_(database), sequence_(sequence) {}

    static uint64 machine() noexcept { return pg::machine(); }
    void leave_numbers() const { note_copied_machine(state_); }
    bool try_lock() IDGEN_LOCKS(try_acquire_capability(true, database_->renewal_lock)) {
        return database_->renewal_lock.try_lock();
    }
    void lock_patiently() IDGEN_LOCKS(acquire_capability(database_->renewal_lock)) {
        database_->renewal_lock.lock_patiently();
    }
    void unlock() IDGEN_LOCKS(release_capability(database_->renewal_lock)) { database_->renewal_lock.unlock(); }
    Renewal lock_page(RecordPage &page) {
        Renewal locked = pg::lock_page(sequence_, page_);
        page = page_;
        return locked;
    }
    uint64 lsn() const noexcept { return lsn_of(page_); }
    uint64 write_page(const RecordPage &page) { return pg::write_page(page_, page); }
    void unlock_page() { pg::unlock_page(page_); }
    static bool is_flushed(uint64 lsn) { return lsn <= GetFlushRecPtr(nullptr); }
    void flush(uint64 lsn) { XLogFlush(lsn); }
    void flush_later(uint64 lsn) {
        XLogSetAsyncXactLSN(lsn);
        wake_wal_writer();
    }
    bool is_acknowledged(uint64 lsn) const { return pg::is_acknowledged(state_, lsn); }
    bool is_followed() const { return pg::is_followed(); }
    SettledPair look() const {
        ReaderServer server{state_, database_};
        return idgen::look(server);
    }
    void note_write(const DurableRecord &) noexcept {}
    void note_reached(int64) noexcept {}
    void note_granted() noexcept {}
    bool has_own_page() const noexcept { return has_own_record(page_); }
    // The WAL writer flushes it, within wal_writer_delay.
    void write_unflushed(const RecordPage &page) { XLogSetAsyncXactLSN(write_page(page)); }

    SharedDatabase &database() const noexcept { return *database_; }
    template <class Visit>
    void in_directory(Visit visit) const noexcept {
        Guard<LightLock> guard(state_->lock);
        SlotDirectory directory = directory_of(state_);
        visit(directory);
    }
    int64 clock_difference_ms() const noexcept { return wall_minus_boot_ms(); }
    int64 number_begins_ms(uint32 number) const noexcept { return claimed_ms(leases_of(state_), number); }
    void wait_for_standbys() const { sleep_us(poll_us); }
    bool remembers() const noexcept { return database_ != nullptr; }
    uint64 write_first(const DurableRecord &record) const { return write_first_record(sequence_, record); }

   protected:
    SharedState *state_;
    SharedDatabase *database_;
    Relation sequence_;

   private:
    static constexpr int64 poll_us = 1000;
    DurablePage page_ = {};
};

// Calls renew(sequence) for the sequence of a record, if it can be opened and written to.
template <class Renew>
Outcome with_sequence(Record kind, Renew renew) {
    Relation sequence = nullptr;
    Renewal opened = try_open_sequence(kind, sequence);
    if (opened != Renewal::granted) return {opened, 0};
    Outcome outcome{Renewal::uncommitted, 0};
    if (!is_uncommitted(sequence)) outcome = renew(sequence);
    close_sequence(sequence);
    return outcome;
}

}  // namespace idgen::pg
