// What a statement gives, gathered from the results that libpq hands over row by row: it would itself take
// rows in without end.
#pragma once

#include <libpq-fe.h>

namespace idgen::lease {

// Takes a result over, and keeps the first error, or else the rows: an error can come after the rows, with
// the COMMIT. False where it makes no sense: a copy, or more rows than any registry has.
bool gather(PGresult *result, PGresult *&kept);

}  // namespace idgen::lease
