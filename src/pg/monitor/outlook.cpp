
#include <algorithm>

#include "core/draw/renewal_order.hpp"
#include "pg/draw/refusals.hpp"
#include "pg/monitor/survey.hpp"

namespace idgen::pg {
namespace {

// What a draw reads and changes, copied.
struct Rehearsal {
    SharedState *state;
    const Survey &survey;
    Horizon horizon;
    AcceptedClock accepted;
    DurableRecord page;
    SharedSlot slot;  // that of the shard in use
    DrawSession session;
    Shortage shortage;  // of slots
    int64 waited_ms;    // by the clock of the copies
    bool has_written;   // the horizon was to be renewed
    Outlook outlook;
};

// A look takes no lock, so the copy may be torn by a renewal: two that are alike are not.
void copy_horizon(Horizon &horizon, const Horizon &from) {
    constexpr int most_tries = 100;
    Horizon other{};
    for (int tries = 0; tries < most_tries; tries++) {
        copy(horizon, from);
        copy(other, from);
        bool is_same = horizon.granted_ms == other.granted_ms && horizon.floor_ms == other.floor_ms &&
                       horizon.record.known == other.record.known && horizon.record.pending == other.record.pending;
        if (is_same) return;
    }
}

// The steps of a renewal over the copies (core/draw/renewal_order.hpp). Nothing is written, so there is nothing to
// wait for; what the standbys would say of it is judged by whether there are any.

struct RehearsedRenewal : HorizonRenewal {
    template <class Host>
    void look(Host &) noexcept {}
    void note_page(const PagePairs &, bool) noexcept {}
    template <class Host>
    void grant(Host &) noexcept {
        HorizonRenewal::grant();
    }
};

struct RehearsedPage {
    Rehearsal &copies;

    static uint64 machine() noexcept { return pg::machine(); }
    void leave_numbers() noexcept {}
    bool try_lock() noexcept { return true; }
    void unlock() noexcept {}
    // What is out of bounds is for the renewal to judge. The lock of a renewal is a stronger one than that of a look.
    Renewal lock_page(RecordPage &page) {
        page = {};
        page.record = copies.page;
        Renewal read = copies.survey.page == Renewal::out_of_bounds ? Renewal::granted : copies.survey.page;
        return with_sequence(Record::horizon, [read](Relation) { return Outcome{read, 0}; }).renewal;
    }
    uint64 lsn() const noexcept { return 0; }
    uint64 write_page(const RecordPage &page) noexcept {
        copies.page = page.record;
        copies.has_written = true;
        return 0;
    }
    void unlock_page() noexcept {}
    static bool is_flushed(uint64) noexcept { return true; }
    void flush(uint64) noexcept {}
    void flush_later(uint64) noexcept {}
    bool is_acknowledged(uint64 lsn) const {
        if (lsn != 0) return pg::is_acknowledged(copies.state, lsn);
        return !copies.survey.has_standby_names || copies.survey.standbys > 0;
    }
    void note_write(const DurableRecord &) noexcept {}
    void note_granted() noexcept {}
};

Outcome rehearse_renewal(Rehearsal &copies, int64 start_ms) {
    if (copies.survey.lacks_standbys) return {Renewal::no_standby, 0};
    if (static_cast<RequireClockSync>(settings.require_clock_sync) == RequireClockSync::on) {
        Outcome doubt = doubt_of_kernel(copies.state);
        if (doubt.renewal != Renewal::granted) return doubt;
    }
    if (copies.survey.origin_read != Renewal::granted) return {copies.survey.origin_read, 0};
    ServerView server = server_but_clock(*copies.state);
    server.clock = read_clock();
    server.clock.now_ms += copies.waited_ms;
    server.foreign_origin = copies.survey.foreign_origin;
    RehearsedRenewal renewal{{copies.horizon, copies.accepted, server, start_ms}};
    RehearsedPage page{copies};
    return renew(page, renewal);
}

// The slots, as a draw that needs one more finds them.

// Whether an idle slot would be taken back against the shortage.
bool has_idle(const SlotCopies &slots, Shortage shortage) noexcept {
    int64 since_us = us_of(wall_ms() - slot_idle_ms);
    return std::any_of(slots.rows, slots.rows + slots.count, [&](const SlotCopy &copy) {
        Packing p = packing_of(owner_of(copy).layout);
        bool is_over = start_of(p, copy.slot.tick + 1) <= since_us;
        return is_over && would_end(shortage, is_of_database(copy, MyDatabaseId), copy.use);
    });
}

Shortage look_for_room(SharedState *state) {
    SlotCopies slots = copy_slots(state);
    SlotCounts database, server;
    count_slots(slots, database, server);
    auto share = static_cast<uint32>(slots_per_database());
    Shortage shortage = shortage_of(SlotUse::own, database, share, server, state->max_slots);
    return shortage != Shortage::none && has_idle(slots, shortage) ? Shortage::none : shortage;
}

// The slot of a shard, or what would be given out.
Slot slot_for(Rehearsal &copies, const Source &source) {
    SharedState *state = copies.state;
    SlotKey key{key_of(source.layout), MyDatabaseId, source.shard};
    SharedReference found = unlocked_directory_of(state).find(key);
    if (found.entry != nullptr) {
        Guard<SpinLock> guard(found.entry->mutex);
        return found.entry->slot;
    }
    copies.shortage = look_for_room(state);
    int64 floor_ms = Max(copies.horizon.floor_ms.load(), claimed_ms(leases_of(state), source.shard));
    return new_slot(ticks_of(key.packing), floor_ms);
}

// The server, as the draw sees it. Each answer that would be an error, or a wait that only others can end, ends it.
struct RehearsedDraw {
    Rehearsal &copies;
    Outcome renewal = granted_outcome;

    struct Wait {
        int64 ms;
    };

    const Horizon &horizon() const noexcept { return copies.horizon; }
    static uint32 resets() noexcept { return 0; }
    static DrawRules rules() noexcept { return draw_rules(); }
    static int64 window_ms() noexcept { return settings.window_ms; }
    static int64 watched_ms() noexcept { return settings.watched_ms; }
    static uint64 machine() noexcept { return pg::machine(); }
    int64 now_us() const noexcept { return wall_us() + copies.waited_ms * 1000; }
    static bool is_announced(int64) noexcept { return false; }
    int64 announce(const Source &source, int64 base) const noexcept {
        return Max(base, tick_of(source.packing, us_of(copies.horizon.settled_ms.load())));
    }
    static void mark(uint64) noexcept {}
    bool select_slot(Source &source, int64) {
        if (source.pool.empty()) return false;
        uint32 shard = select_shard(source);
        source.held = source.is_leased ? find_lease(leases_of(copies.state), shard) : nullptr;
        Slot slot = slot_for(copies, source);
        Guard<SpinLock> guard(copies.slot.mutex);
        copies.slot.slot = slot;
        bool is_there = copies.shortage == Shortage::none;
        source.slot = {is_there ? &copies.slot : nullptr, copies.slot.generation};
        return is_there;
    }
    static void note_try(const Source &, const Limits &, const Tick &, const Take &) noexcept {}
    static void require_server() noexcept {}
    void note_drawn(const Source &, const Limits &, const Take &, const Drawn &) noexcept {
        copies.outlook.makes_ids = true;
    }
    static void renew_ahead(int64, int64) noexcept {}
    Outcome renew(int64 start_ms) { return renewal = rehearse_renewal(copies, start_ms); }

    static int64 waited_ms(const Wait &wait) noexcept { return wait.ms; }
    // Others may end it or not: as if they did not.
    bool wait_for_renewal(Wait &wait) {
        if (wait.ms >= settings.max_wait_ms) refuse_renewal(Patience::exhausted, renewal, wait);
        pass(wait, settings.max_wait_ms - wait.ms);
        return copies.outlook.refusal.what == nullptr;
    }
    bool wait_for_tick(const Source &, const Limits &, const Take &taken, Wait &wait) noexcept {
        pass(wait, taken.wait_us / 1000 + 1);
        return true;
    }
    bool wait_for_number(Source &source, Wait &wait) {
        SharedLeases &leases = leases_of(copies.state);
        if (wait.ms++ == 0 && turn_to_held(leases, source)) return true;
        if (copies.shortage != Shortage::none)
            copies.outlook.refusal = refusal_of_slots(copies.shortage);
        else if (may_be_granted(leases, awaited_by(source)))
            copies.outlook.makes_ids = copies.outlook.awaits_number = true;
        else
            copies.outlook.refusal = refusal_of_number(leases, awaited_by(source), -1);
        return false;
    }
    void refuse(Next next, const Source &source, const Limits &limits, const Take &taken, const Wait &wait) {
        AheadView known{};
        known.claimed_ms = source.is_leased ? claimed_ms(leases_of(copies.state), source.shard) : 0;
        note_horizon(known, copies.horizon, copies.accepted, copies.state->boot, wall_minus_boot_ms());
        copies.outlook.refusal = refusal_of_draw(source, next, limits, taken, wait.ms, known);
    }
    void refuse_renewal(Patience, const Outcome &outcome, const Wait &) {
        copies.outlook.refusal = refusal_of_renewal(outcome, Record::horizon, settings.max_wait_ms);
    }
    static void pause() noexcept {}

   private:
    void pass(Wait &wait, int64 ms) noexcept {
        wait.ms += ms;
        copies.waited_ms += ms;
    }
};

// What a session found that tried, since the last grant: what a look cannot know.
void look_at_tries(Rehearsal &copies) {
    SharedDatabase *database = find_database(copies.state);
    if (database == nullptr) return;
    constexpr int64 longest_try_ms = 1000;
    uint64 refused = pg_atomic_read_u64(&database->refused);
    uint64 stall = pg_atomic_read_u64(&database->stall);
    auto since_ms = static_cast<int64>(static_cast<uint32>(monotonic_ms()) - static_cast<uint32>(stall >> 32));
    Outlook &outlook = copies.outlook;
    // Of standbys that have confirmed since what was written then, the session's finding is over.
    if (renewal_refused(refused) == Renewal::not_acknowledged &&
        !is_acknowledged(copies.state, database->horizon.pending_lsn)) {
        outlook.refusal = refusal_of_renewal({renewal_refused(refused), 0}, Record::horizon, settings.max_wait_ms);
        outlook.found_ms = refused_ms(refused);
        outlook.makes_ids = false;
    } else if (refused == 0 && stall != 0 && since_ms > longest_try_ms) {
        // A renewal that raised an error, and that none has followed.
        outlook.refusal = refusal_of_renewal({Renewal::busy, 0}, Record::horizon, since_ms);
        outlook.refusal.detail = "The session that tried has failed, or still waits for the disk.";
        outlook.refusal.advice = "The server's log says why it failed.";
        outlook.makes_ids = false;
    }
}

void rehearse(Rehearsal &copies, Source &source) {
    SharedDatabase *database = find_database(copies.state);
    if (database != nullptr) copy_horizon(copies.horizon, database->horizon);
    copies.accepted.accepted_ms = copies.state->accepted_clock.accepted_ms.load();
    copies.accepted.confirmed_ms = copies.state->accepted_clock.confirmed_ms.load();
    copies.accepted.confirmations = copies.state->accepted_clock.confirmations.load();
    copies.page = copies.survey.record;
    copies.slot.mutex.initialise();
    copies.session.cursor.aim(backend_number(), Max(source.pool.shard_count, 1));
    source.session = &copies.session;
    source.machine = copies.horizon.machine;
    RehearsedDraw host{copies};
    draw_patiently(host, source, 1);
    if (copies.outlook.makes_ids && copies.has_written) look_at_tries(copies);
}

}  // namespace

Outlook look_ahead(SharedState *state, const Survey &survey) {
    Rehearsal copies{state, survey, {}, {}, {}, {}, {}, Shortage::none, 0, false, {}};
    OwnRoom room;
    Source source{};
    Refusal &why = copies.outlook.refusal;
    bool is_citus = settings.shards_from == ShardsFrom::citus;
    CitusState group = is_citus ? surveyed_node(survey).state : CitusState::member;
    if (group != CitusState::member)
        why = refusal_of_group(group);
    else if (look_at_own(leases_of(state), survey.usual, room, source, why))
        rehearse(copies, source);
    return copies.outlook;
}

}  // namespace idgen::pg
