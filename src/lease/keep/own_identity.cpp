#include "lease/keep/own_identity.hpp"

#include "core/durable/durable_record.hpp"
#include "core/durable/ownership.hpp"

namespace idgen::lease {
namespace {

// The label of that backup, as the server keeps it once it is recovered; empty where there is none. Its
// beginning says where and when the backup was begun.
std::string_view backup_label(char *text, size_t size) {
    FILE *file = AllocateFile(BACKUP_LABEL_OLD, PG_BINARY_R);
    if (file == nullptr) return {};
    size_t read = fread(text, 1, size, file);
    FreeFile(file);
    return {text, read};
}

}  // namespace

int64 own_identity() {
    char text[1024];
    std::string_view label = backup_label(text, sizeof(text));
    int64 identity = identity_of(GetWALInsertionTimeLine(), GetSystemIdentifier());
    if (label.empty()) return identity;
    auto of_backup = static_cast<int64>(fingerprint(label, static_cast<uint64>(identity)));
    return of_backup == 0 ? identity : of_backup;
}

}  // namespace idgen::lease
