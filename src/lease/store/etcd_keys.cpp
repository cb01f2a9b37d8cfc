#include "lease/store/etcd_keys.hpp"

#include <initializer_list>

#include "lease/store/answer_range.hpp"
#include "lease/store/etcd_txn.hpp"
#include "lease/store/identity_text.hpp"

namespace idgen::lease {
namespace {

// As idgen_registry has it, in SQL.
constexpr int64 default_max_ahead_ms = int64{11} * 60 * 1000;
constexpr int64 default_largest_number = 8191;

// What a key holds; null where it is not there, or holds no JSON.
Json *value_of(Json *key) {
    char *text = bytes_of(text_in(key, "value"));
    return text == nullptr ? nullptr : parse_json(text);
}

// Whether all of these are there: what is not would count as 0.
bool has_numbers(Json *value, std::initializer_list<std::string_view> names) {
    for (std::string_view name : names)
        if (!has_number(value, name)) return false;
    return true;
}

bool are_instants(std::initializer_list<int64> all_ms) {
    for (int64 ms : all_ms)
        if (!is_instant(ms)) return false;
    return true;
}

}  // namespace

bool read_registry(Json *key, std::string_view cluster, EtcdRegistry &registry) {
    registry = {0, {0, 0}, 0, default_max_ahead_ms, default_largest_number, 0, 0, cluster};
    if (key == nullptr) return true;
    Json *value = value_of(key);
    registry = {number_in(key, "mod_revision"),     parse_identity(text_in(value, "identity")),
                number_in(value, "floor_ms"),       number_in(value, "max_ahead_ms"),
                number_in(value, "largest_number"), number_in(value, "longest_ttl_ms"),
                number_in(value, "advances"),       text_in(value, "cluster")};
    return is_known(registry.identity) &&
           has_numbers(value, {"floor_ms", "max_ahead_ms", "largest_number", "longest_ttl_ms", "advances"}) &&
           is_instant(registry.floor_ms) && is_number(registry.largest_number) && is_instant(registry.longest_ttl_ms) &&
           is_count(registry.advances) && registry.max_ahead_ms >= 0 && registry.max_ahead_ms <= longest_ahead_ms;
}

char *print_registry(const EtcdRegistry &registry) {
    JsonWriter value;
    value.begin_object();
    value.add("identity", print_identity(registry.identity));
    value.add("floor_ms", registry.floor_ms);
    value.add("max_ahead_ms", registry.max_ahead_ms);
    value.add("largest_number", registry.largest_number);
    value.add("longest_ttl_ms", registry.longest_ttl_ms);
    value.add("advances", registry.advances);
    value.add("cluster", registry.cluster);
    value.end_object();
    return value.print();
}

bool read_number(Json *key, bool has_holder, const EtcdRegistry &registry, EtcdNumber &number) {
    number = {};
    number.row = unheld_row(registry.floor_ms);
    if (key == nullptr) return true;
    Json *value = value_of(key);
    number = {number_in(key, "mod_revision"),
              {number_in(value, "incarnation"), number_in(value, "life"), number_in(value, "horizon_ms"),
               number_in(value, "claimed_ms"), has_holder ? INT64_MAX : 0},
              number_in(value, "lease"),
              number_in(value, "ttl_ms"),
              number_in(value, "lease_end_ms"),
              text_in(value, "name"),
              number_in(value, "system_identifier"),
              static_cast<int32>(number_in(value, "timeline")),
              number_in(value, "since_ms")};
    if (number_in(value, "advances") != registry.advances) advance(number.row, registry.floor_ms);
    return has_numbers(value, {"incarnation", "life", "horizon_ms", "claimed_ms", "lease", "ttl_ms", "advances"}) &&
           are_instants(
               {number.row.horizon_ms, number.row.claimed_ms, number.ttl_ms, number.lease_end_ms, number.since_ms});
}

char *print_number(const EtcdNumber &number, const EtcdRegistry &registry) {
    JsonWriter value;
    value.begin_object();
    value.add("incarnation", number.row.incarnation);
    value.add("life", number.row.life);
    value.add("horizon_ms", number.row.horizon_ms);
    value.add("claimed_ms", number.row.claimed_ms);
    value.add("lease", number.lease);
    value.add("ttl_ms", number.ttl_ms);
    value.add("lease_end_ms", number.lease_end_ms);
    value.add("name", number.name);
    value.add("system_identifier", number.system_identifier);
    value.add("timeline", int64{number.timeline});
    value.add("since_ms", number.since_ms);
    value.add("advances", registry.advances);
    value.end_object();
    return value.print();
}

}  // namespace idgen::lease
