// What the stores share: why a call was not answered, put into words; their memory; what an answer may hold. Words are
// one line, clipped to the room that there is, without control characters and without what is not text in the
// database's encoding.
#pragma once

#include "pg/postgres.hpp"

#include <string_view>

#include "core/horizon/durable_record.hpp"
#include "pg/host/clock.hpp"
#include "pg/host/machine.hpp"
#include "registry/node/rules/lease_record.hpp"
#include "registry/node/store/registry.hpp"

namespace idgen::lease {

// How long a call waits for its answer, and what ends it before: a signal that ends the process or cancels the
// statement, or a copy of the machine, in which the answer may be another copy's. Waiting raises no error; it resets the
// latch of the process, which ends if its server is dead.

struct Deadline {
    int64 ends_ms;   // of the monotonic clock
    uint64 machine;  // in which the call began
    bool is_last;    // signals do not end it
};

inline Deadline deadline_in(int64 ms) noexcept {
    return {pg::monotonic_ms() + ms, pg::machine(), false};
}

// For what is owed to others when a call is given up, even if it is because of a signal. A moment.
inline Deadline last_deadline_in(int64 ms) noexcept {
    return {pg::monotonic_ms() + ms, pg::machine(), true};
}

// What is left, ms; 0: nothing.
inline int64 left_ms(const Deadline &deadline) noexcept {
    int64 left = deadline.ends_ms - pg::monotonic_ms();
    return left > 0 ? left : 0;
}

// Whether a signal wants this process, or its statement, to end.
inline bool is_told_to_end() noexcept {
    return QueryCancelPending || ProcDiePending || ShutdownRequestPending;
}

// Each gives null, or why the call must end, as a sentence of a trouble.

// Looks once, without sleeping.
const char *must_end(const Deadline &deadline);

// Sleeps that long, or until the deadline.
const char *sleep_within(int64 ms, const Deadline &deadline);

// Sleeps until the socket can be read or written, as WL_SOCKET_READABLE and WL_SOCKET_WRITEABLE say.
const char *wait_for_socket(pgsocket socket, int events, const Deadline &deadline);

// What is said if an answer makes no sense.
constexpr const char *no_registry_there = "what answers there does not answer as a registry does";
constexpr const char *no_end_there = "what answers there sends more than a registry does";

// Writes the sentence down; gives the reply back.
Reply put_trouble(Trouble &trouble, Reply reply, const char *sentence);

// The same with a name or a number in it, by the format's one %s.
Reply put_trouble(Trouble &trouble, Reply reply, const char *format, const char *word);

// What another machine says, as text of the database's encoding: clipped to the room that there is, without control
// characters and without what is not text.

// Ends it with a 0.
void copy_foreign_text(std::string_view text, char *out, size_t room);

// The name of a counter, which is UTF-8, by palloc; all that is not ASCII is a question mark if the database's encoding
// has not all of it.
const char *counter_text(const char *name);

// The memory of a store: a context of its own, whose end closes the store, and one for what a call needs.

struct StoreMemory {
    MemoryContext own;
    MemoryContext scratch;
    MemoryContextCallback at_end;
};

// Makes a context of the current one's.
inline MemoryContext make_store_context() {
    return AllocSetContextCreate(CurrentMemoryContext, "idgen registry", ALLOCSET_DEFAULT_SIZES);
}

// Begins the memory of a store that lies in that context; `end` closes it.
inline void begin_memory(StoreMemory &memory, MemoryContext own, MemoryContextCallbackFunction end, void *store) {
    memory.own = own;
    memory.scratch = AllocSetContextCreate(own, "idgen registry call", ALLOCSET_DEFAULT_SIZES);
    memory.at_end = {end, store, nullptr};
    MemoryContextRegisterResetCallback(own, &memory.at_end);
}

// Runs what one call does, in memory that is free again afterwards.
template <typename Work>
Reply in_scratch(const StoreMemory &memory, Work work) {
    MemoryContext caller = MemoryContextSwitchTo(memory.scratch);
    Reply reply = work();
    MemoryContextSwitchTo(caller);
    MemoryContextReset(memory.scratch);
    return reply;
}

// A registry's identity as the text of a uuid, by palloc.
inline char *print_identity(const RegistryIdentity &identity) {
    return psprintf("%08x-%04x-%04x-%04x-%012llx", static_cast<uint32>(identity.high >> 32),
                    static_cast<uint32>(identity.high >> 16) & 0xFFFF, static_cast<uint32>(identity.high) & 0xFFFF,
                    static_cast<uint32>(identity.low >> 48),
                    static_cast<unsigned long long>(identity.low & 0xFFFFFFFFFFFF));
}

// An incarnation, a life, or a version of a counter: a random number, never shown. Never 0.
inline int64 random_secret() {
    int64 secret = 0;
    while (secret == 0) pg::fill_random(&secret, sizeof(secret));
    return secret;
}

// What the numbers of an answer may be. A registry's instants are those of its clock, at most days ahead; calculations
// with what lies further could overflow, and no timestamp could show it.

// An instant or a duration, ms: below the year 287396.
constexpr bool is_instant(int64 ms) noexcept {
    return ms >= 0 && ms < int64{1} << 53;
}

constexpr bool is_number(int64 number) noexcept {
    return number >= 0 && number <= PG_INT32_MAX;
}

// How often a registry was advanced: once more can still be counted.
constexpr bool is_count(int64 count) noexcept {
    return count >= 0 && count < PG_INT64_MAX;
}

}  // namespace idgen::lease
