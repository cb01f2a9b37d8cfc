// The horizon's page and the WAL that carries it. A record's LSN is its place in the WAL, from 1.
//
//      records:   1 ......... flushed ......... inserted
//                 survive a crash | may be lost, from the end
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/durable/horizon.hpp"

namespace idgen::sim {

using Lsn = std::size_t;

struct Disk {
    std::vector<DurableRecord> wal;
    std::vector<std::int64_t> highest_ms;  // horizon up to each record
    DurableRecord page{};  // in the buffer; what the WAL says, but for changes that were not logged
    Lsn flushed = 0;

    Lsn inserted() const noexcept { return wal.size(); }

    Lsn write(const DurableRecord &record) {
        std::int64_t before_ms = wal.empty() ? 0 : highest_ms.back();
        wal.push_back(record);
        highest_ms.push_back(std::max(before_ms, record.value));
        page = record;
        return wal.size();
    }

    void flush(Lsn lsn) noexcept { flushed = std::max(flushed, std::min(lsn, wal.size())); }

    // Recovers with the records up to `lsn`, which are durable from then on.
    void recover(Lsn lsn) {
        wal.resize(lsn);
        highest_ms.resize(lsn);
        flushed = lsn;
        page = wal.back();
    }

    // The horizon of the last record that would survive.
    std::int64_t durable_ms() const noexcept { return wal[flushed - 1].value; }

    // The highest that would survive, though a stranger lowered it later.
    std::int64_t highest_durable_ms() const noexcept { return highest_ms[flushed - 1]; }

    // Receives the sender's records up to `lsn`. Requires that what is here is a prefix of them.
    void receive(const Disk &sender, Lsn lsn) {
        while (wal.size() < lsn) write(sender.wal[wal.size()]);
    }
};

}  // namespace idgen::sim
