// From a look at what is settled to what a query may read: up to where its snapshot shows all that will ever be there.
//
// A look at some moment gives U: every ID that starts before it was drawn by a transaction that had ended by then
// (settled.hpp). A query sees all of those if its snapshot was taken after that moment. Two rules tell that it was,
// without a clock:
//
//   (1) N is the next xid, read after the look. A snapshot with an xmax above N was taken when a transaction had ended
//       whose xid was given out after N was read. So the pair (N, U) is good for every such snapshot, now and later,
//       also on a standby that has replayed a record with it: that record lies behind the commits that it settles.
//   (2) A second snapshot, taken after the look, has the xmax of the query's and still lists every xid that the query's
//       lists. So no transaction with an xid ended between the two.
//
// Snapshots are compared as sets of xids, never by counts: while a transaction waits in PREPARE, it is listed twice.
//
// Nothing here waits, reads a clock or raises. `until` is that of pair_list.hpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/horizon/pair_list.hpp"
#include "core/reading/settled.hpp"
#include "core/slot/locks.hpp"

namespace idgen {

// The pairs of a database, in shared memory. Whatever lowers S drops them, and those that were looked for before.
template <class Lock>
class SettledPairs {
   public:
    // How often they were dropped: to be asked before the look.
    std::uint32_t drops() noexcept {
        Guard<Lock> guard(mutex_);
        return drops_;
    }
    void add(const SettledPair &pair, std::uint32_t drops_before) noexcept {
        Guard<Lock> guard(mutex_);
        if (drops_ == drops_before) list_.add(pair);
    }
    // Those of a page that was just loaded: a transaction that began on a standby may outlive its promotion.
    void add_all(const PagePairs &page) noexcept {
        Guard<Lock> guard(mutex_);
        for (std::uint32_t i = 0; i < page.count; i++) list_.add(page.pairs[i]);
    }
    std::int64_t find(std::uint64_t xmax) noexcept {
        Guard<Lock> guard(mutex_);
        return list_.find(xmax);
    }
    void drop() noexcept {
        Guard<Lock> guard(mutex_);
        drops_++;
        list_.count = 0;
    }
    Lock &mutex() noexcept { return mutex_; }  // to be initialised; guards S, too, where it is lifted or lowered

   private:
    Lock mutex_;
    std::uint32_t drops_ IDGEN_LOCKS(guarded_by(mutex_));  // guard: mutex_
    PairList<64> list_ IDGEN_LOCKS(guarded_by(mutex_));    // guard: mutex_
};

// The whole number of an xid: the server stores its lower half. Requires that it was given out, or is the next.
constexpr std::uint64_t whole_xid(std::uint64_t next_xid, std::uint32_t xid) noexcept {
    return next_xid - (static_cast<std::uint32_t>(next_xid) - xid);
}

// A snapshot, as far as it tells which transactions had ended.
struct SnapshotView {
    std::uint32_t xmin;
    std::uint32_t xmax;
    bool is_of_recovery;
    const std::uint32_t *xids;  // listed as running; one may stand there twice
    std::uint32_t count;
};

// Whether two are the same, entry by entry: copies of one are.
inline bool is_same(const SnapshotView &a, const SnapshotView &b) noexcept {
    return a.xmax == b.xmax && a.xmin == b.xmin && a.is_of_recovery == b.is_of_recovery && a.count == b.count &&
           std::equal(a.xids, a.xids + a.count, b.xids);
}

// Whether every xid that one lists is listed by another. Fast if both have them in the same order, as mostly.
inline bool lists_all_of(const SnapshotView &later, const SnapshotView &earlier) noexcept {
    std::uint32_t at = 0;
    for (std::uint32_t i = 0; i < earlier.count; i++) {
        std::uint32_t tried = 0;
        for (; tried < later.count && later.xids[at] != earlier.xids[i]; tried++)
            at = at + 1 < later.count ? at + 1 : 0;
        if (tried == later.count) return false;
    }
    return true;
}

// Rule (2): whether no transaction with an xid ended between two snapshots.
inline bool is_unchanged(const SnapshotView &earlier, const SnapshotView &later) noexcept {
    return later.xmax == earlier.xmax && later.is_of_recovery == earlier.is_of_recovery && lists_all_of(later, earlier);
}

// The `Server` of the functions below has
//   LiftedTo lift()                  lifts S
//   Settled gather(settled_ms)       gathers below it (settled.hpp); none_settled where nothing is known
//   std::uint64_t next_xid()         the next xid that the server gives out, with its epoch
//   SnapshotView take_snapshot()     a snapshot of now
//   PagePairs read_pairs()           those in the page of the horizon; on a standby, as far as that is replayed

// Up to where all is settled, if it is up to `until_ms` in this shared memory and H is at least `durable_ms`. A tick
// that starts at H or later may be begun after a crash. One that starts before it is not, and S keeps it from being
// begun once the longest such tick is over.
constexpr std::int64_t until_of(std::int64_t until_ms, std::int64_t durable_ms) noexcept {
    if (until_ms == none_settled) return none_settled;
    return until_ms >= durable_ms + longest_tick_ms ? until_start(durable_ms)
                                                    : until_end(std::min(until_ms, durable_ms));
}

// One look. Its pair is good for others, too.
template <class Server>
SettledPair look(Server &server) {
    LiftedTo to = server.lift();
    std::int64_t until = until_of(server.gather(to.settled_ms).until_ms, to.durable_ms);
    return {server.next_xid(), until};
}

// By what a query was answered.
enum class AnsweredBy : std::uint8_t { nothing, pair, snapshot };

struct SettledAnswer {
    std::int64_t until;  // up to where all is settled in the snapshot of a query (pair_list.hpp)
    AnsweredBy by;
};

// The later of what a pair and a look at the same snapshot say.
constexpr SettledAnswer later_of(std::int64_t by_pair, std::int64_t by_snapshot) noexcept {
    if (by_snapshot >= by_pair && by_snapshot != none_settled) return {by_snapshot, AnsweredBy::snapshot};
    return {by_pair, by_pair == none_settled ? AnsweredBy::nothing : AnsweredBy::pair};
}

// Answers a query on a primary.
template <class Pairs, class Server>
SettledAnswer answer_on_primary(Pairs &pairs, Server &server, const SnapshotView &query) {
    std::uint32_t drops = pairs.drops();
    SettledPair pair = look(server);
    if (pair.until != none_settled) pairs.add(pair, drops);
    bool is_same_still = is_unchanged(query, server.take_snapshot());
    return later_of(pairs.find(whole_xid(pair.next_xid, query.xmax)), is_same_still ? pair.until : none_settled);
}

// The same on a standby: it knows what the page says of the primary.
template <class Server>
SettledAnswer answer_on_standby(Server &server, const SnapshotView &query) {
    PagePairs pairs = server.read_pairs();
    bool is_same_still = is_unchanged(query, server.take_snapshot());
    return later_of(pairs.find(whole_xid(server.next_xid(), query.xmax)),
                    is_same_still ? pairs.newest() : none_settled);
}

// What a transaction was answered, by the snapshot of the query: one snapshot has one answer, whatever else is asked
// meanwhile, or a query that asks for each row, or for two layouts, would read parts of it further than others. The
// caller keeps the entries and their lists of xids until they are forgotten here.
struct KeptAnswer {
    SnapshotView query;
    std::int64_t until;
    KeptAnswer *next;
    std::int64_t statement = 0;  // in which it was asked for
};

class KeptAnswers {
   public:
    // Null if there is none.
    const KeptAnswer *find(const SnapshotView &query) const noexcept {
        const KeptAnswer *kept = lists_[place_of(query)];
        while (kept != nullptr && !is_same(kept->query, query)) kept = kept->next;
        return kept;
    }
    void add(KeptAnswer &kept) noexcept {
        KeptAnswer *&list = lists_[place_of(kept.query)];
        kept.next = list;
        list = &kept;
    }
    // Forgets the answers for snapshots with an earlier xmin. Requires that the transaction has no such snapshot any
    // more. Calls release(answer) for each; gives how many are left.
    template <class Release>
    std::uint32_t forget_before(std::uint32_t xmin, Release release) noexcept {
        return forget([xmin](const KeptAnswer &kept) { return static_cast<std::int32_t>(kept.query.xmin - xmin) < 0; },
                      release);
    }
    // Requires that no query that was answered can ask again.
    template <class Release>
    void forget_all(Release release) noexcept {
        forget([](const KeptAnswer &) { return true; }, release);
    }
    void clear() noexcept { *this = {}; }

   private:
    template <class IsOver, class Release>
    std::uint32_t forget(IsOver is_over, Release release) noexcept {
        std::uint32_t left = 0;
        for (KeptAnswer *&list : lists_)
            for (KeptAnswer **at = &list; *at != nullptr;) {
                KeptAnswer *kept = *at;
                if (is_over(*kept))
                    *at = kept->next, release(*kept);
                else
                    at = &kept->next, left++;
            }
        return left;
    }
    static std::uint32_t place_of(const SnapshotView &query) noexcept { return (query.xmax + query.count) % places; }
    static constexpr std::uint32_t places = 1024;
    KeptAnswer *lists_[places] = {};
};

}  // namespace idgen
