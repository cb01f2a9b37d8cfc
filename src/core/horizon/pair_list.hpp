// What looks at the settled IDs of a database found (core/reading/settled_pairs.hpp), from the oldest to the newest: in
// shared memory for the queries of a primary, in the page of the horizon for those of its standbys.
//
//      page:  | DurableRecord 64 bytes | count 32 | unused 32 | 32 times: next xid 64, until 64 |
//
// `until` is one number that orders what is settled of ticks of any length:
//
//      2 t        every tick that ends by the unix ms t
//      2 t + 1    every tick that starts before it
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/horizon/durable_record.hpp"

namespace idgen {

constexpr std::int64_t none_settled = INT64_MIN;  // nothing is known
constexpr std::int64_t until_end(std::int64_t ms) noexcept {
    return 2 * ms;
}
constexpr std::int64_t until_start(std::int64_t ms) noexcept {
    return 2 * ms + 1;
}
constexpr std::int64_t ms_of_until(std::int64_t until) noexcept {
    return (until & 1) != 0 ? (until - 1) / 2 : until / 2;
}

// What one look found. Good for every snapshot whose xmax is above `next_xid`.
struct SettledPair {
    std::uint64_t next_xid;  // the next one after the look, with its epoch
    std::int64_t until;
};
static_assert(sizeof(SettledPair) == 16 && std::is_trivial_v<SettledPair>, "on disk and in shared memory");
constexpr SettledPair no_pair{0, none_settled};

// Pairs of one history, from the oldest to the newest: both numbers rise. All zero: none.
//
// A full list drops the pair whose neighbors are closest together, relative to its age. So the distances grow with the
// age, and a transaction that asks late finds a pair that is older than its snapshot by a part of that age.
template <std::uint32_t capacity>
struct PairList {
    std::uint32_t count;
    std::uint32_t unused;
    SettledPair pairs[capacity];

    void add(const SettledPair &pair) noexcept {
        if (count > 0 && pair.until <= newest()) return;
        // It settles more, for more snapshots.
        while (count > 0 && pairs[count - 1].next_xid >= pair.next_xid) count--;
        if (count == capacity) thin_out();
        pairs[count++] = pair;
    }

    // Up to where all is settled in a snapshot with that xmax, by rule (1).
    std::int64_t find(std::uint64_t xmax) const noexcept {
        for (std::uint32_t i = count; i-- > 0;)
            if (xmax > pairs[i].next_xid) return pairs[i].until;
        return none_settled;
    }

    std::int64_t newest() const noexcept { return count == 0 ? none_settled : pairs[count - 1].until; }

   private:
    void thin_out() noexcept {
        std::uint32_t least = 1;
        double least_part = part_between_neighbors(1);
        for (std::uint32_t i = 2; i + 1 < count; i++) {
            double part = part_between_neighbors(i);
            if (part < least_part) least = i, least_part = part;
        }
        count--;
        std::memmove(pairs + least, pairs + least + 1, (count - least) * sizeof(SettledPair));
    }
    double part_between_neighbors(std::uint32_t i) const noexcept {
        auto distance = static_cast<double>(pairs[i + 1].until - pairs[i - 1].until);
        return distance / static_cast<double>(newest() - pairs[i].until);
    }
};

// The last pairs, in the page of the horizon: what a standby goes by. Never change: on disk.
using PagePairs = PairList<32>;
static_assert(sizeof(PagePairs) == 520 && std::is_trivial_v<PagePairs>, "on disk");

// What lies in the page of a record; that of generators has no pairs. Never change: on disk.
struct RecordPage {
    DurableRecord record;
    PagePairs pairs;
};
static_assert(sizeof(RecordPage) == 584 && std::is_trivial_v<RecordPage>, "on disk");

}  // namespace idgen
