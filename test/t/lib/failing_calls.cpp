// Calls of files that fail or wait as a test wants it, for LD_PRELOAD. A line of the file $FAILING_CALLS names a call, an errno
// and a part of the path:
//
//      write 30 /base/      writes, and open for writing
//      extend 28 /pg_wal/   writes behind the end of a file, as when the disk is full
//      flush 5 /pg_wal/     fsync and fdatasync
//      hold 1 /pg_wal/      these wait as long as the line is there; the errno is of no matter
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

template <class Function>
Function *real(const char *name) {
    return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

// The errno with which a call for a path fails; 0: it does not.
int failure_of(const char *call, const char *path) {
    std::FILE *file = std::fopen(std::getenv("FAILING_CALLS"), "re");
    if (file == nullptr) return 0;
    char name[16], part[1024];
    int code, failure = 0;
    while (std::fscanf(file, "%15s %d %1023s", name, &code, part) == 3)
        if (std::strcmp(name, call) == 0 && std::strstr(path, part) != nullptr) failure = code;
    std::fclose(file);
    return failure;
}

int failure_of(const char *call, int file) {
    char link[32], path[4096];
    std::snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof(path) - 1);
    if (length < 0) return 0;
    path[length] = '\0';
    return failure_of(call, path);
}

void wait_while_held(int file) {
    while (failure_of("hold", file) != 0) usleep(1000);
}

int write_failure(int file, std::int64_t end) {
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
    int failure = failure_of("write", file);
    return failure == 0 && end > status.st_size ? failure_of("extend", file) : failure;
}

// Makes a call, or has it fail.
template <class Call>
auto unless(int failure, Call call) -> decltype(call()) {
    if (failure == 0) return call();
    errno = failure;
    return -1;
}

}  // namespace

extern "C" ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    static auto *next = real<decltype(pwrite)>("pwrite");
    return unless(write_failure(file, offset + static_cast<std::int64_t>(size)),
                  [&] { return next(file, bytes, size, offset); });
}

extern "C" ssize_t pwritev(int file, const iovec *parts, int count, off_t offset) {
    static auto *next = real<decltype(pwritev)>("pwritev");
    std::int64_t end = offset;
    for (int i = 0; i < count; i++) end += static_cast<std::int64_t>(parts[i].iov_len);
    return unless(write_failure(file, end), [&] { return next(file, parts, count, offset); });
}

extern "C" ssize_t write(int file, const void *bytes, size_t size) {
    static auto *next = real<decltype(write)>("write");
    std::int64_t end = lseek(file, 0, SEEK_CUR) + static_cast<std::int64_t>(size);
    return unless(write_failure(file, end), [&] { return next(file, bytes, size); });
}

extern "C" int posix_fallocate(int file, off_t offset, off_t size) {
    static auto *next = real<decltype(posix_fallocate)>("posix_fallocate");
    int failure = write_failure(file, offset + size);
    return failure == 0 ? next(file, offset, size) : failure;
}

extern "C" int fsync(int file) {
    static auto *next = real<decltype(fsync)>("fsync");
    wait_while_held(file);
    return unless(failure_of("flush", file), [&] { return next(file); });
}

extern "C" int fdatasync(int file) {
    static auto *next = real<decltype(fdatasync)>("fdatasync");
    wait_while_held(file);
    return unless(failure_of("flush", file), [&] { return next(file); });
}

extern "C" int open(const char *path, int flags, ...) {
    static auto *next = real<int(const char *, int, ...)>("open");
    std::va_list more;
    va_start(more, flags);
    mode_t mode = va_arg(more, mode_t);
    va_end(more);
    // The server opens most files by their names below its folder, such as base/5/1259.
    char whole[4096];
    std::snprintf(whole, sizeof(whole), "/%s", path);
    bool writes = (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0;
    return unless(writes ? failure_of("write", whole) : 0, [&] { return next(path, flags, mode); });
}
