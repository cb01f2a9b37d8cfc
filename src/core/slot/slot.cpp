#include "core/slot/slot.hpp"

namespace idgen {

namespace {

// Whether the slot's last tick was begun ahead of the clock.
bool is_last_borrowed(const Slot &slot) noexcept {
    return slot.borrowed_lead_us > 0 && slot.borrowed_tick == slot.tick;
}

// How far ahead of the clock a session may begin a tick after a full one. A session that waits keeps the lead that
// others borrowed, and adds nothing to it. If it waited for the clock instead, they would always be first.
std::int64_t lead_after_full(const Slot &slot, const Limits &limits) noexcept {
    std::int64_t max_lead_us = limits.max_lead_ms * 1000;
    if (limits.may_borrow) return max_lead_us;
    if (!is_last_borrowed(slot)) return 0;
    return std::min<std::int64_t>(slot.borrowed_lead_us, max_lead_us);
}

// Why a tick is refused. Borrowing explains only a lead that it can reach; a longer one: the clock was set back.
Take::Status refusal_of(const Slot &slot, const Packing &p, const Limits &limits, bool is_next,
                        const Tick &tick) noexcept {
    std::int64_t lead_us = tick.start_us - limits.now_us;
    // The next tick lies one unit beyond the lead that was borrowed.
    std::int64_t reach_us = std::max<std::int64_t>(slot.borrowed_lead_us, is_next ? limits.max_lead_ms * 1000 : 0);
    bool is_reached = is_last_borrowed(slot) && lead_us <= reach_us + p.unit_us;
    // A tick further on than that is where the floor or the session stands: no borrower brought the slot there.
    if (is_reached && tick.number == slot.tick + (is_next ? 1 : 0)) return Take::Status::borrowed;
    return is_next ? Take::Status::full : Take::Status::ahead;
}

}  // namespace

Take take_ahead(Slot &slot, const Packing &p, const Limits &limits, std::int64_t base, bool is_next, Position position,
                std::uint32_t shard, std::uint32_t count, const HeldNumber *held, const DrawHistory *last) noexcept {
    Tick tick = make_tick(p, position.tick);
    std::int64_t lead_us = tick.start_us - limits.now_us;
    // A tick after a full one is begun only as far ahead as borrowing goes. One in which the slot, the floor or the
    // session stands already has no such choice: only max_lead_ms limits it.
    std::int64_t wait_us = lead_us - (is_next ? lead_after_full(slot, limits) : limits.max_lead_ms * 1000);
    Take::Status refusal = refusal_of(slot, p, limits, is_next, tick);
    if (wait_us > 0) return {refusal, 0, 0, tick.number, wait_us};
    // A tick that another take has begun, or that the clock or the floor allows, is not borrowed by this one.
    bool begins = tick.number > base && tick.number > slot.tick;
    Take taken = take_from(slot, p, limits, tick, position.sequence, shard, count, held);
    // Not a hold: the tick was borrowed on another shard of the pool, or an ID of it was observed.
    bool is_chosen = last != nullptr && last->borrowed_tick == tick.number;
    // A session that waits gets here after a full tick only by a lead that others borrowed, so its tick carries it on.
    bool borrows = limits.may_borrow || is_next || is_chosen;
    if (taken.status != Take::Status::ok) return taken;
    if (begins && borrows) note_borrowed(slot, tick.number, lead_us);
    taken.wait_us = lead_us;
    return taken;
}

}  // namespace idgen
