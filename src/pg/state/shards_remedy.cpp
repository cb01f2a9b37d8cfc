#include "pg/state/shards_remedy.hpp"

#include "pg/host/stored_settings.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

constexpr const char *setting = "idgen.shards";

bool has_citus() {
    return OidIsValid(get_extension_oid("citus", true));
}

}  // namespace

ShardsRemedy remedy_for_no_shards() {
    if (has_citus()) return ShardsRemedy::citus;
    if (!is_setting_stored(setting)) return ShardsRemedy::alter_database;
    return settings.shards_set_in_session ? ShardsRemedy::reset : ShardsRemedy::reconnect;
}

bool are_shards_copied() {
    return has_citus() && is_setting_stored(setting);
}

}  // namespace idgen::pg
