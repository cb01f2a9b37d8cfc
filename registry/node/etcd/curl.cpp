#include "registry/node/etcd/curl.hpp"

#include <dlfcn.h>

#include <initializer_list>

namespace idgen::lease {

namespace {

// As it is called on Linux, as Debian calls the one by GnuTLS, and on macOS.
void *open_library() {
    for (const char *name : {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib"})
        if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    return nullptr;
}

template <class Function>
bool find(void *library, const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

bool find_all(void *library, Curl &found) {
    return find(library, "curl_easy_cleanup", found.easy_cleanup) &&
           find(library, "curl_easy_getinfo", found.easy_getinfo) && find(library, "curl_easy_init", found.easy_init) &&
           find(library, "curl_easy_setopt", found.easy_setopt) &&
           find(library, "curl_easy_strerror", found.easy_strerror) &&
           find(library, "curl_easy_unescape", found.easy_unescape) && find(library, "curl_free", found.free) &&
           find(library, "curl_getdate", found.getdate) && find(library, "curl_global_init", found.global_init) &&
           find(library, "curl_multi_add_handle", found.multi_add_handle) &&
           find(library, "curl_multi_cleanup", found.multi_cleanup) &&
           find(library, "curl_multi_info_read", found.multi_info_read) &&
           find(library, "curl_multi_init", found.multi_init) &&
           find(library, "curl_multi_perform", found.multi_perform) &&
           find(library, "curl_multi_poll", found.multi_poll) &&
           find(library, "curl_multi_remove_handle", found.multi_remove_handle) &&
           find(library, "curl_slist_append", found.slist_append) &&
           find(library, "curl_slist_free_all", found.slist_free_all);
}

}  // namespace

Curl curl{};

bool load_curl() {
    static bool is_loaded = false;
    if (is_loaded) return true;
    void *library = open_library();
    Curl found{};
    if (library == nullptr || !find_all(library, found)) return false;
    curl = found;
    curl.global_init(CURL_GLOBAL_DEFAULT);
    return is_loaded = true;
}

}  // namespace idgen::lease
