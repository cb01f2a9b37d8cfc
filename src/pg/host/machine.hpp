// The machine that this server runs in (core/horizon/machine.hpp): maps the page by which its host tells of copies.
// Processes of a server that loaded the library when it started inherit the mapping of its main process.
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

}  // namespace idgen::pg
