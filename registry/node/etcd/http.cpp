#include "registry/node/etcd/http.hpp"

#include <dlfcn.h>
#include <csignal>
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

constexpr int64 longest_sleep_ms = 50;
constexpr size_t largest_body = size_t{64} << 20;
// What is kept between calls.
constexpr size_t usual_body = size_t{1} << 20;

// Makes room for more bytes and a final 0.
bool make_room(HttpClient &client, size_t more) {
    size_t wanted = client.size + more + 1;
    if (wanted <= client.room) return true;
    if (wanted > largest_body) return false;
    size_t room = Min(wanted * 2, largest_body);
    void *body = realloc(client.body, room);
    if (body == nullptr) return false;
    client.body = static_cast<char *>(body);
    client.room = room;
    return true;
}

// Forgets the last answer.
void clear_body(HttpClient &client) {
    if (client.room > usual_body) {
        free(client.body);
        client.body = nullptr;
        client.room = 0;
    }
    client.size = 0;
    client.date_ms = 0;
    client.error[0] = '\0';
}

size_t take_body(char *bytes, size_t, size_t size, void *self) {
    auto &client = *static_cast<HttpClient *>(self);
    if (!make_room(client, size)) return 0;
    memcpy(client.body + client.size, bytes, size);
    client.size += size;
    client.body[client.size] = '\0';
    return size;
}

size_t take_header(char *bytes, size_t, size_t size, void *self) {
    constexpr size_t name_size = 5;
    char date[64];
    if (size < name_size || size >= sizeof(date) || pg_strncasecmp(bytes, "Date:", name_size) != 0) return size;
    memcpy(date, bytes + name_size, size - name_size);
    date[size - name_size] = '\0';
    time_t second = curl.getdate(date, nullptr);
    if (second > 0) static_cast<HttpClient *>(self)->date_ms = int64{second} * 1000;
    return size;
}

void set_options(HttpClient &client, const TlsFiles &tls) {
    CURL *easy = client.easy;
    curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl.easy_setopt(easy, CURLOPT_PROXY, "");
    curl.easy_setopt(easy, CURLOPT_ERRORBUFFER, client.error);
    curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl.easy_setopt(easy, CURLOPT_WRITEDATA, &client);
    curl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    curl.easy_setopt(easy, CURLOPT_HEADERDATA, &client);
    if (tls.cacert != nullptr) curl.easy_setopt(easy, CURLOPT_CAINFO, tls.cacert);
    if (tls.cert != nullptr) curl.easy_setopt(easy, CURLOPT_SSLCERT, tls.cert);
    if (tls.key != nullptr) curl.easy_setopt(easy, CURLOPT_SSLKEY, tls.key);
}

// Goes on with the transfer. A thread that libcurl starts, to look a name up, inherits what is blocked here.
int perform(HttpClient &client) {
    sigset_t all, before;
    sigfillset(&all);
    int running = 0;
    sigprocmask(SIG_SETMASK, &all, &before);
    curl.multi_perform(client.multi, &running);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return running;
}

// Waits until the transfer is over. The sentence, if it has failed.
const char *transfer(HttpClient &client, const Deadline &deadline) {
    while (perform(client) > 0) {
        const char *sentence = must_end(deadline);
        if (sentence != nullptr) return sentence;
        int64 sleep_ms = Min(left_ms(deadline), longest_sleep_ms);
        curl.multi_poll(client.multi, nullptr, 0, static_cast<int>(sleep_ms), nullptr);
    }
    int left;
    CURLMsg *message = curl.multi_info_read(client.multi, &left);
    CURLcode code = message == nullptr ? CURLE_RECV_ERROR : message->data.result;
    if (code == CURLE_OK) return nullptr;
    return client.error[0] != '\0' ? client.error : curl.easy_strerror(code);
}

curl_slist *headers_of(const HttpRequest &request) {
    curl_slist *headers = curl.slist_append(nullptr, "Content-Type: application/json");
    if (request.token == nullptr) return headers;
    char *authorization = psprintf("Authorization: %s", request.token);
    headers = curl.slist_append(headers, authorization);
    pfree(authorization);
    return headers;
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

bool open(HttpClient &client, const TlsFiles &tls) {
    if (!AcquireExternalFD()) return false;
    client = {};
    client.is_open = true;
    client.multi = curl.multi_init();
    client.easy = curl.easy_init();
    if (client.multi == nullptr || client.easy == nullptr) {
        close(client);
        return false;
    }
    set_options(client, tls);
    return true;
}

long post(HttpClient &client, const HttpRequest &request, const Deadline &deadline, const char *&sentence) {
    clear_body(client);
    if (!make_room(client, 0)) return 0;
    client.body[0] = '\0';
    curl_slist *headers = headers_of(request);
    curl.easy_setopt(client.easy, CURLOPT_URL, request.url);
    curl.easy_setopt(client.easy, CURLOPT_POSTFIELDS, request.body);
    curl.easy_setopt(client.easy, CURLOPT_HTTPHEADER, headers);
    curl.multi_add_handle(client.multi, client.easy);
    sentence = transfer(client, deadline);
    long status = 0;
    if (sentence == nullptr) curl.easy_getinfo(client.easy, CURLINFO_RESPONSE_CODE, &status);
    curl.multi_remove_handle(client.multi, client.easy);
    curl.slist_free_all(headers);
    return status;
}

void close(HttpClient &client) {
    if (!client.is_open) return;
    ReleaseExternalFD();
    curl.easy_cleanup(client.easy);
    curl.multi_cleanup(client.multi);
    free(client.body);
    client = {};
}

}  // namespace idgen::lease
