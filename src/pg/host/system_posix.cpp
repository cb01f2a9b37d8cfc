#include "pg/host/system.hpp"

#if !defined(__linux__) || defined(IDGEN_POSIX)

#include <unistd.h>

#include <ctime>

#ifdef __APPLE__
#include <sys/random.h>
#include <sys/sysctl.h>
#endif

namespace idgen::pg {

// macOS has ntp_adjtime, and nobody who keeps its bound right.
const bool tells_of_clock = false;

// That of macOS goes on while the machine sleeps, and follows the corrections of the time of day but not its steps; its
// CLOCK_MONOTONIC_RAW would drift away from it. Where it stands still meanwhile, a sleep looks like a step forward.
int64 boot_us() noexcept {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
}

BootId read_boot_id() noexcept {
#ifdef __APPLE__
    char text[64];
    size_t size = sizeof(text);
    if (sysctlbyname("kern.bootsessionuuid", text, &size, nullptr, 0) == 0) return parse_random_id({text, size});
#endif
    return {0, 0};
}

ClockState kernel_clock() noexcept {
    return {false, 0, 0};
}

void sleep_exactly(int64 us) {
    pg_usleep(static_cast<long>(us));
}

bool read_random(void *to, size_t size) noexcept {
    constexpr size_t most = 256;  // in one call
    auto *next = static_cast<uint8 *>(to);
    for (; size > 0; next += Min(size, most), size -= Min(size, most))
        if (getentropy(next, Min(size, most)) != 0) return false;
    return true;
}

// There is no posix_fallocate everywhere. Shared memory of macOS takes its size once, and is reserved with it.
int reserve(int file, size_t size) noexcept {
    struct stat found;
    if (fstat(file, &found) != 0) return errno;
    if (static_cast<size_t>(found.st_size) >= size) return 0;
    return ftruncate(file, static_cast<off_t>(size)) == 0 ? 0 : errno;
}

int64 modified_us(const struct stat &file) noexcept {
#ifdef __APPLE__
    const timespec &at = file.st_mtimespec;
#else
    const timespec &at = file.st_mtim;
#endif
    return int64{at.tv_sec} * 1000000 + at.tv_nsec / 1000;
}

int64 bytes_received(int) noexcept {
    return 0;
}

}  // namespace idgen::pg

#endif
