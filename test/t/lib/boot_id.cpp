// Another boot_id than the kernel's, for LD_PRELOAD: a process that opens it reads the file $FAKE_BOOT_ID.
#include <dlfcn.h>
#include <fcntl.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

const char *faked(const char *path) {
    const char *file = std::getenv("FAKE_BOOT_ID");
    bool is_faked = file != nullptr && std::strcmp(path, "/proc/sys/kernel/random/boot_id") == 0;
    return is_faked ? file : path;
}

using Open = int (*)(const char *, int, ...);
using OpenStream = std::FILE *(*)(const char *, const char *);

// The library's own function of that name.
template <class Function>
Function real(const char *name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int open(const char *path, int flags, ...) {
    std::va_list more;
    va_start(more, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return real<Open>("open")(faked(path), flags, mode);
}

int open64(const char *path, int flags, ...) {
    std::va_list more;
    va_start(more, flags);
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return real<Open>("open64")(faked(path), flags, mode);
}

std::FILE *fopen(const char *path, const char *mode) {
    return real<OpenStream>("fopen")(faked(path), mode);
}

std::FILE *fopen64(const char *path, const char *mode) {
    return real<OpenStream>("fopen64")(faked(path), mode);
}

}  // extern "C"
