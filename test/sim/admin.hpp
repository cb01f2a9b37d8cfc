// What somebody moves by hand in a database, a step at a time: idgen.advance(), idgen.reset() and
// idgen.confirm_shards(). The lock of renewals is held from the page to the end.
//
//      lock -> page -> flush -> finish -> wait for the standbys
#pragma once

#include "stage.hpp"

namespace idgen::sim {

class Admin {
   public:
    enum class Task { advance, reset, confirm };

    void begin(Node &node, int database, Task task, std::int64_t at_ms) noexcept {
        node_ = &node;
        number_ = database;
        task_ = task;
        at_ms_ = at_ms;
        step_ = Step::lock;
    }
    void disconnect() noexcept { node_ = nullptr; }
    void step(Stage &stage);

    bool is_in(const Node &node, int database) const noexcept { return node_ == &node && number_ == database; }
    const Node *node() const noexcept { return node_; }
    bool is_resetting() const noexcept { return node_ != nullptr && task_ == Task::reset; }

   private:
    enum class Step { lock, page, flush, finish, standbys };

    void lock(Stage &stage);
    void forget_answers(const Stage &stage) noexcept;
    void write_page(const Stage &stage);
    void finish(Stage &stage);
    Database *database() const noexcept {
        return node_->directory().find_database(static_cast<std::uint32_t>(number_ + 1));
    }

    Node *node_ = nullptr;
    int number_ = 0;
    Task task_ = Task::advance;
    std::int64_t at_ms_ = 0;
    Step step_ = Step::lock;
    ServerView view_{};
    DurableRecord page_{};
    DurableRecord record_{};
    Lsn lsn_ = 0;
};

}  // namespace idgen::sim
