// Requests by HTTP, one at a time, over connections that are kept. The wait can be interrupted
// (registry/node/store/trouble.hpp). No proxy, no redirection, and no thread of libcurl takes a signal of the server's.
#pragma once

#include <curl/curl.h>

#include "registry/node/store/trouble.hpp"

namespace idgen::lease {

// libcurl, which only a registry in etcd needs: it is loaded once one is opened, so that a server without it has all the
// rest of this module. 7.66 or later.
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

// The files of TLS; null: libcurl's own authorities, no certificate.
struct TlsFiles {
    const char *cacert;
    const char *cert;
    const char *key;
};

struct HttpClient {
    bool is_open;
    CURLM *multi;
    CURL *easy;
    char error[CURL_ERROR_SIZE];
    char *body;  // of the last answer, by malloc: libcurl must not be left by an error
    size_t size;
    size_t room;
    int64 date_ms;  // of the last answer's header; 0: it has none
};

struct HttpRequest {
    const char *url;
    const char *token;  // null: none
    const char *body;
};

// False if there is no memory, or too many files are open. Requires load_curl().
bool open(HttpClient &client, const TlsFiles &tls);

// Posts JSON. The status of the answer, whose body and date are in the client then; 0, and the sentence, if there is
// none.
long post(HttpClient &client, const HttpRequest &request, const Deadline &deadline, const char *&sentence);

void close(HttpClient &client);

}  // namespace idgen::lease
