// What a renewal of the core, or a move by hand, asks a simulated server for. From its lock to its end no other renewal
// of the database runs; all else may happen wherever the caller is willing to rest.
#pragma once

#include "core/draw/renewal_order.hpp"
#include "fiber.hpp"
#include "stage.hpp"

namespace idgen::sim {

// Who renews: it may rest in between, or let others run, and holds the lock of renewals. If it fails, fail() does not
// return.
struct Renewer {
    virtual void rest() {}
    virtual void let_others_run() {}
    virtual void note_locked(bool) {}
    virtual const Settings &settings_of(const Stage &stage) const { return stage.settings; }
    virtual bool fails() { return false; }
    virtual void fail() {}

   protected:
    ~Renewer() = default;
};

// One that nothing interrupts but what the steps themselves let in.
struct Restless final : Renewer {};

class RecordHost {
   public:
    RecordHost(Stage &stage, Node &node, Database &database, int number, Record kind, Renewer &renewer)
        : stage_(stage), node_(node), database_(database), number_(number), kind_(kind), renewer_(renewer) {}

    std::uint64_t machine() const noexcept { return node_.machine(); }
    void leave_numbers() const noexcept { node_.shared->leases.leave(node_.machine()); }
    bool try_lock();
    void unlock();
    Renewal lock_page(RecordPage &page);
    std::uint64_t lsn() const { return node_.disk.lsn(number_, kind_); }
    std::uint64_t write_page(const RecordPage &page);
    void unlock_page();
    bool is_flushed(std::uint64_t lsn) const { return lsn <= node_.disk.flushed; }
    void flush(std::uint64_t lsn);
    void flush_later(std::uint64_t) const { renewer_.rest(); }
    bool is_acknowledged(std::uint64_t lsn) const;
    bool is_followed() const noexcept { return true; }
    SettledPair look();
    void note_write(const DurableRecord &) const noexcept {}
    void note_reached(std::int64_t ms) const noexcept;
    void note_granted() noexcept;
    bool has_own_page() const noexcept { return true; }
    void write_unflushed(const RecordPage &page);

    // What moves by hand ask for (core/draw/moves.hpp).
    void lock_patiently() {
        while (!try_lock()) continue;
    }
    Database &database() const noexcept { return database_; }
    template <class Visit>
    void in_directory(Visit visit) {
        SlotDirectory directory = node_.directory();
        visit(directory);
    }
    std::int64_t clock_difference_ms();
    std::int64_t number_begins_ms(std::uint32_t number) const noexcept {
        return node_.shared->leases.claimed_ms(number);
    }
    void wait_for_standbys() { renewer_.rest(); }
    bool remembers() const noexcept { return true; }
    std::uint64_t write_first(const DurableRecord &record);

    // Renews, for a tick that starts then; of generators, that is of no matter.
    Outcome renew(std::int64_t start_ms);

   protected:
    void may_fail();

    Stage &stage_;
    Node &node_;
    Database &database_;
    int number_;
    Record kind_;
    WalEntry page_{};  // as it was read

   private:
    Outcome note_refused(const Outcome &outcome) const noexcept;
    void trace_write(const char *what, std::int64_t value) const;

    Renewer &renewer_;
    ServerView view_{};
    std::int64_t start_ms_ = 0;
    bool has_read_ = false, has_written_ = false;
};

// What somebody moves by hand in a database: idgen.advance(), idgen.reset() and idgen.confirm_shards(). The move is the
// core's own (core/draw/moves.hpp), on a fiber that rests wherever others may come in: before the locks, around the
// flush, while it waits for standbys.
class Admin final : public Renewer {
   public:
    enum class Task {
        advance,
        reset,          // to where somebody says that no ID was made
        reset_to_last,  // to where the server says so
        confirm
    };

    Admin() = default;
    Admin(const Admin &) = delete;
    Admin &operator=(const Admin &) = delete;

    void begin(Stage &stage, Node &node, int database, Task task, std::int64_t at_ms) noexcept;
    void disconnect() noexcept { node_ = nullptr; }
    void step() noexcept {
        if (fiber_.resume()) disconnect();
    }

    bool is_in(const Node &node, int database) const noexcept { return node_ == &node && number_ == database; }
    const Node *node() const noexcept { return node_; }
    bool is_resetting() const noexcept { return node_ != nullptr && task_ == Task::reset; }

    void rest() override { fiber_.rest(); }
    void note_locked(bool is_locked) noexcept override { is_locked_ = is_locked; }
    bool is_locked() const noexcept { return is_locked_; }
    bool fails() override { return stage_->is_rough(16); }
    void fail() override { cancel(); }
    [[noreturn]] void cancel() noexcept { fiber_.end(); }

   private:
    static void run(void *admin);
    void move();
    void confirm_launch();

    Stage *stage_ = nullptr;
    Node *node_ = nullptr;
    int number_ = 0;
    Task task_ = Task::advance;
    std::int64_t at_ms_ = 0;
    std::uint64_t machine_ = 0;  // in which it was called
    bool is_locked_ = false;     // it holds the lock of renewals
    Fiber fiber_;
};

}  // namespace idgen::sim
