#include "pg/state/own_shards.hpp"

#include "pg/host/citus_node.hpp"
#include "pg/host/stored_settings.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/source.hpp"

namespace idgen::pg {

namespace {

ShardSet view_of(OwnRoom &room, const uint32 *numbers, uint32 count) noexcept {
    for (uint32 i = 0; i < count; i++) room.numbers[i] = {numbers[i], numbers[i]};
    return {room.numbers, count, count};
}

// Raises if the node has no group that counts.
uint32 citus_group() {
    CitusNode node = citus_node();
    if (node.state != CitusState::member) report_no_citus(node.state);
    return node.group;
}

// The group may be another in the next transaction: what was derived from it ends with this one.
void forget_group(XactEvent event, void *) {
    bool is_end = event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE;
    if (is_end && settings.shards_from == ShardsFrom::citus) settings.generation++;
}

ShardSet citus_set(OwnRoom &room) {
    static bool is_registered = false;
    if (!is_registered) RegisterXactCallback(forget_group, nullptr);
    is_registered = true;
    uint32 group = citus_group();
    return view_of(room, &group, 1);
}

ShardSet leased_set(OwnRoom &room) {
    uint32 numbers[max_leases];
    return view_of(room, numbers, list_pool(self.state->leases, numbers));
}

}  // namespace

ShardSet own_set(OwnRoom &room) {
    Assert(self.state != nullptr);
    switch (settings.shards_from) {
        case ShardsFrom::list:
            break;
        case ShardsFrom::lease:
            return leased_set(room);
        case ShardsFrom::citus:
            return citus_set(room);
    }
    return settings.shards;
}

const char *own_numbers_text() {
    if (settings.shards_from == ShardsFrom::list) return nullptr;
    OwnRoom room;
    ShardSet set = own_set(room);
    StringInfoData text;
    initStringInfo(&text);
    for (uint32 i = 0; i < set.shard_count; i++) appendStringInfo(&text, "%s%u", i == 0 ? "" : ", ", set.at(i));
    return text.data;
}

uint32 changes_of_pool() noexcept {
    Assert(self.state != nullptr);
    return pg_atomic_read_u32(&self.state->leases.changes);
}

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
