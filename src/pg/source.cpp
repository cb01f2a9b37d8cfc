#include "pg/source.hpp"

#include "pg/report.hpp"
#include "pg/settings.hpp"
#include "pg/stored_settings.hpp"

namespace idgen::pg {
namespace {

uint32 whole_or_raise(const Layout &layout, int64 number) {
    uint32 whole = 0;
    Reason reason = whole_shard(layout, static_cast<uint32>(settings.region), number, whole);
    if (reason != Reason::none) report_part(reason, layout, number);
    return whole;
}

// The node owns a number if the part below the region is in idgen.shards.
bool is_own(const Layout &layout, uint32 whole) noexcept {
    if (layout.node_bits() == 0 || settings.shards.empty()) return true;
    uint32 number = settings.region == 0 ? whole : whole & mask32(layout.shard_bits);
    return settings.shards.contains(number);
}

void make_single(Source &source, uint32 whole) noexcept {
    source.single = {whole, whole};
    source.pool = {&source.single, 1, 1};
    source.region_top = 0;
}

void resolve_explicit(Source &source, int64 shard) {
    uint32 whole = whole_or_raise(source.layout, shard);
    if (!is_own(source.layout, whole)) report_foreign_shard(shard);
    make_single(source, whole);
    source.session = nullptr;
}

void resolve_own(Source &source) {
    const Layout &layout = source.layout;
    if (layout.node_bits() == 0) {
        make_single(source, whole_or_raise(layout, 0));
    } else {
        if (settings.shards.empty()) report_no_shards(is_setting_stored("idgen.shards"));
        source.region_top = whole_or_raise(layout, 0);
        uint32 last = mask32(settings.region == 0 ? layout.node_bits() : layout.shard_bits);
        if (settings.shards.largest() > last) report_pool_shard(layout, settings.shards.largest());
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
    source.handle.slot = nullptr;
    if (shard_argument == own_shards)
        resolve_own(source);
    else
        resolve_explicit(source, shard_argument);
    source.is_pool = source.pool.shard_count > 1;
    source.settings_generation = settings.generation;
}

}  // namespace idgen::pg
