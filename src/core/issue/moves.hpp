// What moves the horizon by hand: CREATE EXTENSION, idgen.advance(), idgen.reset() and idgen.confirm_shards(). Each is
// a record to be written, then, that being flushed, what follows from it; both with the lock of renewals held from
// reading the page to the end.
//
//      plan_...(page) --> a record --> write, flush --> finish_...
//
// Until the next renewal nothing is granted. Nothing here waits, reads a clock or raises. Times are unix ms.
#pragma once

#include <cstdint>

#include "core/durable/renewal.hpp"
#include "core/durable/trusted_clock.hpp"

namespace idgen {

// The first H of a database of which this server remembers nothing: above all that an earlier idgen can have made, by
// the clock, and if that was set back since, by the second of the last checkpoint.
constexpr std::int64_t first_horizon_ms(std::int64_t now_ms, std::int64_t checkpoint_s,
                                        std::int64_t max_lead_ms) noexcept {
    std::int64_t seen_ms = checkpoint_s * 1000;
    // Of a second that is not over, it may have been the end, by a clock that was set back since.
    if (seen_ms + 999 > now_ms) seen_ms += 999;
    return (seen_ms > now_ms ? seen_ms : now_ms) + max_lead_ms;
}

// Begins a database's horizon when the extension is created again, above what this server knows of it: the record to
// be written, with an H of at least `first_ms`. The grant ends before the slots are looked at, so whatever is drawn
// after the look rests on the new record. Readers by ID go on, so H also lies above what they know as settled. A debt
// outlives the record that it came from: the identity of the new one is 0 until a renewal has paid.
template <class Directory, class Database>
DurableRecord begin_horizon(const Directory &directory, Database &database, std::int64_t first_ms,
                            std::int64_t identity) noexcept {
    note_created(database.horizon, first_ms);
    std::int64_t above_ms = directory.above_ms(database);
    lift(database.horizon.floor_ms, above_ms);
    return bare_record(above_ms, identity_of_advance(database.horizon, identity));
}

// The record of a page that keeps its owner.
DurableRecord moved_record(const DurableRecord &page, const ServerView &server, std::int64_t value,
                           std::int64_t identity) noexcept;

// Whether an instant lies so far ahead of the clock that a horizon moved there stops a database for longer than a slip
// of the hand may: only if that was said in so many words.
constexpr bool is_far_ahead(std::int64_t at_ms, std::int64_t now_ms) noexcept {
    constexpr std::int64_t hour_ms = 3600000;
    return at_ms - now_ms > hour_ms;
}

// No ID below `at_ms` from here on.
PageVerdict plan_advance(Horizon &horizon, const DurableRecord &page, const ServerView &server,
                         std::int64_t at_ms) noexcept;
template <class Directory, class Database>
void finish_advance(Directory &directory, Database &database, const DurableRecord &record,
                    std::int64_t at_ms) noexcept {
    note_advanced(database.horizon, record);
    directory.move_slots(database.database, at_ms, false);
}

// No ID at or above `at_ms` was made: the only way down. The clock counts as right from here on. A copy that is refused
// stays so: a reset says nothing of its shards.
inline DurableRecord plan_reset(const DurableRecord &page, const ServerView &server, std::int64_t at_ms) noexcept {
    std::int64_t proven = proven_identity(page, server.identity, server.has_clone);
    return moved_record(page, server, at_ms, refuses_copy(server, page) ? page.identity : proven);
}
template <class Directory, class Database>
void finish_reset(Directory &directory, Database &database, const DurableRecord &record, AcceptedClock &accepted,
                  std::int64_t difference_ms) noexcept {
    note_reset(database.horizon, record);
    database.pairs.drop();
    directory.move_slots(database.database, record.value, true);
    database.resets++;
    confirm(accepted, difference_ms);
}

// The shards are this server's.
inline DurableRecord plan_confirmation(const DurableRecord &page, const ServerView &server) noexcept {
    DurableRecord record = page;
    record.owner = server.owner.system_identifier;
    record.shards = server.owner.shards;
    return record;
}
void finish_confirmation(Horizon &horizon, const DurableRecord &page, const DurableRecord &record,
                         std::int64_t identity) noexcept;

}  // namespace idgen
