#include "registry/node/postgres/postgres_address.hpp"

#include <libpq-fe.h>

#include "registry/node/store/trouble.hpp"

namespace idgen::lease {
namespace {

bool begins_with(const char *text, const char *beginning) noexcept {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

bool is_uri(const char *text) noexcept {
    return begins_with(text, "postgresql://") || begins_with(text, "postgres://");
}

bool consists_of(const char *text, const char *characters) noexcept {
    return text == nullptr || text[strspn(text, characters)] == '\0';
}

// A password with a / or an @ that is not percent-encoded ends up in these.
bool is_clean(const PostgresAddress &address, const char *database) noexcept {
    return consists_of(address.hosts, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/:,") &&
           consists_of(address.host_addresses, "abcdefABCDEF0123456789.:,%") &&
           consists_of(address.ports, "0123456789,") &&
           (!is_uri(address.text) || database == nullptr || strpbrk(database, "@/") == nullptr);
}

void take_option(const PQconninfoOption &option, PostgresAddress &address, const char *&database) {
    if (option.val == nullptr) return;
    auto keep_if = [&](const char *keyword, const char *&value) {
        if (strcmp(option.keyword, keyword) == 0) value = pstrdup(option.val);
    };
    keep_if("host", address.hosts);
    keep_if("hostaddr", address.host_addresses);
    keep_if("port", address.ports);
    keep_if("dbname", database);
    address.says_which_server |= strcmp(option.keyword, "target_session_attrs") == 0;
}

uint32 count_items(const char *list) noexcept {
    uint32 count = list == nullptr ? 0 : 1;
    for (; list != nullptr && *list != '\0'; list++) count += *list == ',' ? 1 : 0;
    return count;
}

// "a,b,c" turned by 1 is "b,c,a". A list of one, as of ports, stands for all.
const char *turned(const char *list, uint32 turn) {
    if (list == nullptr || count_items(list) < 2) return list;
    const char *begin = list;
    for (uint32 i = turn % count_items(list); i > 0; i--) begin = strchr(begin, ',') + 1;
    if (begin == list) return list;
    return psprintf("%s,%.*s", begin, static_cast<int>(begin - list - 1), list);
}

}  // namespace

bool parse_postgres_address(const char *text, PostgresAddress &address, Trouble &trouble) {
    // libpq's own words would repeat the address, and with it the password.
    char *words = nullptr;
    PQconninfoOption *options = PQconninfoParse(text, &words);
    PQfreemem(words);
    address = {pstrdup(text), nullptr, nullptr, nullptr, 0, false};
    const char *database = nullptr;
    for (PQconninfoOption *option = options; option != nullptr && option->keyword != nullptr; option++)
        take_option(*option, address, database);
    address.host_count = Max(count_items(address.hosts), count_items(address.host_addresses));
    bool is_good = options != nullptr && is_clean(address, database);
    PQconninfoFree(options);
    if (!is_good)
        put_trouble(
            trouble, Reply::denied,
            "idgen.registry is not the address of a PostgreSQL server: write /, @, : and % of user and password as %2F, %40, %3A and %25");
    return is_good;
}

ConnectParameters connect_parameters(const PostgresAddress &address, uint32 turn, int64 answer_ms) {
    ConnectParameters parameters{};
    int count = 0;
    auto add = [&](const char *keyword, const char *value) {
        if (value == nullptr) return;
        parameters.keywords[count] = keyword;
        parameters.values[count++] = value;
    };
    // The address may say otherwise.
    add("fallback_application_name", "idgen");
    add("keepalives_idle", "10");
    add("keepalives_interval", "5");
    add("keepalives_count", "3");
    add("tcp_user_timeout", psprintf(INT64_FORMAT, answer_ms));
    if (address.host_count > 1 && !address.says_which_server) add("target_session_attrs", "read-write");
    add("dbname", address.text);
    // The address may not.
    add("host", turned(address.hosts, turn));
    add("hostaddr", turned(address.host_addresses, turn));
    add("port", turned(address.ports, turn));
    add("client_encoding", GetDatabaseEncodingName());
    return parameters;
}

}  // namespace idgen::lease
