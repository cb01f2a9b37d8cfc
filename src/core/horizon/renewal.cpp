#include "core/horizon/renewal.hpp"

namespace idgen {

namespace {

constexpr PageVerdict leave(Renewal renewal, std::int64_t detail = 0, std::int64_t limit_ms = 0) noexcept {
    return {false, {renewal, detail, limit_ms}, {}};
}

}  // namespace

Renewal refusal_of_copy(const ServerView &server, const DurableRecord &record) noexcept {
    if (!server.admits_resumed && is_copied_machine(record, server.owner, server.boot)) return Renewal::resumed;
    bool is_doubted = !server.admits_inherited && is_inherited(record, server.identity);
    if (server.admits_copy && !is_doubted) return Renewal::granted;
    if (!is_copy(with_origin(record, server.foreign_origin), server.owner)) return Renewal::granted;
    return server.admits_copy ? Renewal::converted : Renewal::copied;
}

std::int64_t next_identity(const ServerView &server, const DurableRecord &before) noexcept {
    bool is_copy = refusal_of_copy(server, before) != Renewal::granted;
    return is_copy ? before.identity : proven_identity(before, server.identity, server.has_clone);
}

RenewalStep HorizonRenewal::begin() const noexcept {
    if (!is_half_used(horizon.granted_ms, start_ms, server.rules.window_ms)) return RenewalStep::done;
    return horizon.record.pending <= start_ms ? RenewalStep::read_page : RenewalStep::look_again;
}

PageVerdict HorizonRenewal::judge(const DurableRecord &page) noexcept {
    if (!is_horizon(page.value)) return leave(Renewal::out_of_bounds, page.value);
    has_loaded = !horizon.record.is_loaded;
    loaded = with_origin(page, server.foreign_origin);
    if (!admit_page(horizon, page, server.identity, server.clock, server.rules, server.is_successor))
        return leave(Renewal::granted);
    if (!may_renew(horizon, start_ms)) return leave(Renewal::granted);
    // A debt is paid by the clock as it is now, not by one that has been set back since it admitted the tick.
    if (horizon.is_indebted && start_ms > server.clock.now_ms + server.rules.max_lead_ms)
        return leave(Renewal::granted);
    return next_record();
}

// The record of the renewal, if copy and clock are admitted.
PageVerdict HorizonRenewal::next_record() noexcept {
    DurableRecord known = with_origin(horizon.record.known, server.foreign_origin);
    Renewal refusal = server.has_registry ? Renewal::granted : refusal_of_copy(server, horizon.record.known);
    if (refusal != Renewal::granted) return leave(refusal, known.owner);
    std::int64_t accepted_ms = accepted_for(accepted, horizon.confirmations, known, server.boot);
    ClockVerdict clock = judge_clock(accepted_ms, server.clock, known.value, server.clock_rules);
    if (!clock.is_accepted) return leave(Renewal::clock_jumped, clock.jump_ms, server.clock_rules.max_jump_ms);
    if (clock.is_for_server) accept_up_to(accepted, clock.accepted_ms);
    DurableRecord record =
        bare_record(renewed_ms(horizon, server.clock.now_ms, start_ms, server.rules), next_identity(server, known));
    carry_owner(record, known, server.owner, server.boot);
    carry_clock(record, clock.accepted_ms, server.boot);
    return write(record);
}

void HorizonRenewal::note_written(const DurableRecord &record, std::uint64_t lsn) noexcept {
    idgen::note_written(horizon, record, lsn);
    horizon.confirmations = server.confirmations;
}

RenewalStep GeneratorRenewal::begin() const noexcept {
    if (!generators.counter.is_used_up()) return RenewalStep::done;
    return generators.record.pending == 0 ? RenewalStep::read_page : RenewalStep::look_again;
}

PageVerdict GeneratorRenewal::judge(const DurableRecord &page) noexcept {
    if (!server.admits_resumed && is_copied_machine(page, server.owner, server.boot)) return leave(Renewal::resumed);
    DurableRecord next = next_generator(generators.record, page, server.identity, server.owner.machine, server.boot);
    bool is_left = page.value >= 0 && next.value <= last_generator;
    return is_left ? write(next) : leave(Renewal::out_of_bounds, page.value);
}

void GeneratorRenewal::note_written(const DurableRecord &record, std::uint64_t lsn) noexcept {
    idgen::note_written(generators.record, record, lsn);
}

void GeneratorRenewal::grant() noexcept {
    generators.counter.begin(static_cast<std::uint32_t>(generators.record.pending));
    generators.record.pending = 0;
}

}  // namespace idgen
