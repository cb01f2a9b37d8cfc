#include "pg/draw/decimal_draw.hpp"

#include "pg/draw/tally.hpp"
#include "pg/horizon/horizon.hpp"
#include "pg/host/clock.hpp"
#include "pg/report/report_horizon.hpp"
#include "pg/state/session.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/standby.hpp"

namespace idgen::pg {
namespace {

constexpr int64 poll_us = 200;

// Writes that the next generator is taken, and flushes it; what is refused is left to the caller to say.
// Requires the renewal lock and no pending generator.
Outcome write_generator(SharedDatabase &database, Relation sequence) {
    DurablePage page;
    Renewal locked = lock_page(sequence, page);
    if (locked != Renewal::granted) return {locked, 0};
    DurableRecord next = next_generator(page.record, database.known_generator, server_identity());
    bool is_left = page.record.value >= 0 && next.value <= last_generator;
    XLogRecPtr lsn = is_left ? write_page(page, next) : InvalidXLogRecPtr;
    unlock_page(page);
    if (!is_left) return {Renewal::out_of_bounds, page.record.value};
    XLogFlush(lsn);
    database.known_generator = static_cast<uint32>(next.value);
    database.pending_generator = database.known_generator;
    database.generator_lsn = lsn;
    return {Renewal::granted, 0};
}

// Under the renewal lock: a generator that is taken is used once it is durable wherever it must be.
Outcome take_locked(SharedDatabase &database, Relation sequence) {
    // Another session was first.
    if (!database.decimal_counter.is_used_up()) return {Renewal::granted, 0};
    if (database.pending_generator == 0) {
        Outcome written = write_generator(database, sequence);
        if (written.renewal != Renewal::granted) return written;
    }
    if (!is_acknowledged(self.state, database.generator_lsn)) return {Renewal::not_acknowledged, 0};
    database.decimal_counter.begin(database.pending_generator);
    database.pending_generator = 0;
    return {Renewal::granted, 0};
}

Outcome take_open(Relation sequence) {
    if (is_uncommitted(sequence)) return {Renewal::uncommitted, 0};
    if (!LWLockConditionalAcquire(&self.database->renewal_lock, LW_EXCLUSIVE)) return {Renewal::busy, 0};
    Outcome outcome = take_locked(*self.database, sequence);
    LWLockRelease(&self.database->renewal_lock);
    return outcome;
}

// Tries once to have a generator with a counter left.
Outcome take_generator(Oid schema) {
    if (lacks_standbys(self.state)) return {Renewal::no_standby, 0};
    Relation sequence = nullptr;
    Renewal opened = try_open_sequence(schema, Record::generator, sequence);
    if (opened != Renewal::granted) return {opened, 0};
    Outcome outcome = take_open(sequence);
    close_sequence(sequence);
    return outcome;
}

// The same, and a wait for whoever or whatever it needs.
void take_or_wait(Oid schema, int64 &wait_began_ms) {
    Outcome outcome = take_generator(schema);
    if (outcome.renewal == Renewal::granted) return;
    if (is_refused(outcome.renewal)) report_refused(outcome, Record::generator);
    if (waited_since(wait_began_ms) >= longest_wait_ms(outcome.renewal))
        report_not_renewed(outcome.renewal, Record::generator, settings.max_wait_ms);
    sleep_us(poll_us);
}

}  // namespace

int64 draw_decimal(Oid schema) {
    attach_backend();
    DecimalParts parts{};
    for (int64 wait_began_ms = 0; !self.database->decimal_counter.take(parts);)
        take_or_wait(schema, wait_began_ms);
    require_postmaster();
    parts.launch = static_cast<uint32>(settings.decimal_launch);
    int64 id = pack_decimal(parts);
    count_made(1, id, no_place);
    return id;
}

void create_generators(Oid schema) {
    int64 known = 0;
    if (find_shared_state() != nullptr) {
        attach_backend();
        known = self.database->known_generator;
    }
    write_first_record(schema, Record::generator, known);
}

}  // namespace idgen::pg
