// Random bytes from the kernel's strong source, fetched by the page: one at a time they would cost a hundred times as
// much. The page belongs to one process, and every byte is given out once.
//
// The page of a machine that is copied with its memory is in each copy, so a page of the machine before is thrown away
// (machine.hpp). OpenSSL, which the server asks, would give each copy the same next page; the kernel is seeded again in a
// copy, though maybe a moment later than a session asks. So if the host tells of copies, what the processor gives is
// mixed in: its random number, or else its cycle counter.
#pragma once

#include "pg/host/machine.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

// First filled in a backend or a worker, never in the process that forks them.
struct RandomPage {
    uint64 words[512];
    size_t left;     // unused bytes, at the end
    uint64 machine;  // in which it was fetched
};
[[gnu::visibility("hidden")]] extern RandomPage random_page;
constexpr size_t random_page_size = sizeof(RandomPage::words);

// Takes from the page. Requires that it has as many.
inline void take_random(void *out, size_t size) noexcept {
    uint8 *from = reinterpret_cast<uint8 *>(random_page.words) + random_page_size - random_page.left;
    memcpy(out, from, size);
    // A reader of this process's memory does not learn later what was given out.
    memset(from, 0, size);
    random_page.left -= size;
}

uint64 fill_random_slowly(void *out, size_t size);

// Fills in random bytes of one page, at most random_page_size, and gives the machine in which it was fetched: a
// transaction that they are handed to is to be marked with that (pg/state/own_transaction.hpp). Raises if the source
// fails.
inline uint64 fill_random(void *out, size_t size) {
    bool is_there = random_page.left >= size && random_page.machine == machine();
    if (unlikely(!is_there)) return fill_random_slowly(out, size);
    take_random(out, size);
    return random_page.machine;
}

}  // namespace idgen::pg
