// Facts of the node's numbers: idgen.shards, what is held from a registry, the registry, and who else of this
// server uses them.
#include "pg/monitor/facts.hpp"

#include "pg/host/citus_node.hpp"
#include "pg/report/hints.hpp"
#include "pg/report/message_text.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/shards_remedy.hpp"

namespace idgen::pg {
namespace {

// Which of the numbers that are wanted a list is of.
using Which = bool (*)(const WantedNumber &number);

bool is_chosen(const WantedNumber &number) noexcept {
    return number.is_held && !number.is_by_hand;
}
bool is_granted(const WantedNumber &number) noexcept {
    return number.is_held && number.is_by_hand;
}
bool is_missing(const WantedNumber &number) noexcept {
    return !number.is_held;
}

// Appends "3, 4"; false where there are no such numbers.
bool append_numbers(StringInfo text, const LeaseSurvey &leases, Which which) {
    bool is_first = true;
    for (uint32 i = 0; i < leases.count; i++) {
        if (!which(leases.numbers[i])) continue;
        appendStringInfo(text, "%s%lld", is_first ? "" : ", ",
                         static_cast<long long>(leases.numbers[i].number));
        is_first = false;
    }
    return !is_first;
}

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

// The group of this node, for idgen.shards = 'citus'.
Fact citus_shards() {
    CitusNode node = citus_node();
    switch (node.state) {
        case CitusState::member:
            break;
        case CitusState::absent:
            return {"shards", "citus: this node has no group", false, remedy_for(node.state)};
        case CitusState::unjoined:
            return {"shards", "citus: this node is in no cluster yet", false, remedy_for(node.state)};
    }
    return {"shards", beside_region(psprintf("citus: group %u", node.group)), true, nullptr};
}

// Where there is a registry, the row `lease` says more.
Fact leased_shards(const Survey &survey) {
    if (!survey.is_loaded) return {"shards", not_known, false, nullptr};
    if (!survey.leases.has_registry)
        return {"shards", "lease, and idgen.registry is not set", false, no_registry_hint};
    if (settings.region != 0) return {"shards", beside_region("lease"), false, no_region_hint};
    if (survey.leases.pool_held == 0) return {"shards", "lease: none yet", true, nullptr};
    StringInfoData text;
    initStringInfo(&text);
    append_numbers(&text, survey.leases, is_chosen);
    return {"shards", psprintf("lease: %s", text.data), true, nullptr};
}

const char *lead_text(int64 lead_ms) {
    return lead_ms < 0 ? psprintf("%s behind", seconds_text(-lead_ms))
                       : psprintf("%s ahead of", seconds_text(lead_ms));
}

bool lacks_pool(const LeaseSurvey &leases) noexcept {
    return leases.is_pool_wanted && leases.pool_held == 0;
}

// The numbers, and how far they reach.
const char *lease_text(const LeaseSurvey &leases, int64 now_ms) {
    StringInfoData text;
    initStringInfo(&text);
    if (append_numbers(&text, leases, is_chosen)) appendStringInfoString(&text, " chosen by the registry; ");
    if (append_numbers(&text, leases, is_granted)) appendStringInfoString(&text, " by hand; ");
    if (append_numbers(&text, leases, is_missing)) appendStringInfoString(&text, " not held; ");
    if (lacks_pool(leases)) appendStringInfoString(&text, "none chosen by the registry yet; ");
    if (leases.held == 0) return pnstrdup(text.data, static_cast<size_t>(text.len) - 2);
    appendStringInfo(&text, "horizon %s the clock", lead_text(leases.nearest_ms - now_ms));
    return text.data;
}

const char *answer_text(const RegistryState &registry) {
    return registry.answered_ms == 0 ? "has not answered since the server started"
                                     : psprintf("answered last at %s", instant_text(registry.answered_ms));
}

// "X; why", or X where nothing is said.
const char *with_trouble(const char *text, const RegistryState &registry) {
    return registry.trouble[0] == '\0' ? text : psprintf("%s; %s", text, registry.trouble);
}

}  // namespace

Fact shards_fact(const Survey &survey) {
    switch (settings.shards_from) {
        case ShardsFrom::list:
            break;
        case ShardsFrom::lease:
            return leased_shards(survey);
        case ShardsFrom::citus:
            return citus_shards();
    }
    const char *set = shards_text();
    if (set[0] == '\0') return {"shards", "not set", false, advice_for(remedy_for_no_shards())};
    const char *text = beside_region(set);
    if (!are_shards_copied()) return {"shards", text, true, nullptr};
    return {
        "shards", psprintf("%s, by ALTER DATABASE or ALTER ROLE: the same on every node of Citus", text),
        false,
        "Two nodes with the same shards make the same IDs. Set idgen.shards to citus for that database or "
        "role instead, then reconnect; or to numbers of each node's own by ALTER SYSTEM."};
}

Fact lease_fact(const Survey &survey) {
    const LeaseSurvey &leases = survey.leases;
    if (!leases.has_registry) return no_fact;
    bool is_lacking = leases.held < leases.count || lacks_pool(leases);
    if (leases.count == 0 && !is_lacking)
        return {"lease", "no number yet: the first ID asks for one", true, nullptr};
    const char *text = lease_text(leases, survey.now_ms);
    if (is_lacking)
        return {"lease", text, false, "IDs of a number wait until the registry grants it: see row registry."};
    // A keeper that is answered raises it when half of the window is left.
    if (leases.nearest_ms - survey.now_ms < leases.window_ms / 4)
        return {"lease", text, false,
                "IDs end at the horizon unless the registry answers: see row registry."};
    return {"lease", text, true, nullptr};
}

Fact registry_fact(const Survey &survey) {
    const LeaseSurvey &leases = survey.leases;
    const RegistryState &registry = leases.registry;
    if (!leases.has_registry) return no_fact;
    if (registry.keeper_pid == 0)
        return {"registry", "not asked: the process that keeps the numbers does not run", false, keeper_hint};
    if (registry.silent_since_ms != 0)
        return {"registry",
                with_trouble(psprintf("calls fail since %s, %s", instant_text(registry.silent_since_ms),
                                      answer_text(registry)),
                             registry),
                false,
                "See whether it runs, can be reached from here, and admits this server. IDs go on to the "
                "horizon of row lease."};
    if (registry.trouble[0] != '\0')
        return {"registry", with_trouble(answer_text(registry), registry), false,
                "docs/registry.md says what to do; the server's log may say more."};
    if (registry.answered_ms == 0) return {"registry", "not asked yet", true, nullptr};
    return {"registry", answer_text(registry), true, nullptr};
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
