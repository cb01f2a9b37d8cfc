// Moves durable records up, in the order that the core says (core/draw/renewal_order.hpp), also for a caller with
// synchronous_commit = off: looks at the clock, then does what the core decides. No lock is held while anything is waited
// for: a session whose renewal is not granted yet comes back and asks again.
#pragma once

#include "pg/horizon/durable_page.hpp"
#include "pg/state/own_transaction.hpp"
#include "pg/state/standby.hpp"

namespace idgen::pg {

// What this server knows of itself and of its clock, which is read last; `foreign_origin` is of the caller.
ServerView this_server();
ServerView server_but_clock(const SharedState &state);

// Whether the kernel says that its clock is right within idgen.clock_error.
Outcome doubt_of_kernel(SharedState *state);

// Tries once to have a tick granted that starts at `start_ms` and that the lead admits. Says what keeps it from being
// granted: a clock that jumped or is not synchronized, a page that cannot be used, a lock.
Outcome renew_horizon(int64 start_ms);

// Reads what a start left, if it can be read now and is not known yet. Writes nothing, and does not judge the clock.
void load_horizon();

// Renews ahead of need, so that other sessions need not stop; tried once a millisecond, which `now_ms` is. What is
// refused or fails, the next draw that needs it says: here an ID has been taken, and it is good.
void renew_ahead(int64 now_ms, int64 start_ms);

// The server's main process is gone; ends the session.
[[noreturn]] void report_postmaster_dead();

// Raises if the postmaster is dead: another server may have taken this one's place. To be asked after a take, before
// what was taken is handed out.
inline void require_postmaster() {
    if (unlikely(!PostmasterIsAlive())) report_postmaster_dead();
}

// Tries once to have a generator of DecimalIds with a counter left (core/horizon/durable_record.hpp): that one is taken is
// durable before it is used.
Outcome renew_generator();

// The server, as a renewal (core/draw/renewal_order.hpp) and a move by hand (core/draw/moves.hpp) see it; for a record
// whose sequence is open.
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
