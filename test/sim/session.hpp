// A session that draws without end. A draw is the core's own (core/draw/draw_order.hpp), on a fiber that rests
// wherever others may come in; the session answers for the server.
//
// Between two draws its transaction may end, or be prepared: hand over -> record -> leave. It may be a worker of
// another session, and draw in the transaction of that; or lead, and draw nothing itself, or nothing more. A leader
// waits for its workers before its transaction ends.
//
// Where it rests anything may happen: other sessions, crashes, a promotion; between the two loads of the limits,
// between an announcement and the look at what is settled, between finding a lease and its slot, and while a renewal
// has a page locked, other sessions and the keeper. Between the take and the look at the grant it may do either.
#pragma once

#include <setjmp.h>

#include "core/draw/draw_order.hpp"
#include "fiber.hpp"
#include "reader.hpp"
#include "renewal.hpp"

namespace idgen::sim {

// Renews ahead of need for a session: an error is dropped.
class Attempt final : public Renewer {
   public:
    explicit Attempt(Renewer &session) noexcept : session_(session) {}

    template <class Run>
    void run(Run run) {
        if (_setjmp(caught_) == 0) run();
    }
    void rest() override { session_.rest(); }
    void let_others_run() override { session_.let_others_run(); }
    void note_locked(bool is_locked) override { session_.note_locked(is_locked); }
    const Settings &settings_of(const Stage &stage) const override { return session_.settings_of(stage); }
    bool fails() override { return session_.fails(); }
    void fail() override { _longjmp(caught_, 1); }

   private:
    Renewer &session_;
    jmp_buf caught_{};
};

class Session final : public Renewer {
   public:
    struct Source : DrawSource<NoLock> {
        std::uint32_t generation = 0;  // of the settings; 0: to be resolved again
        int kind = -1;                 // the layout, or clock, that it was resolved for
        ShardRange *room = nullptr;    // of its pool
        std::uint32_t changes = 0;     // of the numbers in the pool
    };
    struct Wait {};

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
    bool is_renewing() const noexcept { return is_renewing_; }
    std::int64_t draws() const noexcept { return draws_; }

    // What a draw of the core asks for (core/draw/draw_order.hpp).
    const Horizon &horizon() const noexcept { return database_->horizon; }
    std::uint32_t resets() noexcept;
    // The fourth session waits, whatever the others do.
    DrawRules rules() const noexcept;
    std::int64_t window_ms() const noexcept;
    std::int64_t watched_ms() const noexcept { return node_->is_told ? INT64_MAX : window_ms(); }
    std::uint64_t machine() const noexcept { return node_->machine(); }
    std::int64_t recent_us();
    std::int64_t now_us();
    bool is_announced(std::int64_t start_ms) const noexcept { return own_.is_announced(start_ms); }
    std::int64_t announce(const Source &source, std::int64_t base);
    void mark(std::uint64_t machine) noexcept;
    bool select_slot(Source &source, std::int64_t now_ms);
    void note_try(const Source &source, const Limits &limits, const Tick &base, const Take &taken);
    void require_server() const noexcept {}
    void note_drawn(const Source &source, const Limits &limits, const Take &taken, const Drawn &drawn);
    void renew_ahead(std::int64_t, std::int64_t start_ms);
    Outcome renew(std::int64_t start_ms) { return renew(Record::horizon, start_ms, *this); }
    Outcome renew_generator() { return renew(Record::generator, 0, *this); }
    std::int64_t waited_ms(const Wait &) const noexcept;
    bool wait_for_renewal(Wait &);
    bool wait_for_tick(const Source &source, const Limits &limits, const Take &taken, Wait &);
    bool wait_for_number(Source &source, Wait &);
    [[noreturn]] void refuse(Next, const Source &, const Limits &, const Take &, const Wait &) { raise(); }
    [[noreturn]] void refuse_renewal(Patience, const Outcome &, const Wait &) { raise(); }
    void pause();
    DrawSession new_session() const noexcept;
    void mark_stale(Source &source) const noexcept { source.generation = 0; }

    void rest() override;
    void let_others_run() override {
        if (stage_->scenario.has_rough_sessions) stage_->let_others_run();
    }
    void note_locked(bool is_locked) noexcept override { is_renewing_ = is_locked; }
    const Settings &settings_of(const Stage &) const noexcept override { return settings(); }
    bool fails() override { return stage_->is_rough(20); }
    void fail() override { raise(); }

   private:
    enum class Step { draw, give, lead, hand_over, record, leave };
    // What is left of IDs that were drawn at once (src/pg/draw/draw.hpp).
    struct Block : Drawn {
        std::int64_t draw_number;
        std::uint64_t machine;
        std::uint32_t scope;
    };
    // What its process has fetched for later.
    struct Stock {
        std::int64_t number;
        std::uint64_t machine;
        std::int64_t left;
    };

    Outcome renew(Record kind, std::int64_t start_ms, Renewer &renewer);
    void resolve(Stage &stage, Source &source);
    void change_layout(Stage &stage);
    void list_shards(Stage &stage, Source &source);
    void list_numbers(Stage &stage, Source &source);
    void set_pool(Stage &stage, Source &source);
    bool follow_pool(Stage &stage, Source &source);
    void turn_source(Stage &stage);
    const Settings &settings() const noexcept {
        return stage_->scenario.has_rough_sessions ? settings_ : stage_->settings;
    }
    Process &process() const noexcept { return node_->shared->processes[number_]; }
    // That of the transaction that stores what it draws.
    Process &storing() const noexcept {
        return process().leader < 0 ? process() : node_->shared->processes[process().leader];
    }
    Process &announcing() const noexcept;
    void attach() noexcept;
    void hand(int kind, std::uint32_t scope, std::int64_t id);
    bool may_end(Stage &stage, TransactionEvent event);
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
    void end_draw(Stage &stage);
    void abandon(Stage &stage);
    void observe(Stage &stage);
    static void run(void *session);
    void draw();
    template <bool is_read_by>
    Drawn draw_one();
    void count_decimal();
    void take_other();
    [[noreturn]] void raise();
    std::int64_t read_clock();
    void forget_made() noexcept;
    void judge_refusal(const Source &source, const Limits &limits, const Take &taken);
    void judge_lead(const Source &source, const Limits &limits, const Tick &base, const Take &taken);
    void count_lead(const Source &source, const Take &taken);
    void note_taken(const Source &source, const Take &taken);
    void note_ids(const Source &source, const Drawn &drawn);
    bool has_next() const noexcept;
    void give(Stage &stage);
    void take_next(Block &block);
    void go_on(Stage &stage);
    int slots() const noexcept { return stage_->scenario.slots_of(kind_); }
    LastTick &last_tick(const Source &source) const noexcept {
        return node_->last_ticks[number_of_database_][slots()][packed_shard(source)];
    }

    Node *node_ = nullptr;
    Database *database_ = nullptr;
    int number_of_database_ = 0;
    int number_ = 0;
    int kind_ = 0;         // which layout, or kind_hlc, kind_decimal, kind_other
    Settings settings_{};  // as a rough session has read them
    Stock stock_{};
    Block block_{};
    bool is_own_ = false;
    ShardRange rooms_[2][max_leases]{};
    DrawSession history_{};
    std::uint32_t pid_ = 0;
    std::uint32_t transactions_ = 0;  // the local number of the last one
    Xid xid_ = 0;                     // of the transaction that is prepared
    OwnTransaction<NoLock> own_{};
    std::uint32_t announced_in_ = 0;  // the transaction in which it announced last
    DrawHistory before_{};            // what the session had drawn when the draw began
    Source source_{};
    Source other_{};                   // of another call site
    std::int64_t made_ = 0;            // the last ID
    std::int64_t above_ = 0;           // the next one is larger
    std::int64_t borrowed_tick_ = -1;  // the last borrowed tick that it drew from, or chose to
    std::int64_t borrowed_before_ = -1;
    std::int64_t draws_ = 0;

    Step step_ = Step::draw;
    Stage *stage_ = nullptr;  // while a draw runs
    Fiber fiber_;
    std::uint32_t count_ = 1;
    DrawHistory observed_{};
    bool is_above_ = false;  // the draw is to lie above what was observed
    bool is_drawn_ = false;  // it has succeeded
    bool is_renewing_ = false;
    std::uint32_t resets_ = 0;  // of the database's horizon, as what was made knows
    std::uint32_t resets_before_ = 0;
    std::int64_t began_ms_ = 0;
    std::int64_t old_floor_ms_ = 0;  // the floor of old when it took
};

}  // namespace idgen::sim
