// The order of a draw, over a host that answers for the server:
//
//      clock --> limits --> announce --> select a shard's slot, take, move up in the pool --> is the server alive?
//            --> is the grant still good, is this still the machine of before? --> note and count what was taken -->
//            mark the transaction --> renew ahead of need
//
// If nothing was taken, what next_step says: renew the horizon, wait for the clock or for a number, or an error; then
// the same again, with the clock read again. The first try, mostly the only one, takes a reading of the clock
// that may be a little old.
//
// A `Host` has
//   const Horizon &horizon(), std::uint32_t resets()   of the database
//   DrawRules rules(), std::int64_t window_ms()        what settings say
//   std::uint64_t machine()                            as its host tells of it at this moment (horizon/machine.hpp)
//   std::int64_t watched_ms()                          where the host tells, longer than any window; else the window
//   std::int64_t recent_us(), now_us()                 the clock: as it was just now; as it is
//   bool is_announced(start_ms)                        whether a draw that begins there is, at a glance (settled.hpp)
//   std::int64_t announce(source, tick)                announces a draw that begins there, and gives where it may begin
//   void mark(machine)                                 marks the transaction that stores what was drawn (transaction.hpp)
//   bool select_slot(source, now_ms)                   select_shard, and finds its slot; false if the pool is empty
//   void note_try(source, limits, base, taken)         for tests: what a try came to
//   void require_server()                              raises if another server may have taken this one's place
//   void note_drawn(source, limits, taken, drawn)      the IDs are the caller's: counts them
//   void renew_ahead(now_ms, start_ms)                 tries a renewal; what is refused, the next draw says
//   Outcome renew(start_ms)                            tries a renewal for a tick; for one that starts at 0, only loads
//   Wait                                               what is known of a wait; its zero is none
//   std::int64_t waited_ms(wait)
//   bool wait_for_renewal(wait)                        sleeps until others may have renewed
//   bool wait_for_tick(source, limits, taken, wait)    until the clock admits the tick, or a while
//   bool wait_for_number(source, wait)                 until the registry may have granted it
//   void refuse(next, source, limits, taken, wait)     says why there are no IDs
//   void refuse_renewal(patience, outcome, wait)       says why the record is not renewed
//   void pause()                                       for tests: where other sessions may come in
//   DrawSession new_session()                          one that has drawn nothing, for draw_above
//   void mark_stale(source)                            it is to be resolved again, unless draw_above succeeds
// The server raises an error if it refuses, and if a wait is canceled. If a refusal returns, or a wait gives false, the
// draw fails. No lock is held between two of these.
#pragma once

#include "core/draw/draw_steps.hpp"
#include "core/reading/settled.hpp"
#include "core/reading/transaction.hpp"
#include "core/slot/placement.hpp"

namespace idgen {

// IDs of consecutive sequences in one tick of one shard.
struct Drawn {
    std::int64_t first_id;
    std::int64_t step;      // from one ID to the next
    std::uint32_t count;    // 0: the draw failed, and the host has said why
    std::int64_t start_ms;  // the ms that their tick starts in
};
constexpr Drawn nothing_drawn{};

// Announces the tick at which a draw would begin, so that readers by ID wait for it, and makes it the one where it may.
// False, and nothing is announced, if the layout is over: readers would go back to its end.
template <class Host, class Source>
inline bool announce_base(Host &host, Source &source) {
    if (__builtin_expect(host.is_announced(source.base.start_ms), true)) return true;
    if (!is_of_layout(source.packing, source.base.number)) return false;
    source.base = make_tick(source.packing, host.announce(source, source.base.number));
    return true;
}

// One try at the shards that the session may use in this tick, one of the layout.
template <class Host, class Source>
inline Take try_shards(Host &host, Source &source, Limits &limits, const Tick &base, std::uint32_t count) {
    Take taken;
    auto complete = [&](const Limits &) { return complete_limits(limits, rules_of(source, host.rules())); };
    host.pause();
    begin_try(source, base);
    do {
        if (__builtin_expect(!is_selected(source), false) && !host.select_slot(source, ms_down(limits.now_us)))
            return {Take::Status::capped, 0, 0, base.number, 0};
    } while (__builtin_expect(!try_slot(source, limits, base, count, taken, complete), false));
    host.note_try(source, limits, base, taken);
    return taken;
}

// What the grant is, after the take: over, too, if the machine was copied since the source looked at it. Where no host
// tells of copies, only the window is compared.
template <class Host, class Source>
inline Grant grant_after(Host &host, const Source &source, std::int64_t start_ms) {
    std::int64_t granted_ms = host.horizon().granted_ms.load(std::memory_order_acquire);
    if (!is_half_used(granted_ms, start_ms, host.watched_ms())) return Grant::unwatched;
    if (__builtin_expect(host.machine() != source.machine, false)) return Grant::over;
    return grant_of(granted_ms, start_ms, host.window_ms());
}

// Hands out what was taken: in one order with all else that this session draws. False if the grant is over by now.
template <class Host, class Source>
inline bool hand_out(Host &host, Source &source, const Limits &limits, const Take &taken, Drawn &drawn) {
    host.require_server();
    Grant grant = grant_after(host, source, taken.start_ms);
    if (__builtin_expect(grant == Grant::over, false)) return false;
    note_drawn(source, taken);
    std::int64_t step = std::int64_t{1} << source.packing.sequence_shift;
    drawn = {first_id(source, taken), step, taken.count, taken.start_ms};
    host.note_drawn(source, limits, taken, drawn);
    if (__builtin_expect(grant == Grant::unwatched, true)) return true;
    host.mark(source.machine);
    if (__builtin_expect(grant == Grant::half_used, false)) host.renew_ahead(ms_down(limits.now_us), taken.start_ms);
    return true;
}

// Renews a record of which nothing is left. False if the draw fails.
template <class Host>
bool await_renewal(Host &host, const Outcome &outcome, typename Host::Wait &wait) {
    Patience patience = patience_after(outcome.renewal, host.waited_ms(wait), host.rules().max_wait_ms);
    if (patience == Patience::go_on) return true;
    if (patience == Patience::wait) return host.wait_for_renewal(wait);
    host.refuse_renewal(patience, outcome, wait);
    return false;
}

// Goes on in the machine as it is now, if that is another: loads the horizon as after a start. False if the draw fails.
template <class Host, class Source>
bool follow_machine(Host &host, Source &source, typename Host::Wait &wait) {
    while (host.machine() != source.machine) {
        source.machine = host.horizon().machine;
        if (host.machine() != source.machine && !await_renewal(host, host.renew(0), wait)) return false;
    }
    return true;
}

// Does what follows from a try that took nothing. False if the draw fails.
template <class Host, class Source>
bool follow(Host &host, Source &source, Next next, const Limits &limits, const Take &taken, typename Host::Wait &wait) {
    switch (next) {
        case Next::renew:
            return await_renewal(host, host.renew(ms_down(start_of(source.packing, taken.tick))), wait);
        case Next::await_number:
            return host.wait_for_number(source, wait);
        case Next::wait:
            return host.wait_for_tick(source, limits, taken, wait);
        case Next::issue:
        case Next::full:
        case Next::borrowed:
        case Next::too_far_ahead:
        case Next::before_epoch:
        case Next::past_end:
            break;
    }
    host.refuse(next, source, limits, taken, wait);
    return false;
}

// Draws with as many tries as it takes, the clock read again for each.
template <class Host, class Source>
[[gnu::noinline, gnu::cold]] Drawn draw_patiently(Host &host, Source &source, std::uint32_t count) {
    typename Host::Wait wait{};
    DrawRules rules = rules_of(source, host.rules());
    Drawn drawn;
    for (;;) {
        if (!follow_machine(host, source, wait)) return nothing_drawn;
        Limits limits = limits_of(host.horizon(), host.now_us(), [&host] { host.pause(); });
        if (source.session != nullptr) note_resets(*source.session, host.resets());
        const Tick &base = base_of(source, limits);
        Take taken{Take::Status::past_end, 0, 0, base.number, 0};
        Next next = base.number < 0 ? Next::before_epoch : Next::past_end;
        if (is_of_layout(source.packing, base.number)) {
            if (!source.carries) announce_base(host, source);
            taken = try_shards(host, source, limits, base, count);
            next = next_step(taken, source.packing, limits, rules, host.waited_ms(wait));
        }
        if (next == Next::issue) {
            if (hand_out(host, source, limits, taken, drawn)) return drawn;
        } else if (!follow(host, source, next, limits, taken, wait)) {
            return nothing_drawn;
        }
    }
}

// Draws 1 to `count` IDs. Timestamps of the hybrid logical clock, whose ticks carry, are not read by, so they are not
// announced.
template <bool is_read_by, class Host, class Source>
inline Drawn draw(Host &host, Source &source, std::uint32_t count) {
    IDGEN_REQUIRE(source.packing.unit_us > 0 && count > 0 && is_read_by != source.carries);
    Limits limits = limits_of(host.horizon(), host.recent_us(), [&host] { host.pause(); });
    const Tick &base = base_of(source, limits);
    if (__builtin_expect(base.number < 0, false)) return draw_patiently(host, source, count);
    if (is_read_by && __builtin_expect(!announce_base(host, source), false)) return draw_patiently(host, source, count);
    Take taken = try_shards(host, source, limits, base, count);
    if (__builtin_expect(taken.status != Take::Status::ok, false)) return draw_patiently(host, source, count);
    Drawn drawn;
    if (__builtin_expect(hand_out(host, source, limits, taken, drawn), true)) return drawn;
    return draw_patiently(host, source, count);
}

// Draws one ID above what was observed elsewhere and what the session drew: what was observed counts as drawn, for this
// draw alone, so it stands in a copy that a failure loses. `was_lowered`: the horizon was, which made the draw forget
// what was observed; then it is to be drawn once more.
template <bool is_read_by, class Host, class Source>
Drawn draw_above(Host &host, Source &source, const DrawHistory &observed, bool &was_lowered) {
    if (source.session != nullptr) note_resets(*source.session, host.resets());
    DrawSession session = source.session != nullptr ? *source.session : host.new_session();
    std::uint32_t resets = session.resets;
    session.last = later_of(source.packing, session.last, observed);
    Source above = source;
    above.session = &session;
    host.mark_stale(source);
    Drawn drawn = draw<is_read_by>(host, above, 1);
    if (drawn.count == 0) return drawn;
    if (source.session != nullptr) *source.session = session;
    above.session = source.session;
    source = above;
    was_lowered = session.resets != resets;
    return drawn;
}

// Takes a counter of a DecimalId, of a host that has Wait and its three functions, rules, machine, require_server, mark
// and
//   Outcome renew_generator()                          tries to renew the generator
// False if it fails.
template <class Host>
bool draw_count(Host &host, Generators &generators, GeneratorCount &count) {
    for (typename Host::Wait wait{};;) {
        std::uint64_t machine = generators.machine.load(std::memory_order_acquire);
        if (generators.counter.take(count) && host.machine() == machine) {
            host.require_server();
            host.mark(machine);
            return true;
        }
        if (!await_renewal(host, host.renew_generator(), wait)) return false;
    }
}

}  // namespace idgen
