#include "pg/host/system.hpp"

#include <unistd.h>

#include <ctime>

#if defined(__linux__) && !defined(IDGEN_POSIX)
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/timex.h>

#include <cstddef>
#elif defined(__APPLE__)
#include <sys/random.h>
#include <sys/sysctl.h>
#endif

namespace idgen::pg {

#if defined(__linux__) && !defined(IDGEN_POSIX)

const bool tells_of_clock = true;

constexpr clockid_t boot_clock = CLOCK_BOOTTIME;

BootId read_boot_id() noexcept {
    char text[64];
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0) return {0, 0};
    ssize_t size = read(file, text, sizeof(text));
    close(file);
    return parse_random_id({text, size > 0 ? static_cast<size_t>(size) : 0});
}

ClockState kernel_clock() noexcept {
    timex state{};
    int verdict = adjtimex(&state);
    return {verdict != TIME_ERROR && verdict >= 0, state.maxerror, state.esterror};
}

// The kernel lets a process oversleep by its slack, 50 us by default: a wait for a short tick would be mostly that.
void sleep_exactly(int64 us) {
    prctl(PR_SET_TIMERSLACK, 1UL);
    pg_usleep(static_cast<long>(us));
    prctl(PR_SET_TIMERSLACK, 0UL);
}

bool read_random(void *to, size_t size) noexcept {
    auto *next = static_cast<uint8 *>(to);
    while (size > 0) {
        ssize_t got = getrandom(next, size, 0);
        if (got < 0 && errno != EINTR) return false;
        if (got < 0) continue;
        next += got;
        size -= static_cast<size_t>(got);
    }
    return true;
}

int reserve(int file, size_t size) noexcept {
    return posix_fallocate(file, 0, static_cast<off_t>(size));
}

int64 modified_us(const struct stat &file) noexcept {
    return static_cast<int64>(file.st_mtim.tv_sec) * 1000000 + file.st_mtim.tv_nsec / 1000;
}

int64 bytes_received(int socket) noexcept {
    constexpr socklen_t bytes_field_end = offsetof(tcp_info, tcpi_bytes_received) + sizeof(int64);
    tcp_info info{};
    socklen_t size = sizeof(info);
    int waiting = 0;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || size < bytes_field_end ||
        ioctl(socket, FIONREAD, &waiting) != 0)
        return 0;
    return static_cast<int64>(info.tcpi_bytes_received) - waiting;
}

#else

// macOS has ntp_adjtime, and nobody who keeps its bound right.
const bool tells_of_clock = false;

// That of macOS goes on while the machine sleeps, and follows the corrections of the time of day but not its steps; its
// CLOCK_MONOTONIC_RAW would drift away from it. Where it stands still meanwhile, a sleep looks like a step forward.
constexpr clockid_t boot_clock = CLOCK_MONOTONIC;

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

#endif

int64 boot_us() noexcept {
    timespec now;
    clock_gettime(boot_clock, &now);
    return int64{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
}

}  // namespace idgen::pg
