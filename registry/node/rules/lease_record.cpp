#include "registry/node/rules/lease_record.hpp"

#include <cstring>

namespace idgen {
namespace {

// The row of a number; the count if there is none.
std::uint32_t row_of(const LeasePage &page, std::int64_t number) noexcept {
    std::uint32_t row = 0;
    while (row < page.count && page.rows[row].number != number) row++;
    return row;
}

}  // namespace

bool operator==(const LeasePage &a, const LeasePage &b) noexcept {
    return a.count == b.count && std::memcmp(&a, &b, size_of(a)) == 0;
}

void adopt(LeasePage &page, std::int64_t identity) noexcept {
    if (page.identity != identity) page.count = 0;
    page.identity = identity;
}

LeaseRecord record_of(const LeasePage &page, std::uint32_t row) noexcept {
    IDGEN_REQUIRE(row < page.count);
    const RememberedNumber &number = page.rows[row];
    return {page.registry, number.number, number.accepted, number.proposed, page.identity};
}

bool remember(LeasePage &page, const LeaseRecord &record) noexcept {
    if (row_of(page, record.number) == most_remembered) return false;
    remove_number(page, record.number);
    page.rows[page.count] = {record.number, record.accepted, record.proposed};
    page.count++;
    return true;
}

void remove_number(LeasePage &page, std::int64_t number) noexcept {
    std::uint32_t row = row_of(page, number);
    if (row == page.count) return;
    page.count--;
    for (; row < page.count; row++) page.rows[row] = page.rows[row + 1];
}

}  // namespace idgen
