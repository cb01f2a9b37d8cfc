// Requests by HTTP, one at a time, over connections that are kept. The wait can be interrupted
// (registry/node/store/deadline.hpp). No proxy, no redirection, and no thread of libcurl takes a signal of the server's.
#pragma once

#include "registry/node/etcd/curl.hpp"
#include "registry/node/store/deadline.hpp"

namespace idgen::lease {

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
