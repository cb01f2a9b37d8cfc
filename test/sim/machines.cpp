// Machines that are copied with their memory.
#include "world.hpp"

namespace idgen::sim {

// All are, with whatever runs in them: a draw, a renewal, a call on its way. Two worlds go on from here: at once, or the
// copy begins when its origin has ended. The hosts of either the copies or all say that they were copied, and nothing
// more; or no host says anything. Or the origin ends here.
void World::copy_machines() {
    Common &common = stage_.common;
    bool is_told = stage_.scenario.machines == Machines::told;
    if (is_told && stage_.random.one_in(4)) {
        common.counts.resumes++;
        return resume_machines(Origin::gone);
    }
    if (!common.turns.has_room()) return;
    common.counts.copies++;
    common.registry.copy_wires(stage_.world, common.turns.count());
    bool begins_later = is_told && stage_.random.one_in(3);
    bool is_origin_told = !begins_later && stage_.random.one_in(2), is_copy = false;
    say("the machines are copied", primary());
    int copy = common.turns.copy(stage_.world, begins_later, is_copy);
    if (is_copy) {
        stage_.world = stage_.trace.world = copy;
        stage_.random = Random(common.turns.random_for_copy());
        for (Node &node : stage_.nodes) node.clock.set_right_at(stage_.true_ms, true);
        limit_clocks();
    }
    bool has_ended = begins_later && common.turns.is_last(stage_.world);
    if (is_told && (is_copy || is_origin_told)) resume_machines(has_ended ? Origin::ended_later : Origin::goes_on);
}

// The hosts say that these are copies.
void World::resume_machines(Origin origin) {
    copied_at_ = events_;
    if (stage_.random.one_in(2)) trouble_ = 40;
    // Sessions may be first to notice.
    if (stage_.random.one_in(2)) keepers_stalled_until_ = events_ + stage_.random.between(10, 200);
    for (Node &node : stage_.nodes) {
        node.generation++;
        if (!node.is_primary || stage_.scenario.has_registry()) continue;
        for (int i = 0; i < stage_.scenario.database_count; i++)
            for (Record kind : {Record::horizon, Record::generator})
                resume_record(node, i, kind, is_beside(node, i, kind, origin));
    }
    say("the hosts tell that the machines are copies", primary());
    // Before any session knows.
    if (primary().issues() && stage_.scenario.has_admin && stage_.random.one_in(3)) advance(primary(), any_database());
}

// Whether what an origin has made since, or makes, may be what the copy makes: unless that owes it, or skips it.
bool World::is_beside(const Node &node, int database, Record kind, Origin origin) const noexcept {
    if (origin != Origin::ended_later) return origin == Origin::goes_on;
    if (kind == Record::horizon) return !is_covered(node, database);
    std::int64_t taken = node.disk.pages[database][static_cast<int>(kind)].record.value;
    return stage_.oracle.highest_generator(node.launches[database]) - taken >= generators_skipped;
}

// From here on no ID is made by that record until somebody confirms it, if it tells the copy from its origin. If it does
// not, or copies are admitted, what is made beside the origin is of another scope.
void World::resume_record(Node &node, int database, Record kind, bool is_beside) noexcept {
    Resumed &resumed = node.is_resumed(database, kind);
    if (is_beside || resumed == Resumed::no) resumed = is_beside ? Resumed::beside : Resumed::alone;
    bool is_admitted = stage_.scenario.admits_resumed;
    if (is_admitted && resumed == Resumed::beside) separate(node, database, kind);
    if (is_admitted) resumed = Resumed::no;
    review(node, database);
}

// Whether a record tells a copy of its machine from that.
bool World::is_told_by(Node &node, int database, Record kind) const noexcept {
    return is_copied_machine(node.disk.page(database, kind).record, stage_.owner_of(node), node.boot_id());
}

// Looks again at the records of a database: they may be others by now.
void World::review(Node &node, int database) noexcept {
    for (Record kind : {Record::horizon, Record::generator}) {
        Resumed &resumed = node.is_resumed(database, kind);
        if (resumed == Resumed::no || is_told_by(node, database, kind)) continue;
        if (resumed == Resumed::beside) separate(node, database, kind);
        resumed = Resumed::no;
    }
}

// What is made beside an origin may be what that makes. Sessions and readers go on.
void World::separate(Node &node, int database, Record kind) noexcept {
    if (kind == Record::horizon)
        node.scopes[database] = stage_.common.new_scope();
    else
        node.launches[database] = stage_.common.new_launch();
}

// Whether somebody confirms a copy now.
bool World::may_confirm(Node &node, int database) noexcept {
    if (!node.is_told || !stage_.random.one_in(8)) return false;
    return is_told_by(node, database, Record::horizon) || is_told_by(node, database, Record::generator);
}

// The host of a machine that boots may begin to count again; as it did for the origin if numbers are from a registry.
void World::count_anew(Node &node) noexcept {
    if (stage_.random.one_in(2)) return;
    std::uint64_t first = stage_.scenario.has_registry() ? 0 : 1000 * node.boot;
    node.generation = first + static_cast<std::uint64_t>(stage_.random.between(0, 3));
}

void World::count_crash() noexcept {
    stage_.common.counts.later_crashes += stage_.oracle.was_copied() && events_ < copied_at_ + 20;
}

}  // namespace idgen::sim
