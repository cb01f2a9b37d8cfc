// A registry, servers that claim their shards from it, and the wires between them, all driven by one generator. Every
// rule is the core's; what stands here is what a server and a store do with it: keep pages, send calls, lose and repeat
// them. Each server has two databases, which share a number and have a horizon H each. One ID a tick.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "random.hpp"
#include "registry/node/rules/lease.hpp"
#include "registry/node/rules/number_choice.hpp"
#include "registry/node/rules/registry_row.hpp"

namespace idgen::lease {

constexpr std::int64_t numbers = 4, databases = 2, all_ticks = 4096;
constexpr std::size_t most_servers = 5;
constexpr RegistryIdentity the_registry{7, 7};
constexpr std::int64_t h_window = 4, clock_error = 5, longest_ttl = 14;
constexpr LeaseRules longest_rules{8, longest_ttl, 3};
constexpr std::int64_t longest_max_ahead = longest_rules.window_ms + clock_error - 1;
constexpr std::int64_t registry_behind = 40;  // at most, after a restore

// What is on the disk of a server.
struct Page {
    LeaseRecord record;
    std::int64_t horizon[databases];
};

struct Server {
    Page page;
    Page older_page;  // of the same disk
    std::int64_t identity;
    std::int64_t clock_offset;
    bool is_ending;
    // In memory that outlives a crash of the server
    SavedLease saved;
    std::int64_t reached;
    // In memory
    Lease lease;
    LeaseRecord record;
    std::int64_t horizon[databases];  // H as granted since the number was claimed; 0: not used
    std::int64_t floor[databases];
    std::int64_t last[databases];
};

struct Letter {
    std::size_t server;
    LeaseCall call;
    CallAnswer answer;
    bool is_locked = false;  // the call was not executed
};

struct Registry {
    std::optional<RegistryRow> rows[numbers];
    RegistryRow unheld = unheld_row(0);
    std::int64_t max_ahead = longest_max_ahead;  // the owner changes it
    std::int64_t written = 0;                    // when the store was last known to be whole
};

// How often what happens, in a thousand steps of a server; each world has its own.
struct Weather {
    std::int64_t boot, crash, put_back, stop, clock_step, copy, promotion, pause, release, resumption;
};

struct Duplicate {
    std::int64_t database, number, tick;
    std::size_t first, second;
};

// What a walk is about: all that no ID may be made twice by; or the one thing that no rule can help against, a machine
// that is copied with its memory and goes on beside the copy, neither being told, all clocks being right.
enum class Walk : std::uint8_t { usual, copied_memory };

class World {
   public:
    explicit World(std::uint64_t seed, Walk walk = Walk::usual);

    // Goes on until an ID is made twice, at most that many steps.
    void run(int steps);

    const std::optional<Duplicate> &duplicate() const noexcept { return duplicate_; }
    // Whether it lies below an R that the memory held when it was copied, or that both were granted by one call.
    bool is_below_shared() const noexcept { return duplicate_->tick < shared_ms_; }
    std::int64_t ids() const noexcept { return ids_; }
    std::int64_t calls() const noexcept { return calls_; }
    std::int64_t taken() const noexcept { return taken_; }
    std::int64_t lost() const noexcept { return lost_; }

   private:
    // world.cpp: what servers and wires do
    void step();
    void carry();
    void deliver(const Letter &letter);
    bool is_left(Server &server, const LeaseCall &call);
    void begin_to_claim(Server &server);
    std::int64_t choose(const Server &server);
    void work(std::size_t index);
    void begin_at_claimed(Server &server);
    bool issue(std::size_t index, std::int64_t database);
    void end(std::size_t index);
    void send(Server &server, const LeaseCall &call);
    // disasters.cpp: what befalls them
    void strike(std::size_t index);
    void boot(Server &server);
    void restart(Server &server);
    void add(const Page &page, std::int64_t identity);
    void copy_memory(const Server &server);
    void resume_twice(Server &server);
    void leave_machine(Server &server, std::int64_t identity);
    void note_shared(const Letter &letter);
    void promote(const Server &server);
    void restore_registry();
    std::int64_t latest_known() const noexcept;
    void release_some();

    bool happens(std::int64_t in_thousand) noexcept { return random_.between(1, 1000) <= in_thousand; }
    ClockReading clock_of(const Server &server) const noexcept;
    std::size_t index_of(const Server &server) const noexcept;

    sim::Random random_;
    LeaseRules rules_ = longest_rules;  // the lease may be shorter than the clocks are apart
    Weather weather_{};
    Walk walk_;
    std::int64_t now_ = 100;
    Registry registry_;
    std::optional<Registry> kept_;
    std::int64_t registry_offset_ = 0;  // of its clock
    Page old_page_{};
    Server servers_[most_servers];
    std::size_t count_ = 0;
    std::vector<Letter> calls_on_wire_, answers_on_wire_;
    std::vector<std::int8_t> made_by_;
    std::optional<Duplicate> duplicate_;
    std::int64_t shared_ms_ = 0;               // of the copies: below it both may make IDs
    std::vector<std::int64_t> granted_ms_[2];  // what each was ever granted
    std::int64_t ids_ = 0, calls_ = 0, taken_ = 0, lost_ = 0;
};

}  // namespace idgen::lease
