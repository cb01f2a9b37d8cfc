// A call that can rest in the middle and be resumed, on a stack of its own: so a simulated session runs the very
// functions of the core, and others come in wherever the host of such a function lets it rest. One that is never
// resumed is gone, as a backend's stack is after an error; nothing on it needs a destructor.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>

namespace idgen::sim {

class Fiber {
   public:
    using Body = void (*)(void *);

    // The body begins at the next resume().
    void begin(char *stack, std::size_t size, Body body, void *argument) noexcept {
        stack_ = stack;
        size_ = size;
        body_ = body;
        argument_ = argument;
        state_ = State::fresh;
    }

    // Runs until the body rests; true once it has ended.
    bool resume() noexcept {
        Fiber *before = running;
        running = this;
        if (_setjmp(resumer_) == 0) state_ == State::fresh ? enter() : _longjmp(rest_, 1);
        running = before;
        return state_ == State::ended;
    }

    // Called on the fiber's own stack: lets it rest until it is resumed.
    void rest() noexcept {
        if (_setjmp(rest_) == 0) _longjmp(resumer_, 1);
    }

    // Ends it from the inside.
    [[noreturn]] void end() noexcept {
        state_ = State::ended;
        _longjmp(resumer_, 1);
    }

   private:
    enum class State { fresh, begun, ended };

    // Only the first body on a stack needs a new context, which costs two calls of the kernel.
    [[noreturn]] void enter() noexcept {
        state_ = State::begun;
        if (entered_ == stack_) _longjmp(entry_, 1);
        entered_ = stack_;
        ucontext_t context;
        getcontext(&context);
        context.uc_stack.ss_sp = stack_;
        context.uc_stack.ss_size = size_;
        context.uc_link = nullptr;
        makecontext(&context, run, 0);
        setcontext(&context);
        __builtin_unreachable();
    }
    static void run() noexcept {
        static_cast<void>(_setjmp(running->entry_));
        running->body_(running->argument_);
        running->end();
    }

    inline static Fiber *running = nullptr;
    char *stack_ = nullptr;
    std::size_t size_ = 0;
    Body body_ = nullptr;
    void *argument_ = nullptr;
    State state_ = State::ended;
    const char *entered_ = nullptr;
    jmp_buf entry_{}, resumer_{}, rest_{};
};

}  // namespace idgen::sim
