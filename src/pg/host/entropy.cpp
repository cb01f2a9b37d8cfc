#include "pg/host/entropy.hpp"

#include "pg/host/clock.hpp"
#include "pg/host/machine.hpp"
#include "pg/host/system.hpp"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace idgen::pg {
namespace {

// A number that another copy of this machine hardly has.
uint64 processor_number() noexcept {
    uint64 number = static_cast<uint64>(monotonic_us()) ^ cycle_count() << 20;
#if defined(__x86_64__)
    unsigned a = 0, b = 0, features = 0, d = 0;
    uint64 random = 0;
    bool has_random = __get_cpuid(1, &a, &b, &features, &d) != 0 && (features & bit_RDRND) != 0;
    if (has_random) __asm__ volatile("rdrand %0" : "=r"(random) : : "cc");
    number ^= random;
#endif
    return number;
}

// Changes every word of the page by a sequence that begins at the number (splitmix64): random bytes stay random.
void mix_in(uint64 number) noexcept {
    for (uint64 &word : random_page.words) {
        number += 0x9E3779B97F4A7C15;
        uint64 mixed = (number ^ number >> 30) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
        word ^= mixed ^ mixed >> 31;
    }
}

void fetch_page() {
    random_page.left = 0;
    random_page.machine = machine();
    if (!read_random(random_page.words, random_page_size))
        ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not get random bytes: %m"),
                errdetail("The kernel gave none."),
                errhint("If a filter of system calls forbids it, allow it to the server."));
    if (watched_machine.told == MachineTold::generation) mix_in(processor_number());
    random_page.left = random_page_size;
}

}  // namespace

RandomPage random_page{};

uint64 fill_random_slowly(void *out, size_t size) {
    Assert(size <= random_page_size);
    fetch_page();
    take_random(out, size);
    return random_page.machine;
}

}  // namespace idgen::pg
