// libcurl, which only a registry in etcd needs: it is loaded once one is opened, so that a server without it has all the
// rest of this module. 7.66 or later.
#pragma once

#include <curl/curl.h>

namespace idgen::lease {

struct Curl {
    decltype(&curl_easy_cleanup) easy_cleanup;
    decltype(&curl_easy_getinfo) easy_getinfo;
    decltype(&curl_easy_init) easy_init;
    decltype(&curl_easy_setopt) easy_setopt;
    decltype(&curl_easy_strerror) easy_strerror;
    decltype(&curl_easy_unescape) easy_unescape;
    decltype(&curl_free) free;
    decltype(&curl_getdate) getdate;
    decltype(&curl_global_init) global_init;
    decltype(&curl_multi_add_handle) multi_add_handle;
    decltype(&curl_multi_cleanup) multi_cleanup;
    decltype(&curl_multi_info_read) multi_info_read;
    decltype(&curl_multi_init) multi_init;
    decltype(&curl_multi_perform) multi_perform;
    decltype(&curl_multi_poll) multi_poll;
    decltype(&curl_multi_remove_handle) multi_remove_handle;
    decltype(&curl_slist_append) slist_append;
    decltype(&curl_slist_free_all) slist_free_all;
};

// Null functions until load_curl() has given true.
extern Curl curl;

// Loads it, unless it is there. False if this machine has none, or an older one.
bool load_curl();

}  // namespace idgen::lease
