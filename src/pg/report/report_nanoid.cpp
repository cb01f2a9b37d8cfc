#include "pg/report/report_nanoid.hpp"

#include "core/kinds/nanoid.hpp"
#include "pg/report/message_text.hpp"

namespace idgen::pg {

void report_nanoid_size(int64 size, int64 most, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%lld is no size of a NanoID", static_cast<long long>(size)),
         errdetail("A NanoID has 1 to %lld characters.", static_cast<long long>(most)),
         errhint("Leave the size out for 21 characters.")));
}

void report_alphabet_size(size_t symbols, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("an alphabet of %zu characters makes no NanoID", symbols),
         errdetail("An alphabet has 1 to %zu characters.", nanoid_most_symbols),
         errhint("Leave the alphabet out for the 64 characters A-Z, a-z, 0-9, \"-\" and \"_\".")));
}

void report_repeated_symbol(std::string_view symbol, size_t position, Location at) {
    ereport_at(
        at, ERROR,
        (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the alphabet has \"%s\" more than once", copy_text(symbol)),
         errdetail("It stands there again as character %zu, and would be picked more often than the "
                   "others.",
                   position + 1),
         errhint("Give each character once.")));
}

}  // namespace idgen::pg
