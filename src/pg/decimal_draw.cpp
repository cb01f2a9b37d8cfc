#include "pg/decimal_draw.hpp"

#include "pg/clock.hpp"
#include "pg/horizon_page.hpp"
#include "pg/report.hpp"
#include "pg/session.hpp"
#include "pg/settings.hpp"
#include "pg/standby.hpp"

namespace idgen::pg {
namespace {

constexpr int64 poll_us = 200;

// Writes that the next generator is taken, and flushes it. Requires the renewal lock and no pending
// generator.
void write_generator(SharedDatabase &database, Relation sequence) {
    int64 identity = server_identity();
    HorizonPage page = lock_horizon_page(sequence);
    GeneratorRecord seen{page.record.horizon_ms, page.record.identity};
    GeneratorRecord next = next_generator(seen, database.known_generator, identity);
    if (seen.generator < 0 || next.generator > last_generator) report_no_generator(seen.generator);
    XLogRecPtr lsn = write_horizon_page(page, {next.generator, next.identity});
    unlock_horizon_page(page);
    XLogFlush(lsn);
    database.known_generator = static_cast<uint32>(next.generator);
    database.pending_generator = database.known_generator;
    database.generator_lsn = lsn;
}

// Under the renewal lock: a generator that is taken is used once it is durable wherever it must be.
Renewal take_locked(SharedDatabase &database, Relation sequence) {
    // Another session was first.
    if (!database.decimal_counter.is_used_up()) return Renewal::granted;
    if (database.pending_generator == 0) write_generator(database, sequence);
    if (!is_acknowledged(database.generator_lsn)) return Renewal::not_acknowledged;
    database.decimal_counter.begin(database.pending_generator);
    database.pending_generator = 0;
    return Renewal::granted;
}

// Tries once to have a generator with a counter left.
Renewal take_generator(Oid schema) {
    require_standbys();
    Relation sequence = try_open_generators(schema);
    if (sequence == nullptr) return Renewal::locked;
    require_logged(sequence);
    Renewal taken = Renewal::busy;
    if (LWLockConditionalAcquire(&self.database->renewal_lock, LW_EXCLUSIVE)) {
        taken = take_locked(*self.database, sequence);
        LWLockRelease(&self.database->renewal_lock);
    }
    close_horizon(sequence);
    return taken;
}

// The same, and a wait for whoever or whatever it needs.
void take_or_wait(Oid schema, int64 &wait_began_ms) {
    Renewal taken = take_generator(schema);
    if (taken == Renewal::granted) return;
    if (waited_since(wait_began_ms) >= longest_wait_ms(taken)) report_generator_not_taken(taken);
    sleep_us(poll_us);
}

}  // namespace

int64 draw_decimal(Oid schema) {
    attach_backend();
    DecimalParts parts{};
    for (int64 wait_began_ms = 0; !self.database->decimal_counter.take(parts);)
        take_or_wait(schema, wait_began_ms);
    parts.launch = static_cast<uint32>(settings.decimal_launch);
    return pack_decimal(parts);
}

void create_generators(Oid schema) {
    int64 known = 0;
    if (find_shared_state() != nullptr) {
        attach_backend();
        known = self.database->known_generator;
    }
    Relation sequence = try_open_generators(schema);
    HorizonPage page = lock_horizon_page(sequence);
    XLogRecPtr lsn = write_horizon_page(page, {known, server_identity()});
    unlock_horizon_page(page);
    if (!XLogRecPtrIsInvalid(lsn)) XLogFlush(lsn);
    close_horizon(sequence);
}

}  // namespace idgen::pg
