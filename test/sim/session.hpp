// A session that draws without end, one step at a time, in the order of the server's draw:
//
//      clock -> limits -> announce -> (select ->) take -> issue, and renew ahead of need | renew | wait | an error
//      numbers from a registry: take or select -> wait for the number
//      DecimalIds: count -> issue | renew
//
// Between two draws its transaction may end, or be prepared: hand over -> record -> leave. It may be a worker of
// another session, and draw in the transaction of that; or lead, and draw nothing itself, or nothing more. A leader
// waits for its workers before its transaction ends.
//
// Between two steps anything may happen: other sessions, crashes, a promotion; between the two loads of the limits,
// between an announcement and the look at what is settled, and between finding a lease and its slot, other sessions and
// the keeper.
#pragma once

#include "reader.hpp"
#include "renewal.hpp"

namespace idgen::sim {

class Session {
   public:
    Session() = default;
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    // Connects again; what the last connection knew is gone.
    void connect(Stage &stage, int number, Node &node, int database);
    void disconnect() noexcept;
    void step(Stage &stage);

    const Node *node() const noexcept { return node_; }
    bool is_in(const Node &node, int database) const noexcept {
        return node_ == &node && number_of_database_ == database;
    }
    // Whether it holds the lock of renewals.
    bool is_renewing() const noexcept { return step_ == Step::renew; }
    std::int64_t draws() const noexcept { return draws_; }

   private:
    enum class Step { clock, limits, announce, select, take, count, renew, wait, lead, hand_over, record, leave };
    using Source = DrawSource<NoLock>;

    void resolve(Stage &stage);
    void change_layout(Stage &stage);
    void list_shards(Stage &stage);
    void list_numbers(Stage &stage);
    bool has_other_numbers(const Stage &stage) const noexcept;
    Process &process() const noexcept { return node_->shared->processes[number_]; }
    // That of the transaction that stores what it draws.
    Process &storing() const noexcept {
        return process().leader < 0 ? process() : node_->shared->processes[process().leader];
    }
    Process &announcing() const noexcept;
    Announcement<NoLock> &announcement() const noexcept;
    bool is_orphan() const noexcept;
    void begin_transaction(Stage &stage);
    void join(int leader) noexcept;
    void end_transaction(Stage &stage);
    void leave_transaction() noexcept;
    void store_some(Stage &stage);
    void end_some(Stage &stage);
    void lead(Stage &stage);
    void hand_over(Stage &stage);
    void record();
    void leave(Stage &stage);
    void begin_draw(Stage &stage);
    void abandon(Stage &stage);
    void observe(Stage &stage);
    void read_clock(Stage &stage);
    void read_limits(Stage &stage);
    void announce(Stage &stage);
    void select(Stage &stage);
    void take_ids(Stage &stage);
    void judge_refusal(Stage &stage, const Take &taken);
    void judge_lead(Stage &stage, const Take &taken);
    void count_lead(Stage &stage, const Take &taken);
    void follow(Stage &stage, const Take &taken);
    void issue(Stage &stage, const Take &taken);
    void count_decimal(Stage &stage);
    void begin_renewal(Record kind, std::int64_t start_ms, bool is_ahead);
    void renew(Stage &stage);
    void wait(Stage &stage);
    void wait_for_number(Stage &stage);
    std::int64_t waited_ms(const Stage &stage) const noexcept { return stage.true_ms - began_ms_; }
    // The fourth session waits, whatever the others do.
    DrawRules rules(const Stage &stage) const noexcept {
        DrawRules rules = stage.settings.draw;
        rules.may_borrow &= number_ != 3;
        return rules_of(source_, rules);
    }
    LastTick &last_tick() const noexcept {
        return node_->last_ticks[number_of_database_][kind_][packed_shard(source_)];
    }

    Node *node_ = nullptr;
    Database *database_ = nullptr;
    int number_of_database_ = 0;
    int number_ = 0;
    int kind_ = 0;  // which layout, or kind_hlc, or kind_decimal
    bool is_own_ = false;
    std::uint32_t generation_ = 0;  // of the settings
    ShardRange shards_[max_leases]{};
    std::uint32_t changes_ = 0;  // of the numbers in the pool
    DrawSession history_{};
    std::uint32_t pid_ = 0;
    std::uint32_t transactions_ = 0;  // the local number of the last one
    Xid xid_ = 0;                     // of the transaction that is prepared
    Announced announced_{};
    DrawHistory before_{};  // what the session had drawn when the draw began
    Source source_{};
    std::int64_t made_ = 0;            // the last ID
    std::int64_t above_ = 0;           // the next one is larger
    std::int64_t borrowed_tick_ = -1;  // the last borrowed tick that it drew from, or chose to
    std::int64_t borrowed_before_ = -1;
    std::int64_t draws_ = 0;

    Step step_ = Step::clock;
    std::uint32_t count_ = 1;
    Limits limits_{};
    std::int64_t base_ = 0;
    std::int64_t began_ms_ = 0;
    std::int64_t wait_ms_ = 0;
    bool is_ahead_ = false;  // the renewal, of need
    RenewalSteps renewal_;
};

}  // namespace idgen::sim
