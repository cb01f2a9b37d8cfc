#include "pg/state/source.hpp"

#include "core/kinds/hlc.hpp"
#include "pg/report/report_shards.hpp"
#include "pg/state/settings.hpp"
#include "pg/state/shards_remedy.hpp"

namespace idgen::pg {
namespace {

uint32 whole_or_raise(const Layout &layout, int64 number) {
    uint32 whole = 0;
    NodeReason reason = whole_shard(layout, static_cast<uint32>(settings.region), number, whole);
    if (reason != NodeReason::none) report_node(reason, layout, number, settings.region);
    return whole;
}

// Tells the session once that such a layout does not reckon with the node's shards. A worker leaves it to its
// leader: there may be a new one for each statement.
void tell_of_shardless(const Layout &layout) {
    static bool told = false;
    if (told || layout.node_bits() != 0 || settings.shards.empty() || IsParallelWorker()) return;
    told = true;
    tell_one_node(layout, shards_text());
}

void make_single(Source &source, uint32 whole) noexcept {
    source.single = {whole, whole};
    source.pool = {&source.single, 1, 1};
    source.region_top = 0;
}

void resolve_explicit(Source &source, int64 shard) {
    uint32 whole = whole_or_raise(source.layout, shard);
    if (!may_draw(settings.shards, static_cast<uint32>(settings.region), source.layout, whole))
        report_foreign_shard(shard, shards_text(), settings.region);
    make_single(source, whole);
    source.session = nullptr;
}

void resolve_own(Source &source) {
    const Layout &layout = source.layout;
    if (layout.node_bits() == 0) {
        make_single(source, whole_or_raise(layout, 0));
    } else {
        if (settings.shards.empty()) report_no_shards(remedy_for_no_shards());
        source.region_top = whole_or_raise(layout, 0);
        uint32 last = mask32(settings.region == 0 ? layout.node_bits() : layout.shard_bits);
        if (settings.shards.largest() > last)
            report_pool_shard(layout, settings.shards.largest(), settings.region);
        source.pool = settings.shards;
    }
    source.session = session_of(key_of(layout));
    source.session->cursor.aim(backend_number(), source.pool.shard_count);
}

}  // namespace

void resolve(Source &source, Oid schema, const Layout &layout, int64 shard_argument) {
    attach_backend();
    source.settings_generation = 0;
    source.layout = layout;
    source.schema = schema;
    source.shard_argument = shard_argument;
    source.packing = packing_of(layout);
    source.slot.entry = nullptr;
    if (shard_argument == own_shards)
        resolve_own(source);
    else
        resolve_explicit(source, shard_argument);
    tell_of_shardless(layout);
    source.is_pool = source.pool.shard_count > 1;
    source.settings_generation = settings.generation;
}

void resolve_hlc(Source &source, Oid schema) {
    attach_backend();
    source.layout = hlc_layout;
    source.packing = hlc_packing;
    source.carries = true;
    make_single(source, hlc_shard);
    source.schema = schema;
}

}  // namespace idgen::pg
