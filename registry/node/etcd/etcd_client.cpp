#include "registry/node/etcd/etcd_client.hpp"

#include "core/text/text_part.hpp"
#include "registry/node/store/trouble.hpp"

namespace idgen::lease {
namespace {

constexpr std::string_view plain_scheme = "etcd://";
constexpr std::string_view tls_scheme = "etcds://";

bool begins_with(std::string_view text, std::string_view beginning) noexcept {
    return text.size() >= beginning.size() && head_of(text, beginning.size()) == beginning;
}

// What stands before a character, which is taken away with it; all if there is none.
std::string_view cut(std::string_view &text, char until) noexcept {
    size_t at = text.find(until);
    std::string_view part = at == std::string_view::npos ? text : head_of(text, at);
    text = at == std::string_view::npos ? std::string_view{} : tail_of(text, at + 1);
    return part;
}

// Decodes %XX. Null if that says 0.
const char *decoded(std::string_view text) {
    if (text.empty()) return "";  // libcurl takes a size of 0 for one to be counted
    int size = 0;
    char *bytes = curl.easy_unescape(nullptr, text.data(), static_cast<int>(text.size()), &size);
    if (bytes == nullptr) return nullptr;
    const char *copy = strlen(bytes) == static_cast<size_t>(size) ? pstrdup(bytes) : nullptr;
    curl.free(bytes);
    return copy;
}

bool consists_of(std::string_view text, std::string_view characters) noexcept {
    return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

// A password with a / that is not percent-encoded ends up here: a host has no @, and a port is a number.
bool is_endpoint(std::string_view text) noexcept {
    size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return false;
    return consists_of(head_of(text, colon), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._[]:") &&
           consists_of(tail_of(text, colon + 1), "0123456789");
}

bool take_endpoints(std::string_view list, bool is_tls, EtcdAddress &address) {
    while (!list.empty()) {
        std::string_view endpoint = cut(list, ',');
        if (!is_endpoint(endpoint) || address.endpoint_count == EtcdAddress::most_endpoints) return false;
        address.endpoints[address.endpoint_count++] =
            psprintf("%s://%.*s", is_tls ? "https" : "http", static_cast<int>(endpoint.size()), endpoint.data());
    }
    return address.endpoint_count > 0;
}

bool take_user(std::string_view &authority, EtcdAddress &address) {
    size_t at = authority.rfind('@');
    if (at == std::string_view::npos) return true;
    std::string_view password = head_of(authority, at);
    authority = tail_of(authority, at + 1);
    std::string_view user = cut(password, ':');
    address.user = decoded(user);
    address.password = decoded(password);
    return address.user != nullptr && address.password != nullptr;
}

bool take_option(std::string_view option, EtcdAddress &address) {
    std::string_view value = option;
    std::string_view name = cut(value, '=');
    const char *file = decoded(value);
    if (file == nullptr) return false;
    if (name == "cacert")
        address.cacert = file;
    else if (name == "cert")
        address.cert = file;
    else if (name == "key")
        address.key = file;
    else
        return false;
    return true;
}

bool take_prefix(std::string_view prefix, EtcdAddress &address) {
    while (!prefix.empty() && prefix.back() == '/') prefix.remove_suffix(1);
    if (prefix.find('@') != std::string_view::npos) return false;
    const char *text = decoded(prefix);
    address.prefix = text != nullptr && *text == '\0' ? "/idgen" : psprintf("/%s", text == nullptr ? "" : text);
    return text != nullptr;
}

bool parse(std::string_view text, EtcdAddress &address) {
    bool is_tls = begins_with(text, tls_scheme);
    std::string_view rest = tail_of(text, is_tls ? tls_scheme.size() : plain_scheme.size());
    std::string_view options = rest;
    rest = cut(options, '?');
    std::string_view prefix = rest;
    std::string_view authority = cut(prefix, '/');
    if (!take_user(authority, address) || !take_endpoints(authority, is_tls, address) || !take_prefix(prefix, address))
        return false;
    while (!options.empty())
        if (!take_option(cut(options, '&'), address)) return false;
    return true;
}

// A simple token has some 40 bytes, a signed one (JWT) up to a few thousand.
constexpr size_t longest_token = size_t{16} << 10;

// The numbers that gRPC gives to failures.
enum class Code : int64 { invalid = 3, not_found = 5, permission_denied = 7, precondition = 9, unauthenticated = 16 };

bool holds(std::string_view text, std::string_view part) noexcept {
    return text.find(part) != std::string_view::npos;
}

// Makes what was said the sentence of a trouble, unless it holds the password: an etcd does not send it, but a program
// in its place may.
Reply repeat_words(const EtcdAddress &address, std::string_view words, Trouble &trouble) {
    bool is_told = address.password != nullptr && *address.password != '\0' && holds(words, address.password);
    return put_trouble(
        trouble, Reply::denied,
        is_told ? "its message holds the password and is not shown" : pnstrdup(words.data(), words.size()));
}

// Judges an answer that is not 200: {"message": text, "code": number}.
Reply judge_failure(const EtcdAddress &address, Json *json, EtcdAnswer &answer, Trouble &trouble) {
    std::string_view words = text_in(json, "message");
    if (words.empty())
        return put_trouble(trouble, Reply::silent, "what answers there is not etcd, or has no JSON gateway");
    repeat_words(address, words, trouble);
    answer.is_token_refused = holds(words, "invalid auth token") || holds(words, "revision of auth store is old");
    if (answer.is_token_refused) return trouble.reply;
    switch (static_cast<Code>(number_in(json, "code"))) {
        case Code::not_found:
            answer.is_lease_gone = holds(words, "lease");
            return answer.is_lease_gone ? Reply::answered : trouble.reply;
        case Code::unauthenticated:
            answer.is_token_refused = true;
            return trouble.reply;
        case Code::invalid:
        case Code::permission_denied:
        case Code::precondition:
            return trouble.reply;
    }
    return trouble.reply = Reply::silent;
}

// Posts to one endpoint. Silent: another one may answer.
Reply ask_endpoint(EtcdClient &client, const char *path, const char *body, const Deadline &deadline, EtcdAnswer &answer,
                   Trouble &trouble) {
    const char *url = psprintf("%s/v3/%s", client.address.endpoints[client.endpoint], path);
    const char *sentence = "out of memory";
    long status = post(client.http, {url, client.token, body}, deadline, sentence);
    if (status == 0) return put_trouble(trouble, Reply::silent, sentence);
    answer = {parse_json(client.http.body), client.http.date_ms, false, false};
    constexpr long ok = 200;
    if (status != ok) return judge_failure(client.address, answer.json, answer, trouble);
    if (answer.json != nullptr && answer.now_ms != 0) return Reply::answered;
    return put_trouble(trouble, Reply::silent, "its answer is not one of etcd, or has no date");
}

void go_to_next_endpoint(EtcdClient &client) noexcept {
    client.endpoint = (client.endpoint + 1) % client.address.endpoint_count;
}

// Posts to one endpoint after another, until one has an answer.
Reply ask_endpoints(EtcdClient &client, const char *path, const char *body, const Deadline &deadline,
                    EtcdAnswer &answer, Trouble &trouble) {
    for (int left = client.address.endpoint_count; left > 0; left--) {
        Reply reply = ask_endpoint(client, path, body, deadline_in(left_ms(deadline) / left), answer, trouble);
        if (reply != Reply::silent || must_end(deadline) != nullptr) return reply;
        go_to_next_endpoint(client);
    }
    return Reply::silent;
}

void forget_token(EtcdClient &client) {
    if (client.token != nullptr) pfree(client.token);
    client.token = nullptr;
}

// Fetches a token. An etcd whose users are not switched on gives none, and asks for none.
Reply authenticate(EtcdClient &client, const Deadline &deadline, Trouble &trouble) {
    forget_token(client);
    JsonWriter body;
    body.begin_object();
    body.add("name", client.address.user);
    body.add("password", client.address.password);
    body.end_object();
    EtcdAnswer answer{};
    Reply reply = ask_endpoints(client, "auth/authenticate", body.print(), deadline, answer, trouble);
    if (reply == Reply::denied && holds(trouble.sentence, "authentication is not enabled")) return Reply::answered;
    if (reply != Reply::answered) return reply;
    std::string_view token = text_in(answer.json, "token");
    if (token.empty() || token.find_first_of("\r\n") != std::string_view::npos) return Reply::answered;
    if (token.size() > longest_token) {
        go_to_next_endpoint(client);
        return put_trouble(trouble, Reply::denied, no_end_there);
    }
    client.token = MemoryContextStrdup(client.memory, pnstrdup(token.data(), token.size()));
    return Reply::answered;
}

}  // namespace

bool parse_etcd_address(const char *text, EtcdAddress &address, Trouble &trouble) {
    address = {};
    if (parse(text, address)) return true;
    put_trouble(
        trouble, Reply::denied,
        "idgen.registry is not the address of an etcd: it is etcd://host:port/prefix, and /, @, :, ? and % of user and password are written as %2F, %40, %3A, %3F and %25");
    return false;
}

Reply ask(EtcdClient &client, const char *path, const char *body, const Deadline &deadline, EtcdAnswer &answer,
          Trouble &trouble) {
    bool has_user = client.address.user != nullptr;
    bool is_new = has_user && client.token == nullptr;
    answer = {};
    Reply reply = is_new ? authenticate(client, deadline, trouble) : Reply::answered;
    if (reply == Reply::answered) reply = ask_endpoints(client, path, body, deadline, answer, trouble);
    if (answer.is_token_refused && has_user && !is_new) {
        reply = authenticate(client, deadline, trouble);
        if (reply == Reply::answered) reply = ask_endpoints(client, path, body, deadline, answer, trouble);
    }
    // What refuses the token may say anything, or nothing: the next call fetches another.
    if (reply != Reply::answered) forget_token(client);
    return reply;
}

}  // namespace idgen::lease
