#include "lease/store/postgres_list.hpp"

#include "lease/store/answer_range.hpp"
#include "lease/store/foreign_text.hpp"
#include "lease/store/postgres_result.hpp"

namespace idgen::lease {
namespace {

RegisteredNumber number_of(const PGresult *rows, int row) {
    RegisteredNumber number{};
    number.listed = {number_in(rows, row, 1), number_in(rows, row, 2), flag_in(rows, row, 3)};
    std::string_view name(PQgetvalue(rows, row, 4), static_cast<size_t>(PQgetlength(rows, row, 4)));
    copy_foreign_text(name, number.name, sizeof(number.name));
    number.system_identifier = number_in(rows, row, 5);
    number.timeline = static_cast<int32>(number_in(rows, row, 6));
    number.since_ms = number_in(rows, row, 7);
    number.lease_left_ms = number_in(rows, row, 8);
    return number;
}

// Whether a registry can say so. The lease of -1 ms never ends.
bool makes_sense(const RegisteredNumber &number) noexcept {
    return is_number(number.listed.number) && is_instant(number.listed.horizon_ms) && is_instant(number.since_ms) &&
           (number.lease_left_ms == -1 || is_instant(number.lease_left_ms));
}

// Takes rows in; false if one makes no sense.
bool read_numbers(const PGresult *rows, int count, RegisteredNumber *numbers) {
    for (int row = 0; row < count; row++) {
        numbers[row] = number_of(rows, row);
        if (!makes_sense(numbers[row])) return false;
    }
    return true;
}

}  // namespace

const char *const list_sql =
    "SELECT (extract(epoch FROM f.floor) OPERATOR(pg_catalog.*) 1000::pg_catalog.numeric)::pg_catalog.int8, "
    "l.number, (extract(epoch FROM l.horizon) OPERATOR(pg_catalog.*) "
    "1000::pg_catalog.numeric)::pg_catalog.int8, "
    "l.is_free, l.name, l.system_identifier, l.timeline, "
    "(extract(epoch FROM l.since) OPERATOR(pg_catalog.*) 1000::pg_catalog.numeric)::pg_catalog.int8, "
    "CASE WHEN l.is_free THEN 0::pg_catalog.int8 WHEN l.lease_left IS NULL THEN (-1)::pg_catalog.int8 "
    "ELSE (extract(epoch FROM l.lease_left) OPERATOR(pg_catalog.*) "
    "1000::pg_catalog.numeric)::pg_catalog.int8 END "
    "FROM idgen_registry.list_floor() AS f(floor) LEFT JOIN idgen_registry.list($1, $2) AS l ON true ORDER "
    "BY "
    "l.number";

bool read_list(const PGresult *rows, MemoryContext caller, Registration &registration) {
    int count = PQgetisnull(rows, 0, 1) != 0 ? 0 : PQntuples(rows);
    if (!are_there(rows, 0, count == 0 ? 0 : 3)) return false;
    size_t size = Max(count, 1) * sizeof(RegisteredNumber);
    auto *numbers = static_cast<RegisteredNumber *>(MemoryContextAlloc(caller, size));
    registration = {numbers, static_cast<size_t>(count), number_in(rows, 0, 0)};
    return is_instant(registration.floor_ms) && read_numbers(rows, count, numbers);
}

}  // namespace idgen::lease
