// Databases that are created, dropped, created again and copied.
#include "core/draw/moves.hpp"
#include "world.hpp"

namespace idgen::sim {

// Whether what a server owes for the servers before it covers all that was made in a database: by clocks that are right,
// and no advance beyond them.
bool World::is_covered(const Node &node, int database) const noexcept {
    const HorizonRules &rules = stage_.settings.rules;
    std::int64_t by_right_clocks_ms = stage_.true_ms + rules.clock_error_ms + rules.max_lead_ms + 1;
    return !stage_.scenario.has_wild_clocks && stage_.oracle.reached_ms(node.scopes[database]) <= by_right_clocks_ms;
}

Database *World::find(const Node &node, int database) const noexcept {
    return node.directory().find_database(oid_of(database));
}

// As each session does first. Null if there is no room.
Database *World::enter(Node &node, int database) {
    bool has = has_sessions(node, database);
    return node.directory().enter(oid_of(database), node.writers[database], has);
}

// Nothing is known of what was made before; it may be made again.
void World::begin_scope(Node &node, int database) {
    node.scopes[database] = stage_.common.new_scope();
    begin_anew(node, database);
}

// The database's sessions and readers know nothing of before.
void World::begin_anew(Node &node, int database) {
    node.old_floors_ms[database] = 0;
    node.forget_ids(database);
    node.forget_readers(database);
    drop_readers(nullptr, database);
}

// CREATE EXTENSION: the first records.
void World::create(Node &node, int database) {
    Database *entry = enter(node, database);
    if (entry == nullptr || entry->is_locked) return;
    Creator creator{node.identity(), node.timeline > 1};
    if (!is_remembered(node, database)) {
        if (creator.is_successor && is_covered(node, database))
            begin_anew(node, database);
        else
            begin_scope(node, database);
    }
    if (last_taken(entry->generators) == 0) node.launches[database] = stage_.common.new_launch();
    std::int64_t first_ms = first_horizon_ms(node.clock.read(stage_.true_ms), 0, stage_.settings.rules.max_lead_ms);
    Restless client;
    RecordHost horizon(stage_, node, *entry, database, Record::horizon, client);
    create_horizon(horizon, first_ms, creator);
    RecordHost generators(stage_, node, *entry, database, Record::generator, client);
    create_generators(generators, node.identity());
    review(node, database);
    say("CREATE EXTENSION", node);
}

void World::begin_records(Node &node, int database, const DurableRecord &horizon, std::int64_t generator) {
    node.disk.write({database, Record::horizon, horizon, {}, true});
    node.disk.write({database, Record::generator, bare_record(generator, node.identity()), {}, false});
    node.disk.flush(node.disk.inserted());
}

// The extension is dropped and created while sessions draw, maybe under a clock that was just set, after readers have
// heard of more than was drawn. A crash may follow at once.
void World::create_again(Node &node, int database) {
    pass_time();
    read(node, database);
    if (stage_.random.one_in(2)) misbehave(node);
    create(node, database);
    for (std::int64_t steps = stage_.random.between(0, 4); steps > 0; steps--) step_somebody();
    if (stage_.random.one_in(2)) crash_backend(node);
}

bool World::may_recreate(const Node &node) const noexcept {
    return &node == &primary() && node.issues() && !is_unprotected(node) && admin_.node() != &node;
}

// The same on a server that was just promoted: before any session has drawn, or when they know what it owes.
void World::recreate_in_debt(Node &node) {
    int database = any_database();
    if (may_recreate(node) && stage_.random.one_in(3)) create(node, database);
    const Database *entry = find(node, database);
    for (int steps = 0; steps < 40 && (entry == nullptr || !entry->horizon.is_indebted); steps++) {
        step_somebody();
        entry = find(node, database);
    }
    if (!may_recreate(node) || entry == nullptr) return;
    if (stage_.random.one_in(2))
        create_again(node, database);
    else
        create_database_again(node, database);
    node.clock.set_right_at(stage_.true_ms, true);
    for (std::int64_t steps = stage_.random.between(0, 20); steps > 0; steps--) step_somebody();
}

// Drops and creates again: the extension, or the database.
void World::recreate(Node &node) {
    int database = any_database();
    Database *entry = find(node, database);
    if (!may_recreate(node)) return;
    if (entry != nullptr && stage_.random.one_in(3)) return create_again(node, database);
    create_database_again(node, database);
}

// Below what other servers may still make IDs of its database: an old primary that is cut off uses what it was granted.
std::int64_t World::granted_elsewhere_ms(const Node &node, int database) const noexcept {
    std::int64_t granted_ms = 0;
    for (const Node &other : stage_.nodes)
        if (&other != &node && other.is_primary && other.scopes[database] == node.scopes[database])
            granted_ms = std::max(granted_ms, other.disk.horizon(database).value);
    return granted_ms;
}

// Drops a database and creates it again under the same OID.
void World::create_database_again(Node &node, int database) {
    Database *entry = find(node, database);
    if (!disconnect(node, database)) return;
    node.writers[database]++;
    // Its row in the catalog was written for another reason.
    if (stage_.random.one_in(3)) return say("a database gets another row", node);
    std::int64_t reached_ms = stage_.oracle.reached_ms(node.scopes[database]);
    node.forget_transactions(database);
    drop_readers(nullptr, database);
    bool has_memory = entry != nullptr && is_remembered(node, database);
    if (entry != nullptr && stage_.random.one_in(3)) {
        node.directory().drop(*entry);
        has_memory = false;
    }
    if (has_memory)
        dropped_ms_[database] = std::max({dropped_ms_[database], reached_ms, granted_elsewhere_ms(node, database)});
    else
        begin_scope(node, database);
    // The template had idgen, and an old horizon.
    std::int64_t horizon_ms = stage_.random.between(start_ms, std::max(start_ms, reached_ms));
    node.launches[database] = stage_.common.new_launch();
    begin_records(node, database, bare_record(horizon_ms, node.identity()), 0);
    review(node, database);
    say("a database is dropped and created again", node);
}

// Makes a node a server with the disk of the primary. Requires another.
void World::copy_primary(Node &node) {
    const Node &source = primary();
    fence(node);
    node.disk = source.disk;
    node.take_readers(source);
    follow(node, source);
    node.upstream = -1;
    node.is_primary = node.is_alone = true;
}

void World::rename(Node &node) noexcept {
    node.system = ++stage_.common.systems;
    node.timeline = 1;
    node.is_converted = node.system % 2 == 0;
    node.boot_machine(++stage_.common.boots, stage_.true_ms);
}

// A copy of the primary under another system identifier: either both go on, or the copy alone.
void World::copy() {
    const Node &source = primary();
    Node &node = any_node();
    if (&node == &source || !source.issues() || is_unprotected(source)) return;
    copy_primary(node);
    rename(node);
    if (stage_.random.one_in(2)) return leave_origin(node);
    start(node, source.disk.flushed);
    bool has_other_shards = stage_.random.one_in(2);
    for (int i = 0; i < max_databases; i++) {
        node.launches[i] = stage_.common.new_launch();
        bool may_repeat = has_other_shards || (stage_.settings.admits_copy && !node.is_converted);
        if (may_repeat && !stage_.scenario.has_registry()) begin_scope(node, i);
    }
    say("is a copy whose origin goes on", node);
    if (stage_.scenario.has_admin) advance(node, any_database());
}

// A copy of the primary's disk, of now or of some time before, under the same system identifier.
void World::copy_disk() {
    const Node &source = primary();
    Node &node = any_node();
    if (&node == &source || !source.issues()) return;
    copy_primary(node);
    // Its readers begin anew.
    for (int i = 0; i < max_databases; i++) node.forget_readers(i);
    auto flushed = static_cast<std::int64_t>(source.disk.flushed);
    start(node, static_cast<Lsn>(stage_.random.one_in(2) ? flushed : stage_.random.between(first_lsn_, flushed)));
    say("is a copy of a disk, beside its origin", node);
}

// One server more, for more shards.
void World::add_server(Node &node) {
    const Node &source = primary();
    if (&node == &source || !source.issues()) return;
    copy_primary(node);
    rename(node);
    start(node, source.disk.flushed);
    say("is one more server", node);
}

// The copy goes on alone; its shards are confirmed where they must be.
void World::leave_origin(Node &node) {
    Lsn flushed = primary().disk.flushed;
    for (Node &other : stage_.nodes)
        if (&other != &node) fence(other);
    primary_ = node.number;
    node.clock.set_right_at(stage_.true_ms, true);
    node.is_alone = stage_.scenario.replication == Replication::none;
    start(node, flushed);
    say("is a copy that goes on alone", node);
}

// Confirms the shards of a database that goes on as a copy.
void World::confirm_shards() {
    Node &node = primary();
    int database = any_database();
    DurableRecord page = with_origin(node.disk.horizon(database), node.origin);
    bool is_idle = node.issues() && admin_.node() == nullptr;
    if (!is_idle || !(is_copy(page, stage_.owner_of(node)) || may_confirm(node, database)) ||
        enter(node, database) == nullptr)
        return;
    for (Record kind : {Record::horizon, Record::generator})
        if (node.is_resumed(database, kind) == Resumed::beside) separate(node, database, kind);
    admin_.begin(stage_, node, database, Admin::Task::confirm, 0);
    say("idgen.confirm_shards", node);
}

}  // namespace idgen::sim
