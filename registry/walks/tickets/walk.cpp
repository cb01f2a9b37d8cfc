// walk                  checks all seeds and reports in TAP
// walk SEED             replays one seed
// walk --mutant NAME    looks for a seed in which a number is used twice, or a dropped counter gives one
//
// One name and three servers. Each step one of them draws, fetches, gives back, crashes or ends; or a message is
// executed, late and perhaps twice, or an answer comes or is lost, or says that the counter is locked; or the counter
// is dropped, forgotten, or made again; or the registry is put back to an older state and its owner says where the
// counter continues. One server errs at times: it wants to give back what was never its own.
//
// A number is used twice if it comes twice from counters of the name that no forgetting lies between. A server uses the
// numbers of the counter whose identity it knows.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/require.hpp"
#include "random.hpp"
#include "registry/node/rules/tickets.hpp"

namespace idgen {
namespace {

constexpr std::uint64_t all_seeds = 60000, mutant_seeds = 300000;
constexpr int steps = 1000, servers = 3;
constexpr std::size_t most_letters = 12;

enum class Kind { fetch, give_back };

struct Letter {
    Kind kind;
    int server;
    std::int64_t number;  // which call of all
    CounterFetch fetch;
    std::int64_t first, version;
};

struct Server {
    Tickets tickets{};
    std::int64_t waits_for = 0;  // the number of its call; 0: none
    CounterFetch call{};
    std::int64_t run_start = 0;  // as it believes
    bool has_ended = false;
};

struct Totals {
    std::int64_t numbers = 0, fetches = 0, given_back = 0, put_back = 0, too_long = 0, locked = 0;
    std::int64_t dropped = 0, forgotten = 0, made = 0, not_made = 0, left_out = 0;
};

constexpr CounterAnswer locked{CounterOutcome::locked, 0, 0, 0, 0, 0, 0, 0};

class World {
   public:
    World(std::uint64_t seed, Totals &totals) : random_(seed), totals_(totals) { make(); }

    // The number that was used twice, or given by a dropped counter; -1: none.
    std::int64_t run() {
        for (int i = 0; i < steps && wrong_ < 0; i++) step();
        return wrong_;
    }

   private:
    void step() {
        now_ms_ += random_.between(0, 3000);
        Server &server = servers_[random_.between(0, servers - 1)];
        switch (random_.between(0, 12)) {
            case 0:
                return send_fetch(server);
            case 1:
                return random_.one_in(4) ? end(server) : draw(server);
            case 2:
                if (random_.one_in(10)) server = {};
                return;
            case 3:
                return keep_or_put_back();
            case 4:
            case 5:
            case 6:
            case 7:
                return execute();
            case 8:
                return random_.one_in(4) ? manage() : draw(server);
            default:
                return draw(server);
        }
    }

    std::int64_t version() { return static_cast<std::int64_t>(random_.next() | 1); }

    void use(const Server &server, std::int64_t number) {
        totals_.numbers++;
        std::vector<bool> &used = used_[epochs_[static_cast<std::size_t>(server.tickets.identity)]];
        auto at = static_cast<std::size_t>(number);
        if (used.size() <= at) used.resize(at + 1);
        if (used[at]) wrong_ = number;
        used[at] = true;
    }

    void draw(Server &server) {
        std::int64_t n = random_.one_in(3) ? random_.between(1, 12) : 1, first = 0;
        if (!take(server.tickets, n, first)) return;
        for (std::int64_t i = 0; i < n; i++) use(server, first + i);
    }

    void post(Letter letter) {
        letter.number = ++calls_;
        servers_[letter.server].waits_for = letter.number;
        if (letters_.size() == most_letters) letters_.erase(letters_.begin());
        letters_.push_back(letter);
    }

    int place_of(const Server &server) const { return static_cast<int>(&server - servers_); }

    // A server that waits has lost its answer, and asks again.
    void send_fetch(Server &server) {
        if (server.has_ended) server = {};
        if (!is_low(server.tickets) && !random_.one_in(4)) return;
        std::int64_t wish = random_.one_in(4) ? random_.between(2, random_.one_in(4) ? 80 : 12) : 0;
        server.call = next_fetch(server.tickets, wish, now_ms_);
        post({Kind::fetch, place_of(server), 0, server.call, 0, 0});
    }

    void end(Server &server) {
        if (server.has_ended) return;
        std::int64_t run_start = server.run_start;
        UnusedNumbers unused = give_up(server.tickets);
        server.has_ended = true;
        if (unused.version == 0) return;
        bool errs = place_of(server) == 0 && random_.one_in(4) && run_start > 2;
        std::int64_t first =
            errs ? random_.between(std::max<std::int64_t>(run_start - 5, 1), run_start - 1) : unused.first;
        post({Kind::give_back, place_of(server), 0, {}, first, unused.version});
    }

    void execute() {
        if (letters_.empty()) return;
        auto at = letters_.begin() + random_.between(0, static_cast<std::int64_t>(letters_.size()) - 1);
        Letter letter = *at;
        if (!random_.one_in(4)) letters_.erase(at);
        if (random_.one_in(12)) {
            if (letter.kind == Kind::fetch) answer(letter, locked);
            return;
        }
        if (letter.kind == Kind::give_back)
            totals_.given_back += give_back(row_, letter.first, letter.version, version()) == CounterOutcome::done;
        else
            answer(letter, fetch(row_, letter.fetch, version()));
    }

    void answer(const Letter &letter, const CounterAnswer &answer) {
        Server &server = servers_[letter.server];
        note(answer);
        if (random_.one_in(6) || server.waits_for != letter.number) return;
        server.waits_for = 0;
        if (answer.outcome == CounterOutcome::missing) {
            std::int64_t before = server.tickets.dropped;
            leave_out(server.tickets);
            totals_.left_out += server.tickets.dropped - before;
        }
        if (answer.outcome != CounterOutcome::done) return;
        bool goes_on = answer.first == server.tickets.end && letter.fetch.since != 0;
        if (!goes_on) server.run_start = answer.first;
        take_in(server.tickets, server.call, answer, now_ms_);
    }

    void note(const CounterAnswer &answer) {
        totals_.too_long += answer.outcome == CounterOutcome::too_long;
        totals_.locked += answer.outcome == CounterOutcome::locked;
        if (answer.outcome != CounterOutcome::done) return;
        totals_.fetches++;
        most_given_ = std::max(most_given_, answer.last);
        if (row_.is_dropped) wrong_ = answer.first;
    }

    // What the owner does with the name.
    void manage() {
        if (row_.is_dropped && !random_.one_in(8)) return make();
        if (random_.one_in(4)) {
            totals_.forgotten++;
            row_ = no_counter();
            used_.emplace_back();
        } else if (!row_.is_dropped) {
            totals_.dropped++;
            drop(row_, version());
        }
    }

    // Makes a counter, with a number to begin at or without. Where the registry does not know what the one before gave,
    // the owner does.
    void make() {
        std::int64_t known = row_.awaits_advance ? std::max(most_given_, row_.last) : row_.last - 3;
        std::int64_t first = random_.one_in(2) ? -1 : std::max<std::int64_t>(known + random_.between(1, 6), 0);
        auto identity = static_cast<std::int64_t>(epochs_.size());
        bool is_made = create(row_, {first, INT64_MAX - 1, 8, 64}, identity, version()) == CounterOutcome::done;
        if (is_made) epochs_.push_back(used_.size() - 1);
        totals_.made += is_made;
        totals_.not_made += !is_made;
    }

    void keep_or_put_back() {
        if (random_.one_in(3)) kept_ = row_;
        if (!random_.one_in(12)) return;
        totals_.put_back++;
        row_ = kept_;
        // It does not know either what counters gave that were made since.
        row_.awaits_advance = true;
        // Some calls before the owner has said it.
        for (std::int64_t i = random_.between(0, 3); i > 0; i--) execute();
        std::int64_t known = std::max(most_given_, row_.last);
        if (!row_.is_dropped) advance(row_, known + random_.between(1, 3), version());
        kept_ = random_.one_in(2) ? row_ : kept_;
    }

    sim::Random random_;
    Totals &totals_;
    CounterRow row_ = no_counter();
    CounterRow kept_ = row_;
    Server servers_[servers];
    std::vector<Letter> letters_;
    std::vector<std::vector<bool>> used_{1};  // since the name was last forgotten, and before
    std::vector<std::size_t> epochs_{0};      // of each identity, which of these
    std::int64_t now_ms_ = 0, calls_ = 0, most_given_ = 0, wrong_ = -1;
};

std::uint64_t first_duplicate(std::uint64_t first, std::uint64_t last, Totals &totals) {
    for (std::uint64_t seed = first; seed <= last; seed++) {
        std::int64_t number = World(seed, totals).run();
        if (number < 0) continue;
        std::printf("# seed %" PRIu64 ": number %" PRId64 "\n", seed, number);
        return seed;
    }
    return 0;
}

void print_totals(std::uint64_t seeds, const Totals &totals) {
    std::printf("# %" PRIu64 " seeds, %" PRId64 " numbers, %" PRId64 " fetches, %" PRId64 " given back, %" PRId64
                " times put back, %" PRId64 " too long, %" PRId64 " locked\n",
                seeds, totals.numbers, totals.fetches, totals.given_back, totals.put_back, totals.too_long,
                totals.locked);
    std::printf("# %" PRId64 " counters made, %" PRId64 " not made, %" PRId64 " dropped, %" PRId64
                " forgotten, %" PRId64 " numbers left out\n",
                totals.made, totals.not_made, totals.dropped, totals.forgotten, totals.left_out);
}

int check_all() {
    Totals totals;
    int number = 0, failed = 0;
    for (std::uint64_t first = 1; first <= all_seeds; first += 10000) {
        bool is_good = first_duplicate(first, first + 9999, totals) == 0;
        failed += !is_good;
        std::printf("%sok %d - tickets: seeds %" PRIu64 " to %" PRIu64 "\n", is_good ? "" : "not ", ++number, first,
                    first + 9999);
    }
    bool is_busy = totals.numbers >= 5000000 && totals.given_back >= 30000 && totals.put_back >= 300000 &&
                   totals.dropped >= 300000 && totals.forgotten >= 100000 && totals.made >= 400000 &&
                   totals.not_made >= 150000 && totals.left_out >= 300000;
    failed += !is_busy;
    std::printf("%sok %d - tickets: the runs were busy\n1..%d\n", is_busy ? "" : "not ", number + 1, number + 1);
    print_totals(all_seeds, totals);
    return failed == 0 ? 0 : 1;
}

// Other seeds than the suite's own.
int check_seeds(std::uint64_t first, std::uint64_t last) {
    Totals totals;
    bool is_good = first_duplicate(first, last, totals) == 0;
    std::printf("%sok 1 - tickets: seeds %" PRIu64 " to %" PRIu64 "\n1..1\n", is_good ? "" : "not ", first, last);
    print_totals(last - first + 1, totals);
    return is_good ? 0 : 1;
}

int check_mutant(const char *name) {
    ends_at_broken_contract = false;
    Totals totals;
    std::uint64_t seed = first_duplicate(1, mutant_seeds, totals);
    std::printf("%sok - tickets: mutant %s: the first duplicate at seed %" PRIu64 "\n", seed == 0 ? "not " : "", name,
                seed);
    return seed == 0 ? 1 : 0;
}

}  // namespace
}  // namespace idgen

int main(int count, char **arguments) {
    if (count == 1) return idgen::check_all();
    if (count == 3 && std::strcmp(arguments[1], "--mutant") == 0) return idgen::check_mutant(arguments[2]);
    if (count == 4 && std::strcmp(arguments[1], "--seeds") == 0)
        return idgen::check_seeds(std::strtoull(arguments[2], nullptr, 10), std::strtoull(arguments[3], nullptr, 10));
    idgen::Totals totals;
    std::uint64_t seed = std::strtoull(arguments[1], nullptr, 10);
    return idgen::first_duplicate(seed, seed, totals) == 0 ? 0 : 1;
}
