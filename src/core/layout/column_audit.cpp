#include "core/layout/column_audit.hpp"

namespace idgen {

namespace {

// Shards are often a few numbers in a row: they are spread over the table.
std::uint32_t spread(std::uint32_t shard) noexcept {
    std::uint32_t bits = shard * 0x9e3779b1U;
    return bits ^ bits >> 15;
}

bool has_more(const AuditedShard &a, const AuditedShard &b) noexcept {
    return a.ids != b.ids ? a.ids > b.ids : a.shard < b.shard;
}

}  // namespace

AuditedShard *AuditedShards::move_to(AuditedShard *entries) noexcept {
    AuditedShards larger;
    larger.entries_ = entries;
    larger.capacity_ = next_capacity();
    for (std::size_t i = 0; i < larger.capacity_; i++) entries[i] = AuditedShard{};
    for (std::size_t i = 0; i < capacity_; i++)
        if (entries_[i].is_used) larger.at(entries_[i].shard) = entries_[i];
    AuditedShard *left = entries_;
    *this = larger;
    return left;
}

AuditedShard &AuditedShards::at(std::uint32_t shard) noexcept {
    IDGEN_REQUIRE(!is_half_full());
    std::size_t i = spread(shard) & (capacity_ - 1);
    while (entries_[i].is_used && entries_[i].shard != shard) i = (i + 1) & (capacity_ - 1);
    AuditedShard &entry = entries_[i];
    if (!entry.is_used) {
        entry = AuditedShard{0, -1, 0, 0, 0, shard, true};
        count_++;
    }
    return entry;
}

int AuditedShards::largest(AuditedShard *out, int most) const noexcept {
    int found = 0;
    for (std::size_t i = 0; i < capacity_; i++) {
        if (entries_[i].ids == 0) continue;
        int place = found < most ? found++ : most;
        for (; place > 0 && has_more(entries_[i], out[place - 1]); place--)
            if (place < most) out[place] = out[place - 1];
        if (place < most) out[place] = entries_[i];
    }
    return found;
}

bool ColumnAudit::fits(std::int64_t id, Parts &parts) const noexcept {
    return id != 0 && unpack(packing_, id, parts) && parts.sequence >= packing_.sequence_first;
}

void ColumnAudit::add_stored(std::int64_t id) noexcept {
    IDGEN_REQUIRE(part_ > 0);
    Parts parts, before{};
    if (!fits(id, parts)) return;
    AuditedShard &shard = shards_.at(parts.shard);
    std::int64_t last_id = shard.last_id;
    bool is_first = shard.part != part_;
    shard.last_id = id;
    shard.part = part_;
    // Of one turn, IDs sort as their times do.
    if (is_first || (!packing_.wraps && id >= last_id)) return;
    unpack(packing_, last_id, before);
    std::int64_t at = time_of(parts.tick), at_before = time_of(before.tick);
    if (at > at_before || (at == at_before && id >= last_id)) return;
    std::uint64_t back_us = static_cast<std::uint64_t>(at_before) - static_cast<std::uint64_t>(at);
    if (steps_back++ > 0 && back_us <= furthest_us_) return;
    furthest_us_ = back_us;
    furthest_from = last_id;
    furthest_to = id;
}

void ColumnAudit::add_sorted(std::int64_t id) noexcept {
    IDGEN_REQUIRE(!has_last_ || id >= last_);
    if (has_last_ && id == last_) {
        copies++;
        if (!is_repeated_) repeated.add(id);
        is_repeated_ = true;
        return;
    }
    has_last_ = true;
    is_repeated_ = false;
    last_ = id;
    Parts parts;
    if (!fits(id, parts)) return strangers.add(id);
    std::int64_t at = time_of(parts.tick);
    count_times(id, at);
    count_tick(id, parts, at);
}

void ColumnAudit::count_times(std::int64_t id, std::int64_t at) noexcept {
    if (fitting.count == 0 || at < earliest_us_) earliest_us_ = at, earliest_id = id;
    if (fitting.count == 0 || at > latest_us_) latest_us_ = at, latest_id = id;
    fitting.add(id);
    if (!packing_.wraps && us_since_epoch(packing_, at) < first_minute_us) early.add(id);
    if (at > future_us_) future.add(id);
}

void ColumnAudit::count_tick(std::int64_t id, const Parts &parts, std::int64_t at) noexcept {
    AuditedShard &shard = shards_.at(parts.shard);
    shard.ids++;
    // Time is the highest field, so the IDs of a tick follow each other, if need be among those of other shards.
    shard.ids_in_tick = shard.tick == parts.tick ? shard.ids_in_tick + 1 : 1;
    shard.tick = parts.tick;
    if (shard.ids_in_tick < busiest_ids) return;
    bool is_earlier = at != busiest_us_ ? at < busiest_us_ : parts.shard < busiest_shard_;
    if (shard.ids_in_tick == busiest_ids && !is_earlier) return;
    busiest_ids = shard.ids_in_tick;
    busiest_us_ = at;
    busiest_shard_ = parts.shard;
    busiest_id = id;
}

}  // namespace idgen
