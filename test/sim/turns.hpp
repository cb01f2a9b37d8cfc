// Worlds that go on from one instant, as copies of machines do: each is a process, forked from the one that it is a copy
// of, so it has all that was in memory there, down to the stack of each fiber. They share the memory that this lies
// in, and take turns in an order that the seed decides: one runs, the others sleep. A copy may sleep until its origin has
// ended.
#pragma once

#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <ctime>

#include "random.hpp"

namespace idgen::sim {

constexpr int max_worlds = 3;

class Turns {
   public:
    // Once, before anything is forked.
    void initialise() noexcept {
        for (sem_t &turn : turns_) sem_init(&turn, 1, 0);
    }
    // One world is there, number 0.
    void begin(std::uint64_t seed) noexcept {
        random_ = Random(~seed);
        count_ = 1;
        left_ = 0;
        for (int i = 0; i < max_worlds; i++) is_there_[i] = i == 0;
        for (int &origin : waits_for_) origin = -1;
    }

    bool has_room() const noexcept { return count_ < max_worlds; }
    int count() const noexcept { return count_; }
    bool is_alone(int world) const noexcept {
        for (int i = 0; i < count_; i++)
            if (i != world && may_run(i)) return false;
        return true;
    }
    // Whether no other has turns, or will have some.
    bool is_last(int world) const noexcept {
        for (int i = 0; i < count_; i++)
            if (i != world && is_there_[i]) return false;
        return true;
    }
    // Whether a copy sleeps until that world ends.
    bool is_waited_for(int world) const noexcept {
        for (int i = 0; i < count_; i++)
            if (is_there_[i] && waits_for_[i] == world) return true;
        return false;
    }

    // Copies the world that runs, which goes on; gives the number of the copy to both, `is_copy` to it. The copy sleeps
    // until its first turn, which it has once its origin has ended if it is to begin later. Requires room.
    int copy(int world, bool begins_later, bool &is_copy) noexcept {
        int number = count_++;
        is_there_[number] = true;
        waits_for_[number] = begins_later ? world : -1;
        random_for_copy_ = random_.next();
        std::fflush(stdout);
        pid_t parent = getpid(), child = fork();
        if (child < 0) fail("fork");
        is_copy = child == 0;
        if (is_copy) parent_ = parent;
        if (is_copy) await(number);
        return number;
    }
    // For what a copy does other than its origin.
    std::uint64_t random_for_copy() const noexcept { return random_for_copy_; }

    // After an event of a world: it may be another's turn for some events.
    void hand_over(int world) noexcept {
        if (is_alone(world) || --left_ > 0) return;
        left_ = random_.between(1, random_.one_in(20) ? 400 : random_.one_in(3) ? 40 : 4);
        int next = any_world();
        if (next == world) return;
        std::fflush(stdout);
        sem_post(&turns_[next]);
        await(world);
    }
    // A world ends: the others go on. Returns when its copies have ended, too.
    void leave(int world) noexcept {
        is_there_[world] = false;
        for (int &origin : waits_for_)
            if (origin == world) origin = -1;
        std::fflush(stdout);
        if (!is_alone(world)) sem_post(&turns_[any_world()]);
        for (int status; waitpid(-1, &status, 0) > 0;) judge_end(status);
    }

   private:
    bool may_run(int world) const noexcept { return is_there_[world] && waits_for_[world] < 0; }
    int any_world() noexcept {
        for (;;) {
            auto world = static_cast<int>(random_.between(0, count_ - 1));
            if (may_run(world)) return world;
        }
    }
    // Looks now and then whether the others are still alive.
    void await(int world) noexcept {
        timespec until;
        do {
            look_at_others();
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_sec += 2;
        } while (sem_timedwait(&turns_[world], &until) != 0);
    }
    static void look_at_others() noexcept {
        int status;
        while (waitpid(-1, &status, WNOHANG) > 0) judge_end(status);
        if (parent_ != 0 && getppid() != parent_) _exit(1);
    }
    static void judge_end(int status) noexcept {
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail("a copy of the world broke down");
    }
    [[noreturn]] static void fail(const char *what) noexcept {
        std::fprintf(stderr, "sim: %s\n", what);
        _exit(1);
    }

    inline static pid_t parent_ = 0;
    sem_t turns_[max_worlds];
    Random random_{0};
    std::uint64_t random_for_copy_ = 0;
    int count_ = 1;
    std::int64_t left_ = 0;  // events of this turn
    bool is_there_[max_worlds] = {};
    int waits_for_[max_worlds] = {};  // the world that is to end first; -1: none
};

}  // namespace idgen::sim
