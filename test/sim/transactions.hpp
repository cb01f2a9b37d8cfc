// Transactions as a server numbers them, and as its WAL tells of them. A transaction gets a number (an xid) when it
// first stores something, or never; a snapshot says which numbers had ended.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/reading/settled_pairs.hpp"
#include "scenario.hpp"

namespace idgen::sim {

// A whole number, as the servers count; what is stored of it is the lower half, and some of those are never given out.
using Xid = std::uint64_t;

constexpr std::uint32_t first_normal_xid = 3;
constexpr std::uint32_t half_of(Xid xid) noexcept {
    return static_cast<std::uint32_t>(xid);
}
constexpr Xid after(Xid xid) noexcept {
    do xid++;
    while (half_of(xid) < first_normal_xid);
    return xid;
}
constexpr Xid before(Xid xid) noexcept {
    do xid--;
    while (half_of(xid) < first_normal_xid);
    return xid;
}

// The lowest ID of each layout that a transaction has drawn.
struct Lowest {
    std::int64_t ids[max_layouts];

    Lowest() noexcept { std::fill_n(ids, max_layouts, INT64_MAX); }
};

// What a record of the WAL says of a transaction: that it stored something, or how it ended. `running`: every one below
// that number has ended, as a server says after a start and now and then.
enum class Act : std::uint8_t { none, store, abort, commit, prepare, commit_prepared, abort_prepared, running };

constexpr bool is_commit(Act act) noexcept {
    return act == Act::commit || act == Act::commit_prepared;
}

struct TransactionRecord {
    Act act = Act::none;
    Xid xid = 0;
    Lowest drawn = {};
};

// A transaction that is prepared for two-phase commit.
struct PreparedTransaction {
    Xid xid;
    int database;
    Lowest drawn;
    bool is_ending;   // a session has it
    std::size_t lsn;  // of its commit; 0: none yet
};

// The transactions as the WAL tells of them, up to some record.
struct Ledger {
    Xid next = first_normal_xid;
    Xid latest = 0;            // the highest that has ended
    std::vector<Xid> running;  // on a standby: all that were heard of, in order; the prepared, too
    std::vector<PreparedTransaction> prepared;

    void begin(Xid first) {
        next = first;
        latest = before(first);
        running.clear();
        prepared.clear();
    }
    Xid give() noexcept {
        Xid given = next;
        next = after(next);
        return given;
    }
    void end(Xid xid) noexcept { latest = std::max(latest, xid); }
    void erase_prepared(Xid xid) {
        auto is_it = [xid](const PreparedTransaction &transaction) { return transaction.xid == xid; };
        prepared.erase(std::remove_if(prepared.begin(), prepared.end(), is_it), prepared.end());
    }
    bool is_prepared(Xid xid) const noexcept {
        return std::any_of(prepared.begin(), prepared.end(),
                           [xid](const PreparedTransaction &transaction) { return transaction.xid == xid; });
    }

    void apply(const TransactionRecord &record, int database) {
        if (record.act == Act::none) return;
        hear_of(record.act == Act::running ? before(record.xid) : record.xid);
        switch (record.act) {
            case Act::none:
            case Act::store:
                return;
            case Act::prepare:
                prepared.push_back({record.xid, database, record.drawn, false, 0});
                return;
            case Act::running:
                running.erase(running.begin(), std::lower_bound(running.begin(), running.end(), record.xid));
                return end(before(record.xid));
            case Act::commit_prepared:
            case Act::abort_prepared:
                erase_prepared(record.xid);
                break;
            case Act::abort:
            case Act::commit:
                break;
        }
        auto found = std::lower_bound(running.begin(), running.end(), record.xid);
        if (found != running.end() && *found == record.xid) running.erase(found);
        end(record.xid);
    }

   private:
    // All below a number that is heard of were given out.
    void hear_of(Xid xid) {
        while (next <= xid) running.push_back(give());
    }
};

// A snapshot that a reader holds, and what the oracle remembers of it.
struct HeldSnapshot {
    std::vector<std::uint32_t> xids;
    Xid xmax = 0;
    bool is_of_recovery = false;
    std::size_t lsn = 0;  // every commit up to there is seen
    bool is_answered = false;
    std::int64_t until = 0;

    SnapshotView view() const noexcept {
        std::uint32_t xmin = half_of(xmax);
        for (std::uint32_t xid : xids)
            if (static_cast<std::int32_t>(xid - xmin) < 0) xmin = xid;
        return {xmin, half_of(xmax), is_of_recovery, xids.data(), static_cast<std::uint32_t>(xids.size())};
    }
    bool has_ended(Xid xid) const noexcept {
        return xid < xmax && std::find(xids.begin(), xids.end(), half_of(xid)) == xids.end();
    }
};

}  // namespace idgen::sim
