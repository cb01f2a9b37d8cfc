// Facts of the node's numbers: idgen.shards, and who else of this server uses them.
#include "pg/monitor/facts.hpp"

#include "core/durable/durable_record.hpp"
#include "pg/host/citus_node.hpp"
#include "pg/host/server_identity.hpp"
#include "pg/host/stored_settings.hpp"
#include "pg/report/hints.hpp"
#include "pg/report/message_text.hpp"
#include "pg/state/lease_settings.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/shards_remedy.hpp"

namespace idgen::pg {
namespace {

const char *advice_for(ShardsRemedy remedy) {
    switch (remedy) {
        case ShardsRemedy::alter_database:
            break;
        case ShardsRemedy::reconnect:
            return reconnect_hint;
        case ShardsRemedy::reset:
            return reset_shards_hint;
        case ShardsRemedy::citus:
            return "Unless every call names its shard, have each node draw from the group that it has in "
                   "Citus: ALTER DATABASE ... SET idgen.shards = 'citus' on the coordinator, then reconnect.";
    }
    return "Unless every call names its shard, give this node its own: ALTER DATABASE ... SET idgen.shards = "
           "'5', then reconnect.";
}

const char *beside_region(const char *shards) {
    return settings.region == 0 ? shards : psprintf("%s in region %d", shards, settings.region);
}

// Whether the group may be that of the origin whose promoted clone this server is (pg/draw/own_group.hpp).
bool is_doubtful(const Survey &survey) {
    bool is_known = !survey.in_recovery && survey.page == PageState::readable && !has_registry();
    return is_known && has_clone() && may_be_clone(survey.record, server_identity(), true);
}

// The group of this node, for idgen.shards = 'citus'.
Fact citus_shards(const Survey &survey) {
    CitusNode node = citus_node();
    if (node.state == CitusState::member && is_doubtful(survey)) node.state = CitusState::doubtful;
    switch (node.state) {
        case CitusState::member:
            break;
        case CitusState::absent:
            return {"shards", "citus: this node has no group", false, remedy_for(node.state)};
        case CitusState::unjoined:
            return {"shards", "citus: this node is in no cluster yet", false, remedy_for(node.state)};
        case CitusState::doubtful:
            return {"shards", psprintf("citus: group %u, which may be that of the origin of this clone", node.group),
                    false, remedy_for(node.state)};
    }
    return {"shards", beside_region(psprintf("citus: group %u", node.group)), true, nullptr};
}

// A list with a number that a layout in use does not have, or, where none is in use, the default one.
Fact large_shards(const Survey &survey, const char *shards) {
    const Layout &layout = survey.narrow;
    const char *text = psprintf("%s: too large for layout \"%s\", which has the shards 0 to %u", shards,
                                LayoutName(layout).text, largest_shard(layout, static_cast<uint32>(settings.region)));
    return {"shards", text, false,
            "next_id() fails for that layout: give this node smaller shards, or use a layout that has these."};
}

// Where there is a registry, the row `lease` says more.
Fact leased_shards(const Survey &survey) {
    if (!survey.is_loaded) return {"shards", not_known, false, nullptr};
    if (!survey.leases.has_registry) return {"shards", "lease, and idgen.registry is not set", false, no_registry_hint};
    if (settings.region != 0) return {"shards", beside_region("lease"), false, no_region_hint};
    if (survey.leases.pool_held == 0) return {"shards", "lease: none yet", true, nullptr};
    return {"shards", psprintf("lease: %s", chosen_numbers(survey.leases)), true, nullptr};
}

constexpr const char *setting = "idgen.shards";

bool is_list(const char *value) {
    return source_of_shards(value) == ShardsFrom::list;
}

// Numbers that ALTER DATABASE or ALTER ROLE has set go before what the servers' own files say, on every
// server that is promoted, too.
Fact with_stored(const Survey &survey, const Fact &fact) {
    if (!survey.leases.has_registry || !fact.is_ok) return fact;
    StoredSetting stored = find_stored_setting(setting, is_list);
    if (stored.value == nullptr) return fact;
    const char *reset = reset_statement(stored, setting);
    const char *own = settings.shards_from == ShardsFrom::list ? beside_region(shards_text()) : fact.value;
    return {"shards", psprintf("%s; a database or role has %s by hand", own, stored.value), false,
            psprintf("%s, then reconnect: a promoted server has the same setting, and is refused that number "
                     "until the lease of the server before it ends. Write idgen.shards into postgresql.conf.",
                     reset)};
}

// Numbers by hand that the registry must grant.
Fact granted_shards(const Survey &survey, const char *text) {
    if (!survey.leases.has_registry) return {"shards", text, true, nullptr};
    return {"shards",
            psprintf("%s, by hand: a promoted server waits for the end of the lease, or for a clean stop of the "
                     "server before it",
                     text),
            true, nullptr};
}

Fact listed_shards(const Survey &survey) {
    const char *set = shards_text();
    if (set[0] == '\0') return {"shards", "not set", false, advice_for(remedy_for_no_shards())};
    const char *text = beside_region(set);
    if (survey.has_narrow) return large_shards(survey, text);
    if (!are_shards_copied()) return granted_shards(survey, text);
    return {"shards", psprintf("%s, by ALTER DATABASE or ALTER ROLE: the same on every node of Citus", text), false,
            "Two nodes with the same shards make the same IDs. Set idgen.shards to citus for that database or "
            "role instead, then reconnect; or to numbers of each node's own by ALTER SYSTEM."};
}

Fact own_shards_fact(const Survey &survey) {
    switch (settings.shards_from) {
        case ShardsFrom::list:
            break;
        case ShardsFrom::lease:
            return leased_shards(survey);
        case ShardsFrom::citus:
            return citus_shards(survey);
    }
    return listed_shards(survey);
}

}  // namespace

Fact shards_fact(const Survey &survey) {
    return with_stored(survey, own_shards_fact(survey));
}

// A note: IDs are unique within a database.
Fact databases_fact(const Survey &survey) {
    if (survey.twin_name == nullptr) return no_fact;
    return {"databases",
            psprintf("\"%s\" of this server draws from shard %u of %s as well: IDs are unique within each of "
                     "the two",
                     survey.twin_name, survey.twin.shard, LayoutName(survey.twin.layout).text),
            true, nullptr};
}

}  // namespace idgen::pg
