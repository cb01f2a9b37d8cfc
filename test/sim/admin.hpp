// What somebody moves by hand in a database: idgen.advance(), idgen.reset() and idgen.confirm_shards(). The move is the
// core's own (core/draw/moves.hpp), on a fiber that rests wherever others may come in: before the locks, around the
// flush, while it waits for standbys.
#pragma once

#include "fiber.hpp"
#include "renewal.hpp"

namespace idgen::sim {

class Admin final : public Renewer {
   public:
    enum class Task {
        advance,
        reset,          // to where somebody says that no ID was made
        reset_to_last,  // to where the server says so
        confirm
    };

    Admin() = default;
    Admin(const Admin &) = delete;
    Admin &operator=(const Admin &) = delete;

    void begin(Stage &stage, Node &node, int database, Task task, std::int64_t at_ms) noexcept;
    void disconnect() noexcept { node_ = nullptr; }
    void step() noexcept {
        if (fiber_.resume()) disconnect();
    }

    bool is_in(const Node &node, int database) const noexcept { return node_ == &node && number_ == database; }
    const Node *node() const noexcept { return node_; }
    bool is_resetting() const noexcept { return node_ != nullptr && task_ == Task::reset; }

    void rest() override { fiber_.rest(); }
    void note_locked(bool is_locked) noexcept override { is_locked_ = is_locked; }
    bool is_locked() const noexcept { return is_locked_; }
    [[noreturn]] void cancel() noexcept { fiber_.end(); }

   private:
    static void run(void *admin);
    void move();
    void confirm_launch();

    Stage *stage_ = nullptr;
    Node *node_ = nullptr;
    int number_ = 0;
    Task task_ = Task::advance;
    std::int64_t at_ms_ = 0;
    std::uint64_t machine_ = 0;  // in which it was called
    bool is_locked_ = false;     // it holds the lock of renewals
    Fiber fiber_;
};

}  // namespace idgen::sim
