// Tells what happens, where a single seed is replayed.
#pragma once

#include <cstdarg>
#include <cstdio>

#include "scenario.hpp"

namespace idgen::sim {

class Trace {
   public:
    explicit Trace(bool is_on) noexcept : is_on_(is_on) {}

    int world = 0;  // which it tells of

    __attribute__((format(printf, 2, 3))) void say(const char *format, ...) const noexcept {
        if (!is_on_) return;
        std::va_list arguments;
        va_start(arguments, format);
        std::fputs("# ", stdout);
        if (world > 0) std::printf("copy %d ", world);
        std::vprintf(format, arguments);
        std::fputc('\n', stdout);
        va_end(arguments);
    }

   private:
    bool is_on_;
};

inline void describe(const Scenario &s, const Trace &trace) noexcept {
    constexpr const char *replications[] = {"no", "asynchronous", "synchronous"};
    trace.say("times in ms since the start, ticks by their start; IDs as tick shard/sequence + count");
    trace.say("%s replication, %s clocks, overflow %s, window %lld, max_lead %lld, clock_error %lld",
              replications[static_cast<int>(s.replication)], s.has_wild_clocks ? "wild" : "tame",
              s.settings.draw.may_borrow ? "borrow" : "wait", static_cast<long long>(s.settings.rules.window_ms),
              static_cast<long long>(s.settings.rules.max_lead_ms),
              static_cast<long long>(s.settings.rules.clock_error_ms));
    for (int i = 0; i < s.layout_count; i++)
        trace.say("layout %d: unit %lld us, sequences %u to %u, pool of %u, %d slots in all", i,
                  static_cast<long long>(s.packings[i].unit_us), s.packings[i].sequence_first,
                  s.packings[i].sequence_last, s.settings.shard_count, s.slot_count);
}

}  // namespace idgen::sim
