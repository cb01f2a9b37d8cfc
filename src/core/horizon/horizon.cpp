#include "core/horizon/horizon.hpp"

#include <algorithm>

#include "core/require.hpp"

namespace idgen {

namespace {

// Computes what is owed to the servers before this one.
void run_into_debt(Horizon &horizon, const ClockReading &clock, std::int64_t lead_ms) noexcept {
    std::int64_t owed_ms = clock.now_ms - clock.difference_ms + lead_ms;
    horizon.debt_boot_ms = horizon.is_indebted ? std::max(horizon.debt_boot_ms, owed_ms) : owed_ms;
    horizon.is_indebted = true;
}

// Lifts the floor to what is owed by the clock as it is now.
void raise_to_debt(Horizon &horizon, const ClockReading &clock) noexcept {
    if (horizon.is_indebted) lift(horizon.floor_ms, horizon.debt_boot_ms + clock.difference_ms);
}

}  // namespace

bool admit_page(Horizon &horizon, const DurableRecord &page, std::int64_t identity, const ClockReading &clock,
                const HorizonRules &rules, bool is_successor) noexcept {
    bool is_expected = horizon.record.is_loaded && page == horizon.record.known;
    bool is_ours = !horizon.record.is_loaded && page.identity == identity;
    // The record of none says nothing of what the servers before this one were granted, and one of them that is cut off
    // goes on until that is used.
    bool is_silent = is_successor && !horizon.record.is_loaded && page.identity == 0;
    if (!is_expected && !is_ours) run_into_debt(horizon, clock, is_silent ? rules.farthest_ms() : rules.debt_ms());
    raise_to_debt(horizon, clock);
    if (is_expected) return true;
    horizon.granted_ms = 0;
    drop_pending(horizon);
    // What was granted here may have been issued, whatever the page says now.
    if (horizon.record.is_loaded) lift(horizon.floor_ms, horizon.record.known.value);
    lift(horizon.floor_ms, page.value);
    horizon.loaded_ms = std::max(horizon.loaded_ms, page.value);
    horizon.record.known = page;
    horizon.record.is_loaded = true;
    return false;
}

std::int64_t renewed_ms(const Horizon &horizon, std::int64_t now_ms, std::int64_t start_ms,
                        const HorizonRules &rules) noexcept {
    IDGEN_REQUIRE(horizon.record.is_loaded);
    std::int64_t used_ms = std::max({now_ms, horizon.floor_ms.load(std::memory_order_relaxed), start_ms});
    return std::max(horizon.record.known.value, used_ms + rules.window_ms);
}

void note_written(Horizon &horizon, const DurableRecord &record, std::uint64_t lsn) noexcept {
    note_written(horizon.record, record, lsn);
    horizon.pending_lsn = lsn;
}

void note_flushed(Horizon &horizon) noexcept {
    horizon.is_indebted = false;
}

void grant_pending(Horizon &horizon) noexcept {
    IDGEN_REQUIRE(horizon.record.is_loaded);
    lift(horizon.granted_ms, horizon.record.pending);
    lift(horizon.durable_ms, horizon.record.pending);
    drop_pending(horizon);
}

void drop_pending(Horizon &horizon) noexcept {
    horizon.record.pending = 0;
    horizon.pending_lsn = 0;
}

void note_machine(Horizon &horizon, std::uint64_t machine) noexcept {
    if (horizon.machine.load(std::memory_order_relaxed) == machine) return;
    horizon.granted_ms = 0;
    drop_pending(horizon);
    if (horizon.record.is_loaded) lift(horizon.floor_ms, horizon.record.known.value);
    horizon.record.is_loaded = false;
    // Last: a session that reads it finds no grant of before.
    horizon.machine = machine;
}

void note_durable(Horizon &horizon) noexcept {
    bool is_read = horizon.record.is_loaded && horizon.record.pending == 0;
    if (is_read) lift(horizon.durable_ms, horizon.record.known.value);
}

void note_advanced(Horizon &horizon, const DurableRecord &record) noexcept {
    horizon.granted_ms = 0;
    drop_pending(horizon);
    horizon.record.known = record;
    horizon.record.is_loaded = true;
}

void note_reset(Horizon &horizon, const DurableRecord &record) noexcept {
    note_advanced(horizon, record);
    horizon.floor_ms = record.value;
    horizon.loaded_ms = std::min(horizon.loaded_ms, record.value);
    // H first: who lifts S meanwhile looks at H again.
    horizon.durable_ms = std::min(horizon.durable_ms.load(), record.value);
    horizon.settled_ms = std::min(horizon.settled_ms.load(), record.value);
    horizon.told_until = 0;
    horizon.advanced_ms = 0;
    horizon.is_indebted = false;
}

void note_created(Horizon &horizon, std::int64_t value) noexcept {
    horizon.granted_ms = 0;
    drop_pending(horizon);
    horizon.record.is_loaded = false;
    lift(horizon.floor_ms, value);
}

void forget(Horizon &horizon) noexcept {
    horizon.floor_ms = 0;
    horizon.granted_ms = 0;
    horizon.settled_ms = 0;
    horizon.durable_ms = 0;
    horizon.told_until = 0;
    horizon.advanced_ms = 0;
    horizon.pending_lsn = 0;
    horizon.record = {};
    horizon.loaded_ms = 0;
    horizon.debt_boot_ms = 0;
    horizon.confirmations = 0;
    horizon.is_indebted = false;
}

void copy(Horizon &to, const Horizon &from) noexcept {
    to.floor_ms = from.floor_ms.load();
    to.granted_ms = from.granted_ms.load();
    to.settled_ms = from.settled_ms.load();
    to.durable_ms = from.durable_ms.load();
    to.told_until = from.told_until.load();
    to.advanced_ms = from.advanced_ms.load();
    to.machine = from.machine.load();
    to.pending_lsn = from.pending_lsn.load();
    to.record = from.record;
    to.loaded_ms = from.loaded_ms;
    to.debt_boot_ms = from.debt_boot_ms;
    to.confirmations = from.confirmations;
    to.is_indebted = from.is_indebted;
}

}  // namespace idgen
