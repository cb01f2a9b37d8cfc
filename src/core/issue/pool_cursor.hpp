// Where in its pool of shards a session draws. Ranks count the pool's shards upward from 0.
//
// Each tick begins at `start`; a full shard moves the session to the next one up, because within a
// tick an ID of a lower shard would be smaller than the last. A session that runs out at the top
// begins lower in the next tick, until it has the whole pool; one that needs a single shard goes
// back to its home. So sessions that ask for little stay apart.
#pragma once

#include <cstdint>

namespace idgen {

class PoolCursor {
   public:
    // Aims at a pool of `count` shards, at least 1; a pool of another size starts over at its home.
    void aim(std::uint32_t session_number, std::uint32_t count) noexcept {
        if (count == count_) return;
        count_ = count;
        home_ = start_ = rank_ = session_number % count;
    }

    std::uint32_t rank() const noexcept { return rank_; }

    // Goes to where a new tick begins.
    void begin_tick() noexcept {
        if (rank_ == start_) start_ = home_;
        rank_ = start_;
    }

    // Moves up from a full shard. False at the top of the pool: the tick is over for this session.
    bool advance() noexcept {
        if (rank_ + 1 < count_) {
            rank_++;
            return true;
        }
        start_ /= 2;
        return false;
    }

   private:
    std::uint32_t count_ = 0;
    std::uint32_t home_ = 0;
    std::uint32_t start_ = 0;
    std::uint32_t rank_ = 0;
};

}  // namespace idgen
