#include "pg/host/entropy.hpp"

#include "pg/report/words.hpp"

namespace idgen::pg {
namespace {

constexpr size_t page_size = 4096;

// First filled in a backend or a worker, never in the process that forks them.
struct Page {
    uint8 bytes[page_size];
    size_t left;  // unused bytes, at the end
};
Page page{};

void fetch_page() {
    page.left = 0;
    if (!pg_strong_random(page.bytes, page_size))
        ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not get random bytes"),
                errdetail("The server's strong source of random bytes failed."),
                errhint("Look at the entropy source of the operating system, and at OpenSSL's."));
    page.left = page_size;
}

}  // namespace

void fill_random(void *out, size_t size) {
    auto *to = static_cast<uint8 *>(out);
    while (size > 0) {
        if (unlikely(page.left == 0)) fetch_page();
        size_t taken = Min(size, page.left);
        uint8 *from = page.bytes + page_size - page.left;
        memcpy(to, from, taken);
        // A reader of this process's memory does not learn later what was given out.
        memset(from, 0, taken);
        page.left -= taken;
        to += taken;
        size -= taken;
    }
}

}  // namespace idgen::pg
