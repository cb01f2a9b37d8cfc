#include "core/lease/lease_page.hpp"

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
    const RememberedNumber &number = page.rows[row];
    return {page.registry, number.number, number.accepted, number.proposed, page.identity};
}

bool remember(LeasePage &page, const LeaseRecord &record) noexcept {
    std::uint32_t row = row_of(page, record.number);
    if (row == most_remembered) return false;
    if (row == page.count) page.count++;
    page.rows[row] = {record.number, record.accepted, record.proposed};
    return true;
}

void forget(LeasePage &page, std::int64_t number) noexcept {
    std::uint32_t row = row_of(page, number);
    if (row == page.count) return;
    page.count--;
    page.rows[row] = page.rows[page.count];
}

}  // namespace idgen
