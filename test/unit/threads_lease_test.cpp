// Sessions that draw from a number of a registry while the keeper claims, extends and gives it up, with real threads.
#include "registry/node/rules/lease.hpp"

#include <memory>

#include "threads.hpp"

namespace idgen {
namespace {

constexpr std::uint32_t number = 5;
constexpr LeaseRules lease_rules{200, 0, 100};
constexpr RegistryIdentity registry{1, 2};

// The keeper's steps in its order, and the registry's row. What another server makes of the number in between begins at
// R.
struct ThreadKeeper {
    ThreadServer &server;
    Lease lease{};
    std::mutex lock;  // of the lease
    LeaseRecord record = no_number(registry, 77);
    std::int64_t registered_ms = first_ms;  // R
    std::int64_t last_incarnation = 0;
    std::vector<std::int64_t> of_others{};

    explicit ThreadKeeper(ThreadServer &at) : server(at) { begin_life(lease, 99); }
    ThreadKeeper(const ThreadKeeper &) = delete;

    ClockReading clock() const { return {server.clock_ms.load(), 0}; }

    void claim() {
        record = propose(no_number(registry, 77), registry, 77, number, ++last_incarnation);
        answer([this] { return ask_claim(lease, record, clock()); });
        move_number();
    }
    void extend() {
        answer([this] { return ask_extend(lease, clock(), lease_rules); });
    }
    void give_up() {
        {
            std::lock_guard<std::mutex> guard(lock);
            end_issue(lease);
        }
        std::int64_t reached_ms = 0;
        {
            std::shared_lock<std::shared_mutex> guard(server.lock);
            reached_ms = server.directory().reached_ms();
        }
        answer([this, reached_ms] {
            note_drained(lease);
            return ask_stop(lease, reached_ms, clock());
        });
        Packing p = packing_of(thread_layout);
        for (std::int64_t end_ms = registered_ms + 3; registered_ms < end_ms; registered_ms++)
            of_others.push_back(pack(p, tick_of(p, us_of(registered_ms)), number, 0));
        std::lock_guard<std::mutex> guard(lock);
        begin_life(lease, 99);
    }

   private:
    void move_number() {
        std::lock_guard<std::shared_mutex> guard(server.lock);
        server.directory().move_number(number, lease.claimed_ms.load());
    }
    template <class Ask>
    void answer(Ask ask) {
        std::lock_guard<std::mutex> guard(lock);
        LeaseCall call = ask();
        if (call.kind != CallKind::claim) registered_ms = call.to_ms;
        CallAnswer granted{CallOutcome::granted, registered_ms};
        take_in(lease, record, call, granted, clock(), rules_for(lease_rules, LeaseFor::number));
    }
};

TEST(ThreadsOfLeases, DrawFromANumberThatComesAndGoes) {
    constexpr int sessions = 3, times = 20000;
    ThreadServer server;
    ThreadKeeper keeper(server);
    std::unique_ptr<ThreadSession> drawing[sessions];
    for (std::uint32_t i = 0; i < sessions; i++) {
        drawing[i] = std::make_unique<ThreadSession>(server, i, ShardRange{number, number});
        drawing[i]->source.held = &keeper.lease;
    }
    std::atomic<int> drawing_count{sessions};
    std::atomic<std::int64_t> drawn_count{0};
    run_threads(sessions + 1, [&](int self) {
        if (self < sessions) {
            Drawn drawn{};
            for (int i = 0; i < times; i += drawing[self]->draw(2, drawn) ? 1 : 0) {
                drawn_count++;
                server.wait();
                std::this_thread::yield();
            }
            drawing_count--;
            return;
        }
        while (drawing_count.load() != 0) {
            keeper.claim();
            for (int i = 0; i < 3; i++) {
                keeper.extend();
                for (std::int64_t until = drawn_count.load() + 20; drawn_count.load() < until;) {
                    if (drawing_count.load() == 0) break;
                    std::this_thread::yield();
                }
            }
            keeper.give_up();
        }
    });
    std::vector<std::int64_t> all = keeper.of_others;
    for (auto &session : drawing) {
        EXPECT_EQ(session->broken, 0);
        all.insert(all.end(), session->ids.begin(), session->ids.end());
    }
    EXPECT_EQ(repeated(all), 0);
    EXPECT_GT(keeper.last_incarnation, 20);
}

}  // namespace
}  // namespace idgen
