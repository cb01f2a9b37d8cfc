// What the numbers of a column show, read as the IDs of a layout. They are given twice: as their rows are stored, which
// shows the order within each shard, and in ascending order, which shows what is there twice, the ticks and the shards.
//
//      begin_part, add_stored ...      each table or partition, a row after another
//      add_sorted ...                  all numbers, the same one as often as it is stored
//
// A stranger is a number that the layout cannot have made. Of the others, what is counted of numbers is counted once
// for each; only steps back are counted for each row. The caller provides memory for the shards that are met, and asks
// `needs_room` before each number.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/layout/packing.hpp"
#include "core/require.hpp"

namespace idgen {

// One shard of the column.
struct AuditedShard {
    std::int64_t last_id;       // that was stored, in the part `part`
    std::int64_t tick;          // of the last one in ascending order
    std::int64_t ids;           // in ascending order, each number once
    std::uint32_t ids_in_tick;  //
    std::uint32_t part;         // 0: none yet
    std::uint32_t shard;
    bool is_used;
};

// Shards by their number: a hash table with open addressing. A table of no entries is all zero.
class AuditedShards {
   public:
    bool is_half_full() const noexcept { return count_ * 2 >= capacity_; }
    // How many entries the next memory should hold.
    std::size_t next_capacity() const noexcept { return capacity_ == 0 ? 64 : capacity_ * 2; }
    std::size_t count() const noexcept { return count_; }

    // Moves to memory of next_capacity() entries; returns what it leaves, or null.
    AuditedShard *move_to(AuditedShard *entries) noexcept;
    // The entry of a shard, a new one if there is none. Requires that the table is not half full.
    AuditedShard &at(std::uint32_t shard) noexcept;
    // The shards with the most IDs, then the lowest number; returns how many there are, `most` at most.
    int largest(AuditedShard *out, int most) const noexcept;

   private:
    AuditedShard *entries_ = nullptr;
    std::size_t capacity_ = 0;
    std::size_t count_ = 0;
};

// A finding: how many numbers, and the first that was found.
struct AuditCount {
    std::int64_t count;
    std::int64_t first_id;

    void add(std::int64_t id) noexcept {
        if (count++ == 0) first_id = id;
    }
};

class ColumnAudit {
   public:
    // Where time wraps, an ID lies in the turn nearest to `near_us`. The future begins at `future_us`.
    ColumnAudit(const Packing &packing, std::int64_t near_us, std::int64_t future_us) noexcept
        : packing_(packing), near_us_(near_us), future_us_(future_us) {}

    AuditedShards &shards() noexcept { return shards_; }
    const AuditedShards &shards() const noexcept { return shards_; }
    bool needs_room() const noexcept { return shards_.is_half_full(); }

    void begin_part() noexcept { part_++; }
    void add_stored(std::int64_t id) noexcept;
    void add_sorted(std::int64_t id) noexcept;
    // The largest number. Requires that there is one.
    std::int64_t last_id() const noexcept { return last_; }

    // Of the rows as they are stored. A step back: a row whose time, then ID, lies before that of the row of its shard
    // stored before it.
    std::int64_t steps_back = 0;
    std::int64_t furthest_from = 0;  // the IDs of the step that goes back furthest in time
    std::int64_t furthest_to = 0;

    // Of the numbers in ascending order. `first_id` is the smallest.
    AuditCount repeated{};    // numbers that are there more than once
    std::int64_t copies = 0;  // those beyond the first of each
    AuditCount strangers{};
    AuditCount early{};   // in the layout's first minute; none if time wraps
    AuditCount future{};  // after future_us
    AuditCount fitting{};
    std::int64_t earliest_id = 0;  // one of the earliest tick, if any number fits
    std::int64_t latest_id = 0;    // one of the latest
    std::int64_t busiest_id = 0;   // one of the tick and shard with the most IDs: the earliest, of the lowest shard
    std::uint32_t busiest_ids = 0;

   private:
    static constexpr std::int64_t first_minute_us = 60000000;

    // The parts of a number that the layout can have made; false: a stranger.
    bool fits(std::int64_t id, Parts &parts) const noexcept;
    std::int64_t time_of(std::int64_t tick) const noexcept { return start_nearest(packing_, tick, near_us_); }
    void count_times(std::int64_t id, std::int64_t at) noexcept;
    void count_tick(std::int64_t id, const Parts &parts, std::int64_t at) noexcept;

    Packing packing_;
    std::int64_t near_us_;
    std::int64_t future_us_;
    AuditedShards shards_;
    std::uint32_t part_ = 0;
    std::int64_t earliest_us_ = 0;
    std::int64_t latest_us_ = 0;
    std::uint64_t furthest_us_ = 0;
    std::int64_t busiest_us_ = 0;
    std::uint32_t busiest_shard_ = 0;
    std::int64_t last_ = 0;  // in ascending order
    bool has_last_ = false;
    bool is_repeated_ = false;  // the last one
};

}  // namespace idgen
