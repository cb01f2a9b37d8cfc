// A disk on which each flush takes $FLUSH_MS more, for LD_PRELOAD.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

namespace {

int flush_slowly(const char *name, int file) {
    long ms = std::strtol(std::getenv("FLUSH_MS"), nullptr, 10);
    timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0) continue;
    return reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, name))(file);
}

}  // namespace

extern "C" int fsync(int file) {
    return flush_slowly("fsync", file);
}

extern "C" int fdatasync(int file) {
    return flush_slowly("fdatasync", file);
}
