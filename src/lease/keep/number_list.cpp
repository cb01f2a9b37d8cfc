#include "lease/keep/number_list.hpp"

namespace idgen::lease {

NumberList list_of(const Registration &registration) {
    auto *rows = static_cast<ListedNumber *>(palloc(Max(registration.count, 1) * sizeof(ListedNumber)));
    for (size_t i = 0; i < registration.count; i++) rows[i] = registration.rows[i].listed;
    return {rows, registration.count, registration.floor_ms};
}

const char *held_by(const Registration &registration, int64 number) {
    for (size_t i = 0; i < registration.count; i++) {
        const RegisteredNumber &row = registration.rows[i];
        if (row.listed.number != number) continue;
        return psprintf("number %lld is held by \"%s\", system %lld", static_cast<long long>(number),
                        row.name, static_cast<long long>(row.system_identifier));
    }
    return psprintf("number %lld is held by another server", static_cast<long long>(number));
}

}  // namespace idgen::lease
