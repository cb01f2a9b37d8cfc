// A wall clock that is moved while its process runs, for LD_PRELOAD. Waits are left to the kernel. A server reads the
// clock in handlers of signals, too, so a reading locks nothing and takes no memory (libfaketime does, and a timeout
// that came amid malloc() ended its server). The clock is moved by one of two files:
//
//      $OFFSET_CLOCK   three 64-bit numbers: how many nanoseconds it is ahead, by how many millionths it is faster, and
//                      since which nanosecond of the monotonic clock. A reading costs nanoseconds.
//      $TEXT_CLOCK     a line, read each time, so that another file may take its place: +3600 or -0.5, the seconds that
//                      it is ahead; =1700000000, the unix second at which it stands still
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

struct Offset {
    volatile std::int64_t ahead_ns;
    volatile std::int64_t faster_ppm;
    volatile std::int64_t since_ns;
};

const Offset *map_offset() {
    static const Offset none{};
    const char *name = std::getenv("OFFSET_CLOCK");
    int file = name == nullptr ? -1 : open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return &none;
    void *mapped = mmap(nullptr, sizeof(Offset), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    return mapped == MAP_FAILED ? &none : static_cast<const Offset *>(mapped);
}

int read_real(clockid_t clock, timespec *at) {
    static const auto real = reinterpret_cast<int (*)(clockid_t, timespec *)>(dlsym(RTLD_NEXT, "clock_gettime"));
    return real(clock, at);
}

std::int64_t real_ns(clockid_t clock) {
    timespec now;
    read_real(clock, &now);
    return now.tv_sec * std::int64_t{1000000000} + now.tv_nsec;
}

// The line of a file, by calls that nothing else preloaded counts or lets fail; empty if there is none.
void read_line(const char *name, char *line, std::size_t capacity) {
    int before = errno;
    long file = syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
    long size = file < 0 ? 0 : syscall(SYS_read, file, line, capacity - 1);
    if (file >= 0) syscall(SYS_close, file);
    line[size < 0 ? 0 : size] = '\0';
    errno = before;
}

// What a line such as +1.5 says after its first character, in nanoseconds.
std::int64_t ns_of(const char *digits) {
    bool is_negative = *digits == '-';
    if (is_negative) digits++;
    std::int64_t ns = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++) ns = ns * 10 + (*digits - '0') * std::int64_t{1000000000};
    if (*digits == '.') digits++;
    for (std::int64_t unit = 100000000; *digits >= '0' && *digits <= '9'; digits++, unit /= 10)
        ns += (*digits - '0') * unit;
    return is_negative ? -ns : ns;
}

std::int64_t text_ns(const char *name) {
    char line[64];
    read_line(name, line, sizeof(line));
    switch (line[0]) {
        case '=':
            return ns_of(line + 1);
        case '-':
            return real_ns(CLOCK_REALTIME) + ns_of(line);
        case '+':
            return real_ns(CLOCK_REALTIME) + ns_of(line + 1);
        default:
            return real_ns(CLOCK_REALTIME);
    }
}

std::int64_t offset_ns() {
    static const Offset *const offset = map_offset();
    std::int64_t gained = (real_ns(CLOCK_MONOTONIC) - offset->since_ns) / 1000 * offset->faster_ppm / 1000;
    return real_ns(CLOCK_REALTIME) + offset->ahead_ns + gained;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec *at) {
    static const char *const text = std::getenv("TEXT_CLOCK");
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return read_real(clock, at);
    constexpr std::int64_t second_ns = 1000000000;
    std::int64_t now = text == nullptr ? offset_ns() : text_ns(text);
    std::int64_t rest = (now % second_ns + second_ns) % second_ns;
    *at = {(now - rest) / second_ns, rest};
    return 0;
}

int gettimeofday(timeval *at, void *) {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *at = {now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

std::time_t time(std::time_t *at) {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at != nullptr) *at = now.tv_sec;
    return now.tv_sec;
}

}  // extern "C"
