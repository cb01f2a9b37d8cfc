#include "lease/store/postgres_result.hpp"

namespace idgen::lease {
namespace {

// A list of 65,536 numbers, which is 16 bits of shard, with the longest names takes 27 MB.
constexpr std::size_t largest_result = std::size_t{32} << 20;

bool has_failed(const PGresult *kept) noexcept {
    return kept != nullptr && PQresultStatus(kept) == PGRES_FATAL_ERROR;
}

// False where there is no room. Rows are measured before they are copied.
bool add_row(const PGresult *row, PGresult *&kept) {
    if (PQresultMemorySize(row) + PQresultMemorySize(kept) > largest_result) return false;
    if (kept == nullptr) kept = PQcopyResult(row, PG_COPYRES_ATTRS);
    if (kept == nullptr) return false;
    int number = PQntuples(kept);
    for (int column = 0; column < PQnfields(row); column++) {
        bool is_null = PQgetisnull(row, 0, column) != 0;
        if (PQsetvalue(kept, number, column, is_null ? nullptr : PQgetvalue(row, 0, column),
                       is_null ? -1 : PQgetlength(row, 0, column)) == 0)
            return false;
    }
    return true;
}

// libpq gives the result of a copy again and again.
bool is_copy(ExecStatusType status) noexcept {
    return status == PGRES_COPY_OUT || status == PGRES_COPY_IN || status == PGRES_COPY_BOTH;
}

}  // namespace

bool gather(PGresult *result, PGresult *&kept) {
    ExecStatusType status = PQresultStatus(result);
    bool is_row = status == PGRES_SINGLE_TUPLE;
    bool is_end_of_rows = status == PGRES_TUPLES_OK && kept != nullptr;
    if (!is_row && !is_end_of_rows && !has_failed(kept)) {
        PQclear(kept);
        kept = result;
        return !is_copy(status);
    }
    bool is_good = !is_copy(status) && (!is_row || has_failed(kept) || add_row(result, kept));
    PQclear(result);
    return is_good;
}

int64 number_in(const PGresult *rows, int row, int column) {
    return strtoll(PQgetvalue(rows, row, column), nullptr, 10);
}

bool flag_in(const PGresult *rows, int row, int column) {
    return PQgetvalue(rows, row, column)[0] == 't';
}

bool are_there(const PGresult *rows, int first_column, int last_column) {
    for (int row = 0; row < PQntuples(rows); row++)
        for (int column = first_column; column <= last_column; column++)
            if (PQgetisnull(rows, row, column) != 0) return false;
    return true;
}

}  // namespace idgen::lease
