#include "pg/shards_remedy.hpp"

#include "pg/stored_settings.hpp"

namespace idgen::pg {
namespace {

constexpr const char *setting = "idgen.shards";

bool has_citus() {
    return OidIsValid(get_extension_oid("citus", true));
}

}  // namespace

ShardsRemedy remedy_for_no_shards() {
    if (has_citus()) return ShardsRemedy::alter_system;
    return is_setting_stored(setting) ? ShardsRemedy::reconnect : ShardsRemedy::alter_database;
}

bool are_shards_copied() {
    return has_citus() && is_setting_stored(setting);
}

}  // namespace idgen::pg
