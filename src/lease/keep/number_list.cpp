#include "lease/keep/number_list.hpp"

#include <algorithm>

namespace idgen::lease {

NumberList list_of(const Registration &registration) {
    auto *rows = static_cast<ListedNumber *>(palloc(Max(registration.count, 1) * sizeof(ListedNumber)));
    for (size_t i = 0; i < registration.count; i++) rows[i] = registration.rows[i].listed;
    return {rows, registration.count, registration.floor_ms};
}

NumberList list_with(const Registration &registration, const GrantedHorizons &granted) {
    NumberList list = list_of(registration);
    auto *rows = static_cast<ListedNumber *>(palloc((list.count + most_granted) * sizeof(ListedNumber)));
    ListedNumber *end = std::copy(list.rows, list.rows + list.count, rows);
    for (const GrantedHorizon &row : granted.rows) {
        ListedNumber known = listed_number(list, row.number);
        if (row.horizon_ms <= known.horizon_ms) continue;
        known.horizon_ms = row.horizon_ms;
        ListedNumber *there =
            std::find_if(rows, end, [&known](const ListedNumber &other) { return other.number == known.number; });
        *there = known;
        end = std::max(end, there + 1);
    }
    std::sort(rows, end, [](const ListedNumber &a, const ListedNumber &b) { return a.number < b.number; });
    return {rows, static_cast<size_t>(end - rows), list.floor_ms};
}

const char *held_by(const Registration &registration, int64 number) {
    for (size_t i = 0; i < registration.count; i++) {
        const RegisteredNumber &row = registration.rows[i];
        if (row.listed.number != number) continue;
        return psprintf("number %lld is held by \"%s\", system %lld", static_cast<long long>(number), row.name,
                        static_cast<long long>(row.system_identifier));
    }
    return psprintf("number %lld is held by another server", static_cast<long long>(number));
}

}  // namespace idgen::lease
