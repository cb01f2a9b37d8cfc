// A machine without libcurl as long as the file $NO_LIBCURL is there, for LD_PRELOAD.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

extern "C" void *dlopen(const char *name, int flags) {
    static auto *next = reinterpret_cast<decltype(&dlopen)>(dlsym(RTLD_NEXT, "dlopen"));
    bool is_hidden =
        name != nullptr && std::strstr(name, "libcurl") != nullptr && access(std::getenv("NO_LIBCURL"), F_OK) == 0;
    return is_hidden ? nullptr : next(name, flags);
}
