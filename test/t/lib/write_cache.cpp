// A disk with a cache that is lost with its power, for LD_PRELOAD: what a write replaces in a file below $CACHED_FOLDER
// is kept in a journal in $WRITE_CACHE until the file is flushed, so that a test can put it back (IdgenDisk.pm).
// Nothing is really flushed. What happens to names and lengths of files is not undone.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

template <class Function>
Function *real(const char *name) {
    return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

// The kernel's name of what a descriptor is of.
struct Link {
    explicit Link(int file) { std::snprintf(name, sizeof(name), "/proc/self/fd/%d", file); }
    char name[32];
};

// The journal of the file that a descriptor is of, locked; -1 if it has none.
int lock_journal(int file) {
    char path[4096];
    const char *folder = std::getenv("CACHED_FOLDER"), *journals = std::getenv("WRITE_CACHE");
    ssize_t length = readlink(Link(file).name, path, sizeof(path) - 1);
    struct stat status;
    if (length < 0 || std::strncmp(path, folder, std::min<std::size_t>(length, std::strlen(folder))) != 0 ||
        fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
        return -1;
    std::snprintf(path, sizeof(path), "%s/%ju", journals, static_cast<std::uintmax_t>(status.st_ino));
    int journal = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (journal < 0 || flock(journal, LOCK_EX) != 0) std::abort();
    return journal;
}

// What lies in the file where bytes are about to be written. On disk, before `length` bytes of the file.
struct Replaced {
    std::int64_t size;  // of the file
    std::int64_t offset, written, length;
};

void keep(int journal, int file, std::int64_t offset, std::int64_t written) {
    struct stat status;
    fstat(file, &status);
    Replaced replaced{status.st_size, offset, written, std::clamp<std::int64_t>(status.st_size - offset, 0, written)};
    auto *bytes = static_cast<char *>(std::malloc(replaced.length + 1));
    iovec parts[] = {{&replaced, sizeof(replaced)}, {bytes, static_cast<std::size_t>(replaced.length)}};
    ssize_t all = static_cast<ssize_t>(sizeof(replaced)) + replaced.length;
    // The descriptor may be one that only writes.
    int readable = open(Link(file).name, O_RDONLY | O_CLOEXEC);
    if (bytes == nullptr || readable < 0 || pread(readable, bytes, replaced.length, offset) != replaced.length ||
        writev(journal, parts, 2) != all)
        std::abort();
    close(readable);
    std::free(bytes);
}

// Writes by write(), and keeps what it replaces.
template <class Write>
ssize_t journaled(int file, std::int64_t offset, std::int64_t size, Write write) {
    int journal = lock_journal(file);
    if (journal >= 0) keep(journal, file, offset, size);
    ssize_t written = write();
    if (journal >= 0) close(journal);
    return written;
}

int forget(int file) {
    int journal = lock_journal(file);
    if (journal < 0) return 0;
    int done = ftruncate(journal, 0);
    close(journal);
    return done;
}

std::int64_t sum(const iovec *parts, int count) {
    std::int64_t size = 0;
    for (int i = 0; i < count; i++) size += parts[i].iov_len;
    return size;
}

}  // namespace

extern "C" ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    static auto *next = real<decltype(pwrite)>("pwrite");
    return journaled(file, offset, size, [&] { return next(file, bytes, size, offset); });
}

extern "C" ssize_t pwritev(int file, const iovec *parts, int count, off_t offset) {
    static auto *next = real<decltype(pwritev)>("pwritev");
    return journaled(file, offset, sum(parts, count), [&] { return next(file, parts, count, offset); });
}

extern "C" ssize_t write(int file, const void *bytes, size_t size) {
    static auto *next = real<decltype(write)>("write");
    off_t offset = lseek(file, 0, SEEK_CUR);
    if (offset < 0) return next(file, bytes, size);
    return journaled(file, offset, size, [&] { return next(file, bytes, size); });
}

extern "C" int fsync(int file) {
    return forget(file);
}

extern "C" int fdatasync(int file) {
    return forget(file);
}

// A file of another one's number begins without a journal.
extern "C" int unlink(const char *path) noexcept {
    static auto *next = real<decltype(unlink)>("unlink");
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        forget(file);
        close(file);
    }
    return next(path);
}
