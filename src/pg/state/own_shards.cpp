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

// The group may be another in the next transaction, or after ROLLBACK TO: what was derived from it ends with this one.
void forget_group_if(bool is_end) noexcept {
    if (is_end && settings.shards_from == ShardsFrom::citus) settings.generation++;
}
void forget_group(XactEvent event, void *) {
    forget_group_if(event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE);
}

ShardSet citus_set(OwnRoom &room) {
    static bool is_registered = false;
    auto forget = [](SubXactEvent event, auto...) { forget_group_if(event == SUBXACT_EVENT_ABORT_SUB); };
    if (!is_registered) {
        RegisterXactCallback(forget_group, nullptr);
        RegisterSubXactCallback(forget, nullptr);
    }
    is_registered = true;
    CitusNode node = citus_node();
    if (node.state != CitusState::member) refuse(refusal_of_group(node.state));
    return view_of(room, &node.group, 1);
}

constexpr const char *setting = "idgen.shards";

bool has_citus() {
    return OidIsValid(get_extension_oid("citus", true));
}

// Of those that are right, the one that counts most is what the session would have if it began now.
template <bool is_right>
bool is_here(const StoredSetting &stored) {
    return is_for_this_session(stored) && (why_refused(stored).message == nullptr) == is_right;
}

// Advice to set them where they are, or best are, set.
const char *set_hint(const StoredSetting &stored) {
    const char *statement = statement_of(stored);
    if (stored.source == PGC_S_FILE)
        return psprintf("Set the shards of this node, such as: %s SET idgen.shards = '5'; SELECT pg_reload_conf()",
                        statement);
    if (!has_citus())
        return psprintf("Set the shards of this node and reconnect, such as: %s SET idgen.shards = '5'", statement);
    return psprintf(
        "Have each node draw from the group that it has in Citus, and reconnect; on the coordinator: %s SET idgen.shards = 'citus'",
        statement);
}

Refusal none(const char *detail, const char *hint) {
    return {ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "idgen.shards is not set", detail, hint, "shards"};
}

Refusal plainly_none(const char *hint) {
    return none("Without a shard, next_id() draws from the shards that this node owns.", hint);
}

Refusal refused(const char *value, const char *origin, const RefusedValue &why, const char *hint) {
    return none(psprintf("The value \"%s\" of %s is refused: %s.", clip_text(value), origin, why.detail), hint);
}

// What the server's files and its command line say of them, if they are nowhere else.
Refusal explain_by_server() {
    constexpr RefusedValue unreadable{"", "it is not a list of shards"};
    if (settings.refused_shards != nullptr)
        return refused(settings.refused_shards, origin_of(PGC_S_ARGV), unreadable, "Correct it there, and restart.");
    StoredSetting in_files = find_setting_in_files(setting);
    if (in_files.value == nullptr || has_citus())
        return plainly_none(set_hint({PGC_S_DATABASE, MyDatabaseId, InvalidOid, setting, nullptr}));
    RefusedValue refusal = why_refused(in_files);
    if (refusal.message == nullptr)
        return plainly_none("The server's configuration has it, and was not read since: SELECT pg_reload_conf()");
    return refused(in_files.value, origin_of(PGC_S_FILE), refusal, set_hint(in_files));
}

// By SET, to nothing, so that the session would have what it began with.
bool is_unset_by_session() {
    if (settings.shards_source <= PGC_S_DATABASE_USER) return false;
    const char *before = GetConfigOptionResetString(setting);
    return before != nullptr && before[0] != '\0';
}

}  // namespace

ShardSet own_set(SharedLeases &leases, OwnRoom &room) {
    uint32 numbers[max_leases];
    switch (settings.shards_from) {
        case ShardsFrom::list:
            break;
        case ShardsFrom::lease:
            return view_of(room, numbers, list_pool(leases, numbers));
        case ShardsFrom::citus:
            return citus_set(room);
    }
    return settings.shards;
}

const char *own_numbers_text() {
    if (settings.shards_from == ShardsFrom::list) return nullptr;
    OwnRoom room;
    ShardSet set = own_set(*self.leases, room);
    StringInfo text = makeStringInfo();
    for (uint32 i = 0; i < set.shard_count; i++) appendStringInfo(text, "%s%u", i == 0 ? "" : ", ", set.at(i));
    return text->data;
}

Refusal refusal_of_none() {
    if (is_unset_by_session()) return plainly_none("This session has set it to nothing: RESET idgen.shards");
    StoredSetting stored = find_stored_setting(setting, is_here<false>);
    if (stored.value != nullptr)
        return refused(stored.value, statement_of(stored), why_refused(stored), set_hint(stored));
    stored = find_stored_setting(setting, is_here<true>);
    if (stored.value == nullptr || has_citus()) return explain_by_server();
    if (stored.value[0] == '\0')
        return none(psprintf("%s has set it to nothing.", statement_of(stored)), set_hint(stored));
    return plainly_none("It was set for this database or role after this connection began: reconnect.");
}

const char *shards_with_origin() {
    return psprintf("\"%s\", set by %s", shards_text(), origin_of(settings.shards_source));
}

bool are_shards_copied() {
    return has_citus() && is_setting_stored(setting);
}

}  // namespace idgen::pg
