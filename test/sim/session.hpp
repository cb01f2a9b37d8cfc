// A session that draws IDs without end, one step at a time, in the order of the server's draw():
//
//      clock -> grant -> floor -> aim -> take -> (done | wait | renew)
//      renew: the lock, if it is free -> page -> flush -> note -> acknowledged? -> granted
//
// Between two steps anything may happen: other sessions, crashes, a promotion.
#pragma once

#include "core/issue/pool_cursor.hpp"
#include "core/issue/slot.hpp"
#include "slots.hpp"
#include "stage.hpp"

namespace idgen::sim {

class Session {
   public:
    // Connects anew; what the last connection knew is gone.
    void connect(Stage &stage, int number, Node &node);
    void step(Stage &stage);

    const Node *node() const noexcept { return node_; }
    std::int64_t draws() const noexcept { return draws_; }

   private:
    enum class Step { clock, first_limit, second_limit, aim, take, wait, renew, page, flush, note, poll };

    void begin_draw(Stage &stage);
    void read_clock(Stage &stage);
    void read_limit(Stage &stage, bool is_first);
    void begin_try(Stage &stage);
    void aim(Stage &stage);
    void take_ids(Stage &stage);
    void issue(Stage &stage, const Take &taken);
    bool move_up(const Packing &p);
    void wait(Stage &stage);
    void begin_renewal();
    void write_page(Stage &stage);
    void note_page(Stage &stage);
    void poll_standby(Stage &stage);
    void end_renewal();

    Node *node_ = nullptr;
    int number_ = 0;
    int packing_ = 0;
    bool is_pool_ = false;
    std::uint32_t shard_ = 0;
    std::uint32_t rank_ = 0;
    PoolCursor cursor_;
    LastDraw last_;
    SlotHandle handle_;
    std::int64_t draws_ = 0;

    Step step_ = Step::clock;
    std::uint32_t count_ = 1;
    Limits limits_{};
    std::int64_t base_ = 0;
    std::int64_t start_ms_ = 0;  // of the tick that needs a renewal
    std::int64_t wait_ms_ = 0;
    DurableRecord record_{};
    Lsn lsn_ = 0;
};

}  // namespace idgen::sim
