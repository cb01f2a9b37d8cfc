// The process that keeps the shards of a server, a step at a time, in the order of the module's keeper:
//
//      propose, flush -> claim -> the answer -> move the slots -> extend, again and again -> end issue ->
//      drain -> stop
//
// What it knows is lost with it; what it has asked for stands in shared memory. If the machine is copied, each copy has
// that, so it leaves all numbers and begins other lives: before it does anything else, or takes in what it is answered.
#pragma once

#include "stage.hpp"

namespace idgen::sim {

class Keeper {
   public:
    // Begins with what the record says.
    void start(const Node &node) noexcept;
    void step(Stage &stage, Node &node);
    // Takes an answer in.
    void hear(Stage &stage, Node &node, const Letter &letter);
    // Ends issue of all numbers; they are stopped by the next steps. Requires may_die.
    void end(Node &node) noexcept;

    // Whether nothing is to be done at once.
    bool may_die() const noexcept;
    bool has_ended(const Node &node) const noexcept;

   private:
    enum class Step { look, flush, ask, move };
    struct Task {
        LeaseRecord record;
        Step step;
        Lsn proposal;
    };

    bool follow_machine(Stage &stage, Node &node);
    void look(Stage &stage, Node &node, int number);
    void propose_some(Stage &stage, Node &node, int number, Errand errand);
    void begin_life_of(Stage &stage, Node &node, int number);
    void send(Stage &stage, Node &node, int number, const LeaseCall &call);
    void extend(Stage &stage, Node &node, int number);
    void stop(Stage &stage, Node &node, int number);
    void write(Node &node, int number) { node.disk.write_number(number, tasks_[number].record); }

    Task tasks_[max_leases] = {};
    bool is_ending_ = false;
};

}  // namespace idgen::sim
