#include "lease/store/etcd_address.hpp"

#include "core/text/text_part.hpp"
#include "lease/store/trouble.hpp"

namespace idgen::lease {
namespace {

constexpr std::string_view plain_scheme = "etcd://";
constexpr std::string_view tls_scheme = "etcds://";

bool begins_with(std::string_view text, std::string_view beginning) noexcept {
    return text.size() >= beginning.size() && head_of(text, beginning.size()) == beginning;
}

// What stands before a character, which is taken away with it; all where there is none.
std::string_view cut(std::string_view &text, char until) noexcept {
    size_t at = text.find(until);
    std::string_view part = at == std::string_view::npos ? text : head_of(text, at);
    text = at == std::string_view::npos ? std::string_view{} : tail_of(text, at + 1);
    return part;
}

int hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Decodes %XX. Null where that is broken, or says 0.
const char *decoded(std::string_view text) {
    auto *out = static_cast<char *>(palloc(text.size() + 1));
    size_t size = 0;
    for (size_t i = 0; i < text.size(); i++) {
        int byte = static_cast<unsigned char>(text[i]);
        if (text[i] == '%') {
            if (i + 2 >= text.size()) return nullptr;
            int high = hex_digit(text[i + 1]);
            int low = hex_digit(text[i + 2]);
            if (high < 0 || low < 0) return nullptr;
            byte = high * 16 + low;
            i += 2;
        }
        if (byte == 0) return nullptr;
        out[size++] = static_cast<char>(byte);
    }
    out[size] = '\0';
    return out;
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

}  // namespace

bool parse_etcd_address(const char *text, EtcdAddress &address, Trouble &trouble) {
    address = {};
    if (parse(text, address)) return true;
    put_trouble(trouble, Reply::denied,
                "idgen.registry is no address of an etcd: it is etcd://host:port/prefix, and /, @, :, ? and "
                "% of user and "
                "password are written as %2F, %40, %3A, %3F and %25");
    return false;
}

}  // namespace idgen::lease
