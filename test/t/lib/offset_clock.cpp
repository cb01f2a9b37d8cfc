// A wall clock that is moved while its process runs, for LD_PRELOAD. The file $OFFSET_CLOCK has three 64-bit numbers:
// how many nanoseconds the clock is ahead, by how many millionths it is faster, and since which nanosecond of the
// monotonic clock. Unlike libfaketime it costs nanoseconds, leaves waits to the kernel, and locks nothing.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

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

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec *at) {
    static const Offset *const offset = map_offset();
    if (clock != CLOCK_REALTIME) return read_real(clock, at);
    std::int64_t gained = (real_ns(CLOCK_MONOTONIC) - offset->since_ns) / 1000 * offset->faster_ppm / 1000;
    std::int64_t now = real_ns(CLOCK_REALTIME) + offset->ahead_ns + gained;
    *at = {now / 1000000000, now % 1000000000};
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
