// Reading by ID: up to where a query may read (core/reading/settled_pairs.hpp).
#pragma once

#include "core/reading/settled_pairs.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

// Called as the server is loaded: has transactions that are prepared hand over what they announced, and the ends of
// transactions tell standbys what is settled. One that drew IDs in a machine that was copied since is not committed.
void watch_transactions();

// A snapshot as the core sees it. It shares the lists of xids; during recovery, the server keeps all of them in the one
// of subtransactions.
inline SnapshotView view_of(const SnapshotData &snapshot) noexcept {
    bool is_of_recovery = snapshot.takenDuringRecovery;
    return {snapshot.xmin, snapshot.xmax, is_of_recovery, is_of_recovery ? snapshot.subxip : snapshot.xip,
            is_of_recovery ? static_cast<uint32>(snapshot.subxcnt) : snapshot.xcnt};
}

// What a query with that snapshot may read up to, kept as long as the transaction may have that snapshot: the same
// answer for the same one. Looks, and if need be reads what a start left; never renews the horizon, waits for a lock of
// others or judges the clock.
const KeptAnswer &answer_for(const SnapshotData &snapshot);

// Changes whenever answers that were kept are gone. Those of an earlier transaction are gone with that.
uint32 generation_of_answers() noexcept;

}  // namespace idgen::pg
