// What a transaction is known by, in shared memory: the entry of its process, which parallel workers write for their
// leader. A rule about a transaction is never asked of one session's memory: its workers may have done all of its work,
// and what they knew ends with them.
//
// It has two parts, which do not touch each other: what the transaction announced, for readers by ID (settled.hpp), and
// the mark of the machine in which it was first handed anything (transaction.hpp). Each counts while the process is in
// the transaction that it names, so no process has to clear it.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/slot/locks.hpp"
#include "core/slot/slot.hpp"

namespace idgen {

// A transaction as its process knows it. The number comes again, but not in the same process.
struct LocalTransaction {
    std::uint32_t pid;     // of its process
    std::uint32_t number;  // in the process, of the top transaction; 0: none
};

constexpr bool operator==(const LocalTransaction &a, const LocalTransaction &b) noexcept {
    return a.pid == b.pid && a.number == b.number;
}

// In which machine (horizon/machine.hpp) a transaction was first handed anything.
struct Mark {
    LocalTransaction transaction;
    std::uint64_t machine;     // as the first maker compared it
    std::uint32_t is_several;  // 1: others compared another one, too
};

// `Lock` has lock() and unlock(), which raise nothing.
template <class Lock>
struct alignas(cache_line) ProcessEntry {
    Lock mutex;  // of the writers
    // It begins no tick that starts below `start_ms`.
    std::atomic<std::uint32_t> database;     // 0: none yet
    std::atomic<std::uint32_t> pid;          // of the process
    std::atomic<std::uint32_t> transaction;  // its number in the process; 0: being written
    std::atomic<std::int64_t> start_ms;
    Mark mark IDGEN_LOCKS(guarded_by(mutex));
};

// The process whose entry a session writes: for a parallel worker its leader's, whose transaction stores what is drawn
// and ends after the worker's own.
constexpr std::uint32_t announcing_process(std::uint32_t own, std::uint32_t leader, bool is_worker) noexcept {
    return is_worker ? leader : own;
}

}  // namespace idgen
