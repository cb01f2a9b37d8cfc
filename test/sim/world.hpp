// Two servers, their clients, and everything that goes wrong between them; one seed, one run.
#pragma once

#include "session.hpp"
#include "stage.hpp"

namespace idgen::sim {

class World {
   public:
    World(std::uint64_t seed, const Manner &manner);

    // Runs to the end of the scenario or to the first failure.
    void run();

    const Stage &stage() const noexcept { return stage_; }
    std::int64_t events() const noexcept { return events_; }
    std::int64_t disasters() const noexcept { return disasters_; }
    std::int64_t draws() const noexcept { return draws_; }

   private:
    void pass_time();
    void step_session();
    void replicate();
    void recover_quietly();
    void disaster();

    void crash_backend(Node &node);
    void crash_server(Node &node);
    void start(Node &node, Lsn lsn);
    void promote();
    void fence(Node &node);
    void clone(Node &standby);
    void restore();
    bool is_unprotected(const Node &node) const noexcept;
    void meddle(Node &node);
    void advance(Node &node);
    void misbehave(Node &node);
    void stall();

    std::int64_t reach_ms() const noexcept;
    Node *standby() noexcept;
    Node &other(const Node &node) noexcept { return stage_.nodes[1 - node.number]; }
    void disconnect(const Node &node);
    void say(const char *what, const Node &node) const noexcept;

    Stage stage_;
    Session sessions_[max_sessions];
    std::int64_t stalled_until_[max_sessions] = {};  // in events
    std::int64_t events_ = 0;
    std::int64_t disasters_ = 0;
    std::int64_t draws_ = 0;
    int trouble_ = 0;  // events for which disasters are frequent
};

}  // namespace idgen::sim
