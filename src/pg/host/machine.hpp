// The machine that this server runs in (core/horizon/machine.hpp): maps the page by which its host tells of copies.
// Processes of a server that loaded the library when it started inherit the mapping of its main process. And random
// bytes, of which no copy of the machine may give the same.
#pragma once

#include "core/horizon/machine.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

// What this process knows of the page.
struct WatchedMachine {
    const MachinePage *page;
    const char *name;  // of the file or device that is mapped, or was to be; null: none
    MachineTold told;
};
[[gnu::visibility("hidden")]] extern WatchedMachine watched_machine;
// The generation in the page; without a page, a word that never changes.
[[gnu::visibility("hidden")]] extern const uint64 *machine_word;

// Goes by what another module has mapped.
void take_machine(const WatchedMachine &watched) noexcept;

// Whether the host tells of copies. If not, the generation never changes.
inline bool is_watched() noexcept {
    return watched_machine.told == MachineTold::generation;
}

// The generation at this moment.
inline uint64 machine() noexcept {
    return __atomic_load_n(machine_word, __ATOMIC_ACQUIRE);
}

// Maps the page if the value of idgen.machine_generation says so, once in a process and those that it forks. Logs why
// not if the device is there, and raises FATAL if a file was named that cannot be used. Only the server's main process
// does either: a session that loads the library by itself looks at the device, and goes on without.
void watch_machine(const char *value);

// What this machine is known by in records, where that is its generation.
inline uint64 name_of_machine(uint64 generation) noexcept {
    return machine_name(watched_machine.told, generation);
}

// The disruption marker of the page; 0 if there is none.
uint64 machine_disruptions() noexcept;

// Whether the file that was mapped has become shorter: a machine of which nothing more is heard.
bool is_page_lost() noexcept;

// Random bytes from the kernel's strong source, fetched by the page: one at a time they would cost a hundred times as
// much. The page belongs to one process, and every byte is given out once.
//
// The page of a machine that is copied with its memory is in each copy, so a page of the machine before is thrown away.
// OpenSSL, which the server asks, would give each copy the same next page; the kernel is seeded again in a
// copy, though maybe a moment later than a session asks. So if the host tells of copies, what the processor gives is
// mixed in: its random number, or else its cycle counter.

// First filled in a backend or a worker, never in the process that forks them.
struct RandomPage {
    uint64 words[512];
    size_t left;     // unused bytes, at the end
    uint64 machine;  // in which it was fetched
};
[[gnu::visibility("hidden")]] extern RandomPage random_page;
constexpr size_t random_page_size = sizeof(RandomPage::words);

// Takes from the page. Requires that it has as many.
inline void take_random(void *out, size_t size) noexcept {
    uint8 *from = reinterpret_cast<uint8 *>(random_page.words) + random_page_size - random_page.left;
    memcpy(out, from, size);
    // A reader of this process's memory does not learn later what was given out.
    memset(from, 0, size);
    random_page.left -= size;
}

uint64 fill_random_slowly(void *out, size_t size);

// Fills in random bytes of one page, at most random_page_size, and gives the machine in which it was fetched, with which
// a transaction that gets them is to be marked (pg/state/own_transaction.hpp). Raises if the source fails.
inline uint64 fill_random(void *out, size_t size) {
    bool is_there = random_page.left >= size && random_page.machine == machine();
    if (unlikely(!is_there)) return fill_random_slowly(out, size);
    take_random(out, size);
    return random_page.machine;
}

}  // namespace idgen::pg
