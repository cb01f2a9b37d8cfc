// Explores a small program of two to four threads under the memory model of C++: every order of its steps, and for each
// load every value that the model lets it have.
//
// The program is compiled with -fsanitize=thread, and this stands in the place of ThreadSanitizer's run-time: the
// compiler calls it for each access to memory, so what is explored are the shipped functions as they are. An atomic has
// all values that were ever stored to it, in its modification order; a thread has a view, the earliest value of each
// atomic that it may still read. A load picks any value from there on; acquiring joins the view that was released with
// it. A store goes anywhere behind the thread's view, an update directly behind what it has read. Any two accesses to
// plain memory that are not ordered and of which one is a write are a failure.
//
// A failure counts if the sequentially consistent operations of its execution can stand in one order, by the rules of
// C++20.
//
// Stronger than the standard in one point: no load reads what is stored later in the order of the steps, so load
// buffering is left out. An exchange that may fail by accident does not.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace explorer {

// A program: state that begin() puts in place, threads, and what must hold when all have ended.
struct Program {
    virtual ~Program() = default;
    virtual int threads() const = 0;
    virtual void begin() = 0;
    virtual void run(int thread) = 0;
    virtual bool is_right() = 0;
};

enum class Kind : std::uint8_t { load, store, update, fence, lock };

// What is made weaker: operations of a kind on a place, of all threads or of one, or all fences of a thread.
struct Weakening {
    Kind kind = Kind::load;
    const void *place = nullptr;  // null: nothing is weakened
    int thread = -1;              // of a fence always; else -1: of all
    bool is_left_out = false;     // a lock is not taken, an update is not atomic; else it only orders nothing
};

struct Finding {
    const char *what;  // null: nothing was found
    long executions;
    bool is_complete;  // every execution was looked at, or one that fails
};

Finding explore(Program &program, const Weakening &weaker = {}, const Weakening &also = {});

// A lock of the server: whoever takes it sees all that was done before it was released.
class Lock {
   public:
    void lock() noexcept;
    void unlock() noexcept;

   private:
    [[maybe_unused]] std::uint32_t place_ = 0;  // its address is what counts
};

}  // namespace explorer

// Reports what was explored, in TAP: one test, that something was found, or that nothing was.
void report(const char *program, const char *what, const explorer::Finding &finding, bool is_expected);

// What main() explores.
void explore_litmus();
namespace idgen::explored {
void explore_draws();
void explore_leases();
void explore_settled();
void explore_pairs();
}  // namespace idgen::explored
