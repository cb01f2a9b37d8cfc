// A renewal of one of the two records, a step at a time, as a session goes through it. From the lock to the end no
// other renewal of the database runs; all else may happen in between.
//
//      view -> lock -> page -> flush -> note -> standbys
#pragma once

#include <optional>

#include "stage.hpp"

namespace idgen::sim {

class RenewalSteps {
   public:
    // For the tick that starts at `start_ms`; of generators, that is of no matter.
    void begin(Node &node, int database, Record kind, std::int64_t start_ms) noexcept {
        node_ = &node;
        number_ = database;
        kind_ = kind;
        start_ms_ = start_ms;
        step_ = Step::view;
    }

    // Goes on; true at the end, with its outcome.
    bool step(Stage &stage, Database &database);

    const Outcome &outcome() const noexcept { return outcome_; }

   private:
    enum class Step { view, lock, page, flush, note, standbys };

    void take_view(Stage &stage, Database &database);
    bool lock(Database &database);
    template <class Steps>
    bool begin_with(Steps &steps, Database &database);
    template <class Steps>
    bool read_page(Stage &stage, Steps &steps, Database &database);
    void look(Stage &stage, Database &database);
    void note_page(const Stage &stage, Database &database, const PagePairs &pairs, Lsn lsn) noexcept;
    template <class Steps>
    bool ask_standbys(Stage &stage, Steps &steps, Database &database);
    bool end(Database &database, const Outcome &outcome);
    template <class Visit>
    bool visit(Visit step) {
        return kind_ == Record::horizon ? step(*horizon_) : step(*generator_);
    }

    Node *node_ = nullptr;
    int number_ = 0;
    Record kind_ = Record::horizon;
    std::int64_t start_ms_ = 0;
    Step step_ = Step::view;
    ServerView view_{};
    std::optional<HorizonRenewal> horizon_;
    std::optional<GeneratorRenewal> generator_;
    DurableRecord record_{};
    Lsn lsn_ = 0;
    Outcome outcome_{};
};

}  // namespace idgen::sim
