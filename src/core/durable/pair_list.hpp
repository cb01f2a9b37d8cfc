// What looks at the settled IDs of a database found (core/issue/settled_pairs.hpp), from the oldest to the newest: in
// shared memory for the queries of a primary, in the page of the horizon for those of its standbys.
//
//      page:  | DurableRecord 56 bytes | count 32 | unused 32 | 8 times: next xid 64, until 64 |
//
// Times are unix ms.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/durable/durable_record.hpp"

namespace idgen {

// In place of U where nothing is known to be settled.
constexpr std::int64_t none_settled = INT64_MIN;

// One look. Good for every snapshot whose xmax is above `next_xid`.
struct SettledPair {
    std::uint64_t next_xid;  // the next one after the look, with its epoch
    std::int64_t until_ms;   // every ID that starts before it is settled
};
static_assert(sizeof(SettledPair) == 16 && std::is_trivial_v<SettledPair>, "on disk and in shared memory");
constexpr SettledPair no_pair{0, none_settled};

// Pairs of one history, from the oldest to the newest: both numbers rise. All zero: none.
//
// If there is no room, one goes whose neighbors lie closest together, seen from the newest: so the distances grow with
// the age, and a transaction that asks late finds one that is older than its snapshot by a part of that age.
template <std::uint32_t capacity>
struct PairList {
    std::uint32_t count;
    std::uint32_t unused;
    SettledPair pairs[capacity];

    void add(const SettledPair &pair) noexcept {
        if (count > 0 && pair.until_ms <= newest_ms()) return;
        // It settles more, for more snapshots.
        while (count > 0 && pairs[count - 1].next_xid >= pair.next_xid) count--;
        if (count == capacity) thin_out();
        pairs[count++] = pair;
    }

    // Up to where all is settled in a snapshot with that xmax, by rule (1).
    std::int64_t find(std::uint64_t xmax) const noexcept {
        for (std::uint32_t i = count; i-- > 0;)
            if (xmax > pairs[i].next_xid) return pairs[i].until_ms;
        return none_settled;
    }

    std::int64_t newest_ms() const noexcept { return count == 0 ? none_settled : pairs[count - 1].until_ms; }

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
        auto distance = static_cast<double>(pairs[i + 1].until_ms - pairs[i - 1].until_ms);
        return distance / static_cast<double>(newest_ms() - pairs[i].until_ms);
    }
};

// The last pairs, in the page of the horizon: what a standby goes by. Never change: on disk.
using PagePairs = PairList<8>;
static_assert(sizeof(PagePairs) == 136 && std::is_trivial_v<PagePairs>, "on disk");

// What lies in the page of a record; that of generators has no pairs. Never change: on disk.
struct RecordPage {
    DurableRecord record;
    PagePairs pairs;
};
static_assert(sizeof(RecordPage) == 192 && std::is_trivial_v<RecordPage>, "on disk");

}  // namespace idgen
