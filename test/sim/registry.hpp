// The registry, a store of rows, and the wires to it. A call may be lost, or executed late, twice and after one that
// was sent later; so may its answer be.
#pragma once

#include <optional>

#include "clock.hpp"
#include "leases.hpp"
#include "registry/node/rules/number_choice.hpp"
#include "registry/node/rules/registry_row.hpp"

namespace idgen::sim {

// A call of a server for one of its numbers, and what came back. If machines are copied meanwhile, it is of all copies.
struct Letter {
    int node;
    int lease;
    LeaseCall call;
    CallAnswer answer;
    unsigned worlds;  // a bit of each in which it is on its way
};

// Letters on their way, at most so many: what is too much is lost.
class Wire {
   public:
    void clear() noexcept { count_ = 0; }
    void add(const Letter &letter) noexcept {
        if (count_ < most) letters_[count_++] = letter;
    }
    // What is on its way in a world is so in its copy.
    void copy(int world, int copy) noexcept {
        for (int i = 0; i < count_; i++) letters_[i].worlds |= (letters_[i].worlds >> world & 1u) << copy;
    }
    // One of the letters of those worlds, which mostly is taken out of them; none: there is none.
    std::optional<Letter> pick(Random &random, unsigned worlds) noexcept;

   private:
    static constexpr int most = 2000;
    int count_ = 0;
    Letter letters_[most];
};

class Registry {
   public:
    void begin() noexcept;
    void send(const Letter &letter) noexcept { calls_.add(letter); }
    void copy_wires(int world, int copy) noexcept {
        calls_.copy(world, copy);
        answers_.copy(world, copy);
    }

    // Executes some call, of any world. True if R of its number no longer lies above all that was made with it.
    bool execute_some(Random &random, std::int64_t lost_one_in, std::int64_t true_ms, const RegistryTerms &terms);

    // Some answer in a world; none if it is lost.
    std::optional<Letter> answer(Random &random, std::int64_t lost_one_in, int world) noexcept;

    NumberList list(ListedNumber (&rows)[max_numbers], std::int64_t true_ms) const noexcept;

    void release(std::int64_t number) noexcept {
        if (rows_.of[number]) idgen::release(*rows_.of[number]);
    }
    void keep() noexcept { kept_ = rows_; }
    // Puts the store back to what was kept, limit included, or makes it again, and advances it: by what was ever
    // allowed, as far as its clock was always right, else above all that it ever granted, as its owner says.
    void put_back(bool is_new, std::int64_t true_ms, std::int64_t longest_ahead_ms) noexcept;

    // How far ahead of its clock a horizon may be extended.
    void limit(std::int64_t max_ahead_ms) noexcept { rows_.max_ahead_ms = max_ahead_ms; }
    std::int64_t max_ahead_ms() const noexcept { return rows_.max_ahead_ms; }
    void misbehave(Random &random, std::int64_t true_ms, std::int64_t by_ms) {
        was_clock_wrong_ = true;
        clock.misbehave(random, true_ms, by_ms);
    }

    // An ID was made with a number, in a tick that starts then.
    void note_made(std::int64_t number, std::int64_t start_ms) noexcept {
        made_ms_[number] = std::max(made_ms_[number], start_ms + 1);
    }
    // The highest R that the number ever had.
    std::int64_t highest_ms(std::int64_t number) const noexcept { return highest_ms_[number]; }

    Clock clock;

   private:
    struct Rows {
        std::optional<RegistryRow> of[max_numbers];
        RegistryRow unheld = unheld_row(0);
        std::int64_t max_ahead_ms = 0;
    };

    Rows rows_;
    Rows kept_;
    bool was_clock_wrong_ = false;
    Wire calls_, answers_;
    std::int64_t made_ms_[max_numbers] = {};
    std::int64_t highest_ms_[max_numbers] = {};
};

}  // namespace idgen::sim
