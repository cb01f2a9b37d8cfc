// What a session answers to a draw of the core.
#include "kinds/core/decimal_id.hpp"
#include "kinds/core/hlc.hpp"
#include "session.hpp"

namespace idgen::sim {

void Session::run(void *session) {
    static_cast<Session *>(session)->draw();
}

void Session::draw() {
    if (kind_ == kind_decimal)
        count_decimal();
    else if (kind_ == kind_other)
        take_other();
    else
        is_drawn_ = (kind_ == kind_hlc ? draw_one<false>() : draw_one<true>()).count != 0;
}

template <bool is_read_by>
Drawn Session::draw_one() {
    if (!is_above_) return idgen::draw<is_read_by>(*this, source_, count_);
    Drawn drawn{};
    for (bool was_lowered = true; was_lowered;) drawn = draw_above<is_read_by>(*this, source_, observed_, was_lowered);
    return drawn;
}

void Session::count_decimal() {
    GeneratorCount count{};
    if (!draw_count(*this, database_->generators, count)) return;
    std::uint32_t launch = node_->launches[number_of_database_];
    std::int64_t id = pack_decimal({count.counter, count.generator, launch});
    stage_->trace.say("%4lld session %d node %d: issues DecimalId %lld", Stage::since_start(stage_->true_ms), number_,
                      node_->number, static_cast<long long>(id));
    stage_->oracle.expect(node_->is_resumed(number_of_database_, Record::generator) == Resumed::no,
                          "a copy of a machine makes DecimalIds that nobody confirmed");
    hand(kind_decimal, 0, id);
    stage_->oracle.note_generator(launch, count.generator);
    draws_++;
    is_drawn_ = true;
}

// Hands out what was fetched before, if that was in this machine: compared after the take.
void Session::take_other() {
    while (stock_.left == 0 || stock_.machine != machine()) {
        std::uint64_t fetched_in = machine();
        stage_->let_others_run();
        stock_ = {stage_->common.stocks++, fetched_in, stage_->random.between(1, 3)};
    }
    hand(kind_other, 0, 4 * stock_.number + stock_.left--);
    std::uint64_t looked_at = stock_.machine;
    pause();
    mark(looked_at);
    draws_++;
    is_drawn_ = true;
}

// Where others come in; if this session is ended meanwhile, it does not return.
void Session::rest() {
    fiber_.rest();
}

// As an error does.
void Session::raise() {
    fiber_.end();
}

void Session::pause() {
    if (stage_->random.one_in(2)) return rest();
    stage_->let_others_run();
}

DrawRules Session::rules() const noexcept {
    DrawRules rules = settings().draw;
    rules.may_borrow &= number_ != 3;
    return rules;
}

std::int64_t Session::window_ms() const noexcept {
    return settings().rules.window_ms;
}

std::int64_t Session::waited_ms(const Wait &) const noexcept {
    return stage_->true_ms - began_ms_;
}

// What was made before a reset is no measure any more.
void Session::forget_made() noexcept {
    if (resets_ == database_->resets) return;
    resets_ = database_->resets;
    made_ = above_ = 0;
    borrowed_tick_ = borrowed_before_ = -1;
}

std::uint32_t Session::resets() noexcept {
    forget_made();
    return database_->resets;
}

std::int64_t Session::read_clock() {
    std::int64_t now_us = stage_->clock_us(*node_);
    stage_->oracle.note_clock(ms_down(now_us), settings().rules.max_lead_ms);
    rest();
    return now_us;
}
std::int64_t Session::recent_us() {
    return read_clock();
}
std::int64_t Session::now_us() {
    return read_clock();
}

std::int64_t Session::announce(const Source &source, std::int64_t base) {
    rest();
    stage_->oracle.expect(is_of_layout(source.packing, base), "readers are sent back to the end of a layout");
    auto database = static_cast<std::uint32_t>(number_of_database_ + 1);
    base = own_.announce(database_->horizon, database, source.packing, base, stage_->let_others_run);
    announced_in_ = announcing().transaction;
    rest();
    return base;
}

// Whatever is marked announces nothing.
void Session::mark(std::uint64_t machine) noexcept {
    const ProcessEntry<NoLock> &entry = node_->shared->process_entries[&announcing() - node_->shared->processes];
    std::uint32_t announced = entry.transaction;
    std::int64_t start_ms = entry.start_ms;
    own_.mark(machine);
    stage_->oracle.expect(entry.transaction == announced && entry.start_ms == start_ms,
                          "a transaction that drew no ID holds back a reader");
}

bool Session::select_slot(Source &source, std::int64_t now_ms) {
    if (source.pool.empty()) return false;
    SlotDirectory directory = node_->directory();
    const Scenario &s = stage_->scenario;
    std::uint32_t shard = select_shard(source);
    if (s.has_registry()) {
        source.held = node_->shared->leases.find(shard);
        stage_->let_others_run();
    }
    const Layout &layout = kind_ == kind_hlc ? hlc_layout : s.layouts[kind_];
    SlotKey key{key_of(layout), database_->database, shard};
    // A slot that is not there yet is given out under the lock of the directory, and the wait for that can be canceled.
    if (directory.find(key).entry == nullptr && stage_->is_rough(12)) raise();
    SlotUse use = is_own_ ? SlotUse::own : SlotUse::other;
    std::int64_t claimed_ms = node_->shared->leases.claimed_ms(shard);
    SlotRequest request{key, layout, use, s.share, now_ms, s.slot_idle_ms, claimed_ms};
    std::int64_t floors_ms[max_databases];
    for (int i = 0; i < max_databases; i++) floors_ms[i] = node_->shared->databases[i].horizon.floor_ms;
    Shortage shortage = Shortage::none;
    SlotReference<NoLock> slot = directory.obtain(*database_, request, shortage);
    for (int i = 0; i < max_databases; i++)
        stage_->oracle.expect(node_->shared->databases[i].horizon.floor_ms <= std::max(floors_ms[i], now_ms),
                              "a slot is taken back before its time");
    // As an error in the server does, before the source has it.
    if (shortage != Shortage::none) raise();
    source.slot = slot;
    rest();
    return true;
}

void Session::note_try(const Source &source, const Limits &limits, const Tick &base, const Take &taken) {
    if (taken.status == Take::Status::ok) {
        judge_lead(source, limits, base, taken);
        return note_taken(source, taken);
    }
    bool is_full = taken.status == Take::Status::full || taken.status == Take::Status::borrowed;
    if (is_full) judge_refusal(source, limits, taken);
}

// Tells the oracle of a take at once: what others take from here on lies above it, and an advance from here on lets it
// pass. Then others run, as if the server had descheduled the session before it looks at the grant.
void Session::note_taken(const Source &source, const Take &taken) {
    std::int64_t id = first_id(source, taken);
    std::int64_t last_id = id + (std::int64_t{taken.count - 1} << source.packing.sequence_shift);
    stage_->oracle.rise(node_->last_ids[number_of_database_][slots()][packed_shard(source)], id, last_id);
    old_floor_ms_ = node_->old_floors_ms[number_of_database_];
    if (stage_->scenario.has_rough_sessions) pause();
}

// Beside sessions that borrow, one that waits is told to wait no longer than for the lead that they have.
void Session::judge_refusal(const Source &source, const Limits &limits, const Take &taken) {
    const LastTick &last = last_tick(source);
    bool is_moved = source.slot.entry->slot.sequence == no_sequence;
    if (!last.is_borrowed() || is_moved || taken.tick != last.tick + 1) return;
    std::int64_t admitted_us = std::min(last.lead_us, limits.max_lead_ms * 1000);
    std::int64_t lead_us = start_of(source.packing, taken.tick) - limits.now_us;
    stage_->oracle.expect(taken.wait_us <= lead_us - admitted_us, "a session that waits gets no turn");
}

// A session that waits begins a tick ahead of the clock only as far ahead as a borrowed one before it.
void Session::judge_lead(const Source &source, const Limits &limits, const Tick &base, const Take &taken) {
    LastTick &last = last_tick(source);
    std::int64_t lead_us = start_of(source.packing, taken.tick) - limits.now_us;
    if (taken.tick <= last.tick) return;
    // The tick of an ID that was observed is borrowed, and a borrowed tick is so on every shard that the session goes
    // on to.
    bool is_chosen = source.session != nullptr && borrowed_tick_ == taken.tick;
    bool is_held = source.session != nullptr && source.session->last.tick == taken.tick && !is_chosen;
    bool begins_ahead = lead_us > 0 && taken.tick > base.number;
    bool is_borrowed = begins_ahead && (limits.may_borrow || !is_held);
    bool is_kept = is_chosen || (last.is_borrowed() && lead_us <= last.lead_us);
    stage_->oracle.expect(!is_borrowed || limits.may_borrow || is_kept, "a session that waits adds to the lead");
    last = {taken.tick, lead_us, is_borrowed ? taken.tick : last.borrowed_tick};
}

// Counts what lies ahead of the clock, as the server does. Others may have begun a later tick since the take.
void Session::count_lead(const Source &source, const Take &taken) {
    std::int64_t lead_ms = counted_lead_ms(make_tick(source.packing, taken.tick), stage_->clock_us(*node_));
    if (lead_ms <= 0) return;
    note_ahead(source, taken.tick, taken.count, lead_ms);
    if (source.session != nullptr && taken.tick <= last_tick(source).borrowed_tick) borrowed_tick_ = taken.tick;
}

void Session::note_drawn(const Source &source, const Limits &limits, const Take &taken, const Drawn &drawn) {
    Stage &stage = *stage_;
    if (source.session == nullptr || kind_ == kind_hlc) forget_made();
    stage.trace.say(
        "%4lld session %d node %d: issues kind %d of database %d: %lld %u/%u + %u (clock %lld, floor %lld, "
        "grant %lld)",
        Stage::since_start(stage.true_ms), number_, node_->number, kind_, number_of_database_,
        Stage::since_start(drawn.start_ms), packed_shard(source), taken.sequence, taken.count,
        Stage::since_start(ms_down(limits.now_us)), Stage::since_start(limits.floor_ms),
        Stage::since_start(limits.granted_ms));
    count_lead(source, taken);
    stage.oracle.expect(node_->is_resumed(number_of_database_, Record::horizon) == Resumed::no,
                        "a copy of a machine makes IDs that nobody confirmed");
    stage.oracle.issue(*node_, number_of_database_, start_of(source.packing, taken.tick), limits, old_floor_ms_);
    stage.oracle.expect(drawn.first_id > above_, "an ID is not above the one before");
    if (kind_ != kind_hlc) {
        bool is_above = drawn.first_id >= node_->settled_ids[number_of_database_][kind_];
        stage.oracle.expect(is_above || is_orphan(), "an ID is drawn below what is settled");
        std::int64_t &lowest = storing().drawn.ids[kind_];
        lowest = std::min(lowest, drawn.first_id);
    }
    if (stage.scenario.has_registry()) {
        stage.registry.note_made(source.shard, drawn.start_ms);
        stage.oracle.expect(drawn.start_ms < stage.registry.highest_ms(source.shard),
                            "a tick starts at or above the registry's horizon");
    }
    draws_++;
    note_ids(source, drawn);
    // Between the look at the machine and the mark.
    if (stage.has_copies()) pause();
}

// Hands out what was drawn, or the first of it and the others row by row, as next_ids() does.
void Session::note_ids(const Source &source, const Drawn &drawn) {
    bool gives_later = kind_ < max_layouts && drawn.count > 1 && stage_->is_rough(3);
    Block block{drawn, draws_, source.machine, node_->scopes[number_of_database_]};
    do take_next(block);
    while (!gives_later && block.count > 0);
    if (gives_later) block_ = block;
    stage_->tokens[kind_] = made_;
    // A clock of many nodes: one received the last timestamp of a millisecond.
    if (kind_ == kind_hlc && stage_->random.one_in(4)) stage_->tokens[kind_] |= hlc_last_logical;
}

void Session::take_next(Block &block) {
    hand(slots(), block.scope, block.first_id);
    made_ = block.first_id;
    block.first_id += block.step;
    block.count--;
}

// Whether the next of the block may still be handed out: what src/pg/draw/draw.cpp asks.
bool Session::has_next() const noexcept {
    bool is_fresh = block_.draw_number == draws_ && database_->horizon.floor_ms.load() <= block_.start_ms;
    return block_.count > 0 && is_fresh && block_.machine == machine();
}

// Hands out the next of the block between two draws; one that may not be handed out any more is dropped.
void Session::give(Stage &stage) {
    stage_ = &stage;
    forget_made();
    if (!has_next()) {
        block_ = {};
        return begin_draw(stage);
    }
    stage.oracle.expect(node_->is_resumed(number_of_database_, Record::horizon) == Resumed::no,
                        "a copy of a machine makes IDs that nobody confirmed");
    stage.oracle.expect(block_.start_ms >= node_->old_floors_ms[number_of_database_],
                        "a tick starts below a floor of old");
    bool is_above = block_.first_id >= node_->settled_ids[number_of_database_][kind_];
    stage.oracle.expect(is_above || is_orphan(), "an ID is drawn below what is settled");
    stage.oracle.expect(block_.first_id > made_, "an ID is not above the one before");
    take_next(block_);
    if (node_->is_told) mark(block_.machine);
    go_on(stage);
}

// Mostly with a look first whether there is anything to do.
void Session::renew_ahead(std::int64_t, std::int64_t start_ms) {
    auto is_flushed = [this](std::uint64_t lsn) { return lsn <= node_->disk.flushed; };
    bool looks = !stage_->random.one_in(8);
    if (looks && is_on_its_way(database_->horizon, start_ms, window_ms(), is_flushed)) return;
    Attempt attempt(*this);
    attempt.run([&] { renew(Record::horizon, start_ms, attempt); });
}

Outcome Session::renew(Record kind, std::int64_t start_ms, Renewer &renewer) {
    return RecordHost(*stage_, *node_, *database_, number_of_database_, kind, renewer).renew(start_ms);
}

bool Session::wait_for_renewal(Wait &) {
    rest();
    if (kind_ < kind_decimal && stage_->random.one_in(20)) raise();
    return true;
}

// Asleep until the clock admits the tick; a cancel ends the draw.
bool Session::wait_for_tick(const Source &, const Limits &limits, const Take &taken, Wait &) {
    for (;;) {
        rest();
        if (stage_->random.one_in(20)) raise();
        std::int64_t now_us = stage_->clock_us(*node_);
        if (now_us >= limits.now_us + taken.wait_us || stage_->random.one_in(5)) return true;
    }
}

// Says what is missing, and sleeps; then the slot is selected again.
bool Session::wait_for_number(Source &source, Wait &) {
    // Before anything may fail: the source outlives an error.
    if (stage_->scenario.has_rough_sessions) source.slot.entry = nullptr;
    bool is_other = follow_pool(*stage_, source);
    if (stage_->random.one_in(20) || (is_other && !is_own_)) raise();
    if (stage_->scenario.pool_count == 0) node_->shared->leases.want(source.shard);
    source.slot.entry = nullptr;
    // A client that has another server to go to.
    if (stage_->random.one_in(4)) {
        disconnect();
        raise();
    }
    rest();
    return true;
}

DrawSession Session::new_session() const noexcept {
    DrawSession session{};
    session.cursor.aim(0, 1);
    session.resets = database_->resets;
    return session;
}

}  // namespace idgen::sim
