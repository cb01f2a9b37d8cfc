#include "pg/host/server_identity.hpp"

#include "pg/host/system.hpp"

namespace idgen::pg {
namespace {

// The label of the backup, as the server keeps it once it is recovered, and as long as it runs; empty if there is none.
std::string_view backup_label() {
    static char text[1024];  // its beginning, which says where and when the backup was begun
    static size_t size = 0;
    static bool is_read = false;
    FILE *file = is_read ? nullptr : AllocateFile(BACKUP_LABEL_OLD, PG_BINARY_R);
    if (file != nullptr) {
        size = fread(text, 1, sizeof(text), file);
        FreeFile(file);
    }
    is_read = true;
    return {text, size};
}

// When the timeline began, by the time of the file that its promotion wrote, unix us; the end of time if there is none,
// as on timeline 1.
int64 timeline_began_us() {
    char path[MAXPGPATH];
    struct stat file;
    TLHistoryFilePath(path, GetWALInsertionTimeLine());
    if (stat(path, &file) != 0) return PG_INT64_MAX;
    return modified_us(file);
}

}  // namespace

int64 server_identity(uint64 generation) {
    Assert(!RecoveryInProgress());
    int64 identity = identity_of(GetWALInsertionTimeLine(), GetSystemIdentifier());
    std::string_view label = backup_label();
    if (!label.empty()) {
        auto of_backup = static_cast<int64>(fingerprint(label, static_cast<uint64>(identity)));
        if (of_backup != 0) identity = of_backup;
    }
    return identity_in(identity, name_of_machine(generation));
}

bool is_successor() {
    constexpr TimeLineID of_initdb = 1;
    return GetWALInsertionTimeLine() != of_initdb || !backup_label().empty();
}

bool is_converted() {
    Assert(!RecoveryInProgress());
    static bool is_known = false, is_younger = false;
    if (!is_known) is_younger = timeline_began_us() < drawn_us(GetSystemIdentifier());
    is_known = true;
    return is_younger;
}

}  // namespace idgen::pg
