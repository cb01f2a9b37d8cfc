// What the operating system gives beyond PostgreSQL's own port of it: system.cpp has one half for Linux, and one for any
// other system of POSIX, such as macOS. Nothing else asks which system it is. IDGEN_POSIX builds the second on Linux,
// where it can be tried.
#pragma once

#include <sys/stat.h>

#include "core/horizon/trusted_clock.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

// Whether the kernel says how far its clock may be off. If not, kernel_clock() gives a clock that is not synchronized.
extern const bool tells_of_clock;

// Time since some beginning, us: no step of the clock touches it, and it goes on while the machine sleeps.
int64 boot_us() noexcept;

// Which boot of the kernel this is; not known if the kernel does not say.
BootId read_boot_id() noexcept;

// What the kernel says of its clock, by its NTP state.
ClockState kernel_clock() noexcept;

// Sleeps a few ms at most, and oversleeps as little as the system allows.
void sleep_exactly(int64 us);

// Random bytes of the kernel's strong source; false with errno if it gives none.
bool read_random(void *to, size_t size) noexcept;

// Reserves the room of shared memory that was opened as a file: a write to what the machine then cannot give would end
// the process. 0, or an error number.
int reserve(int file, size_t size) noexcept;

// When a file was last written, unix us.
int64 modified_us(const struct stat &file) noexcept;

// Bytes that the process has read of a TCP connection; 0: not known.
int64 bytes_received(int socket) noexcept;

}  // namespace idgen::pg
