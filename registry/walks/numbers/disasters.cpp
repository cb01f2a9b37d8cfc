#include <algorithm>
#include <cstring>

#include "world.hpp"

namespace idgen::lease {

// What befalls a server, or all.
void World::strike(std::size_t index) {
    Server &server = servers_[index];
    if (walk_ == Walk::copied_memory) {
        if (count_ == 1 && server.lease.cap_ms != 0 && happens(50)) copy_memory(server);
        return;
    }
    if (happens(weather_.boot)) boot(server);
    if (happens(weather_.crash)) restart(server);
    if (happens(weather_.put_back)) {
        server.page = server.older_page;
        restart(server);
    }
    if (happens(weather_.stop) && is_held(server.lease) && !server.is_ending) {
        server.is_ending = true;
        end_issue(server.lease);
    }
    if (happens(weather_.clock_step)) server.clock_offset = random_.between(-clock_error, clock_error);
    if (happens(weather_.copy)) add(happens(800) ? server.page : old_page_, server.identity);
    if (happens(weather_.promotion)) promote(server);
    if (happens(weather_.resumption)) resume_twice(server);
    if (happens(weather_.pause)) now_ += random_.between(0, longest_ttl);
    if (happens(weather_.release)) release_some();
    if (happens(5)) {
        registry_.written = now_ + registry_offset_;
        kept_ = registry_;
    }
    if (happens(10)) registry_.max_ahead = random_.between(1, longest_max_ahead);
    if (happens(20)) registry_offset_ = 0;
    if (happens(5)) old_page_ = server.page;
    if (happens(20)) server.older_page = server.page;
    if (happens(5)) restore_registry();
}

// The machine starts again: nothing is left in any memory. What is on the wires may still arrive.
void World::boot(Server &server) {
    server.saved = SavedLease{};
    server.reached = 0;
    restart(server);
}

// Only the server starts again.
void World::restart(Server &server) {
    server.is_ending = false;
    server.record = server.page.record;
    begin_life(server.lease, static_cast<std::int64_t>(random_.next()));
    if (server.saved.incarnation == 0) return;
    resume(server.lease, server.saved, server.reached);
    server.record = {the_registry, server.saved.number, server.saved.incarnation, 0, server.identity};
    begin_at_claimed(server);
    reopen(server.lease);
}

// A copy of a disk, beside the server that it was copied from.
void World::add(const Page &page, std::int64_t identity) {
    if (count_ == most_servers) return;
    Server &server = servers_[count_++];
    server.page = page;
    server.older_page = page;
    server.identity = identity;
    server.clock_offset = walk_ == Walk::copied_memory ? 0 : random_.between(-clock_error, clock_error);
    boot(server);
}

// The copy of a machine with all of its memory goes on beside it.
void World::copy_memory(const Server &server) {
    shared_ms_ = server.lease.cap_ms;
    std::memcpy(static_cast<void *>(&servers_[count_++]), static_cast<const void *>(&server), sizeof(Server));
}

// A machine is resumed from a snapshot of its memory, beside the one that it was taken of or twice, and told so. What was
// on its way goes out from each.
void World::resume_twice(Server &server) {
    if (count_ == most_servers) return;
    std::size_t copy = count_, letters = calls_on_wire_.size();
    std::int64_t identity = server.identity + 100 * static_cast<std::int64_t>(copy) + 50;
    copy_memory(server);
    for (std::size_t i = 0; i < letters; i++) {
        Letter letter = calls_on_wire_[i];
        if (letter.server != index_of(server)) continue;
        letter.server = copy;
        calls_on_wire_.push_back(letter);
    }
    leave_machine(servers_[copy], identity);
    if (happens(500)) leave_machine(server, identity);
}

// Leaves what each copy holds, before an ID is made.
void World::leave_machine(Server &server, std::int64_t identity) {
    leave(server.lease, static_cast<std::int64_t>(random_.next()));
    server.identity = identity;
    server.saved = saved(server.lease);
    if (server.is_ending) restart(server);
}

// Two copies that send the identical extension are granted it both.
void World::note_shared(const Letter &letter) {
    std::int64_t to_ms = letter.call.to_ms;
    granted_ms_[letter.server].push_back(to_ms);
    const auto &others = granted_ms_[1 - letter.server];
    if (std::find(others.begin(), others.end(), to_ms) != others.end()) shared_ms_ = std::max(shared_ms_, to_ms);
}

// A standby that had not yet all of the records; the primary goes on.
void World::promote(const Server &server) {
    Page page = server.page;
    for (std::int64_t &h : page.horizon) h = std::max<std::int64_t>(0, h - random_.between(0, h_window));
    add(page, server.identity + 100 * static_cast<std::int64_t>(count_) + 1);
}

void World::release_some() {
    std::optional<RegistryRow> &row = registry_.rows[random_.between(0, numbers - 1)];
    if (row) release(*row);
}

// The registry is put back to an older state or made again, by then with another limit, and advanced above all that can
// have been granted meanwhile. Its clock may be behind: if it knows nothing later, which no check can find, the clock
// is right.
void World::restore_registry() {
    if (happens(300))
        registry_ = Registry{};
    else if (kept_)
        registry_ = *kept_;
    registry_offset_ = happens(500) ? -random_.between(0, registry_behind) : 0;
    if (now_ + registry_offset_ >= latest_known()) registry_offset_ = 0;
    std::int64_t at =
        instant_above_all({now_ + registry_offset_, registry_.max_ahead, longest_max_ahead, latest_known()});
    // Its owner names an instant.
    if (at == 0) at = std::max(now_ + longest_max_ahead, latest_known());
    advance(registry_.unheld, at);
    for (std::optional<RegistryRow> &row : registry_.rows) {
        if (row) advance(*row, at);
    }
    calls_on_wire_.clear();
}

std::int64_t World::latest_known() const noexcept {
    std::int64_t known = std::max(registry_.written, registry_.unheld.horizon_ms);
    for (const std::optional<RegistryRow> &row : registry_.rows) {
        if (row) known = std::max(known, row->horizon_ms);
    }
    return known;
}

}  // namespace idgen::lease
