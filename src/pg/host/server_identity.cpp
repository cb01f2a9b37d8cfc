#include "pg/host/server_identity.hpp"

#include "core/durable/durable_record.hpp"
#include "core/durable/ownership.hpp"

namespace idgen::pg {
namespace {

// Its beginning says where and when the backup was begun. It stays as long as the server runs.
struct BackupLabel {
    char text[1024];
    size_t size;
    bool is_read;
};

// The label of the backup, as the server keeps it once it is recovered; empty if there is none.
std::string_view backup_label() {
    static BackupLabel label{};
    FILE *file = label.is_read ? nullptr : AllocateFile(BACKUP_LABEL_OLD, PG_BINARY_R);
    if (file != nullptr) {
        label.size = fread(label.text, 1, sizeof(label.text), file);
        FreeFile(file);
    }
    label.is_read = true;
    return {label.text, label.size};
}

}  // namespace

int64 server_identity() {
    int64 identity = identity_of(GetWALInsertionTimeLine(), GetSystemIdentifier());
    std::string_view label = backup_label();
    if (label.empty()) return identity;
    auto of_backup = static_cast<int64>(fingerprint(label, static_cast<uint64>(identity)));
    return of_backup == 0 ? identity : of_backup;
}

}  // namespace idgen::pg
