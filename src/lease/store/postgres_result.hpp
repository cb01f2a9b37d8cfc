// What a statement gives, gathered from the results that libpq hands over row by row: it would itself take
// rows in without end.
#pragma once

#include <libpq-fe.h>

#include "pg/postgres.hpp"

namespace idgen::lease {

// Takes a result over, and keeps the first error, or else the rows: an error can come after the rows, with
// the COMMIT. False where it makes no sense: a copy, or more rows than any registry has.
bool gather(PGresult *result, PGresult *&kept);

// 0 and false for a null.
int64 number_in(const PGresult *rows, int row, int column);
bool flag_in(const PGresult *rows, int row, int column);

// False if there is a null in one of these columns.
bool are_there(const PGresult *rows, int first_column, int last_column);

}  // namespace idgen::lease
