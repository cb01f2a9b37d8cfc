#include "pg/draw/own_group.hpp"

#include "core/horizon/durable_record.hpp"
#include "pg/draw/wait.hpp"
#include "pg/horizon/durable_page.hpp"
#include "pg/host/citus_node.hpp"
#include "pg/host/server_identity.hpp"
#include "pg/number/numbers.hpp"
#include "pg/state/settings.hpp"

namespace idgen::pg {
namespace {

// The record on the page. What is in shared memory may not be loaded yet.
DurableRecord wait_for_record() {
    DurableRecord record{};
    Wait wait{};
    RecordWaits<Record::horizon> server;
    for (Renewal looked; (looked = peek_record(Record::horizon, record)) != Renewal::granted;)
        await_renewal(server, {looked, 0}, wait);
    return record;
}

}  // namespace

void require_own_group(const Layout &layout) {
    bool is_asked = settings.shards_from == ShardsFrom::citus && layout.node_bits() != 0 && !has_registry();
    if (!is_asked || RecoveryInProgress() || !has_clone()) return;
    if (may_be_clone(wait_for_record(), server_identity(), true)) raise(refusal_of_group(CitusState::doubtful));
}

}  // namespace idgen::pg
