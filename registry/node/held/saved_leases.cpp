#include "registry/node/held/saved_leases.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/horizon/horizon.hpp"
#include "pg/host/clock.hpp"
#include "pg/host/system.hpp"
#include "pg/report/words.hpp"
#include "registry/node/held/leases.hpp"

namespace idgen::pg {
namespace {

// A process that is killed while it writes leaves an entry that is not whole, and so nothing.
struct SavedEntry {
    std::atomic<bool> is_whole;
    LeaseFor purpose;
    LeaseKeeper keeper;
    SavedLease lease;
};

// Lies in the object. Written by servers of one version only: the size is part of what is compared.
struct SavedLeases {
    uint64 magic;
    uint64 size;
    uint64 system_identifier;
    BootId boot;
    std::atomic<int64> reached_ms;
    SavedEntry now[max_leases];   // of this server; written by its keeper
    SavedEntry left[max_leases];  // of those before it; written at the start, and by the keeper
};
static_assert(std::is_standard_layout_v<SavedLeases> && std::is_trivially_destructible_v<SavedLeases>,
              "lies in shared memory");

static_assert(sizeof(SavedLease) == 112 && sizeof(SavedEntry) == 144 && offsetof(SavedLeases, now) == 48,
              "what changes here takes another magic number");

constexpr uint64 saved_magic = 0x6C656173657331;

// At one address in all processes, which inherit it; null: there is none.
SavedLeases *saved_leases = nullptr;
char object_name[64];

SavedLeases *map_object(int file) noexcept {
    struct stat found;
    bool is_ours = fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid() &&
                   (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
    if (!is_ours) {
        errno = EACCES;
        return nullptr;
    }
    errno = reserve(file, sizeof(SavedLeases));
    if (errno != 0) return nullptr;
    void *memory = mmap(nullptr, sizeof(SavedLeases), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<SavedLeases *>(memory);
}

SavedLeases *open_object() noexcept {
    struct stat directory;
    if (stat(DataDir, &directory) != 0) return nullptr;
    snprintf(object_name, sizeof(object_name), "/idgen.%llx.%llx", static_cast<unsigned long long>(directory.st_dev),
             static_cast<unsigned long long>(directory.st_ino));
    int file = shm_open(object_name, O_RDWR | O_CREAT, S_IRUSR | S_IWUSR);
    if (file < 0) return nullptr;
    SavedLeases *memory = map_object(file);
    int failure = errno;
    close(file);
    errno = failure;
    return memory;
}

// Forgets what another server wrote: its directory had the same inode before.
void admit(SavedLeases &saved) noexcept {
    BootId boot = read_boot_id();
    uint64 system_identifier = GetSystemIdentifier();
    if (saved.magic == saved_magic && saved.size == sizeof(saved) && is_known(boot) && saved.boot == boot &&
        saved.system_identifier == system_identifier)
        return;
    memset(static_cast<void *>(&saved), 0, sizeof(saved));
    saved.size = sizeof(saved);
    saved.system_identifier = system_identifier;
    saved.boot = boot;
    saved.magic = saved_magic;
}

bool is_left(const SavedEntry &entry) noexcept {
    return entry.is_whole.load(std::memory_order_acquire) && entry.lease.incarnation != 0;
}

void clear(SavedEntry &entry) noexcept {
    entry.is_whole.store(false);
}

void write(SavedEntry &entry, LeaseFor purpose, const LeaseKeeper &keeper, const SavedLease &lease) noexcept {
    entry.is_whole.store(false);
    entry.purpose = purpose;
    entry.keeper = keeper;
    entry.lease = lease;
    entry.is_whole.store(true, std::memory_order_release);
}

void forget_left(int64 number) noexcept {
    for (SavedEntry &entry : saved_leases->left)
        if (entry.lease.number == number) clear(entry);
}

// Sets aside what the keeper before this start wrote. If nothing is free, what was left before goes.
void set_aside(const SavedEntry &entry, uint32 at) noexcept {
    forget_left(entry.lease.number);
    SavedEntry *room = &saved_leases->left[at];
    for (SavedEntry &left : saved_leases->left)
        if (!is_left(left)) room = &left;
    write(*room, entry.purpose, entry.keeper, entry.lease);
}

bool is_of(const SavedEntry &entry, LeaseFor purpose, const NumberRange &numbers, const LeaseKeeper &keeper) noexcept {
    return entry.purpose == purpose && entry.lease.number >= numbers.first && entry.lease.number <= numbers.last &&
           entry.keeper.registry == keeper.registry && entry.keeper.identity == keeper.identity;
}

bool is_empty() noexcept {
    for (uint32 i = 0; i < max_leases; i++)
        if (is_left(saved_leases->now[i]) || is_left(saved_leases->left[i])) return false;
    return true;
}

// After a clean end, which gives all numbers up, nothing is left behind.
void remove_if_empty(int, Datum) {
    if (is_empty()) shm_unlink(object_name);
}

void log_leases_not_saved() {
    ereport(
        LOG, errcode_for_file_access(),
        errmsg("could not create shared memory that outlives a crash of this server: %m"),
        errdetail(
            "After a crash, a shard given by hand waits until its horizon in the registry, at most idgen.lease_window."),
        errhint("The server needs 100 kB in /dev/shm, in a file that no other user owns."));
}

}  // namespace

// Finds or makes the object, and sets aside what the server before this one left.
void open_saved_leases() {
    if (!has_registry()) return;
    if (saved_leases == nullptr) {
        saved_leases = open_object();
        if (saved_leases == nullptr) return log_leases_not_saved();
        admit(*saved_leases);
        on_proc_exit(remove_if_empty, Datum{});
    }
    for (uint32 i = 0; i < max_leases; i++) {
        SavedEntry &entry = saved_leases->now[i];
        if (is_left(entry)) set_aside(entry, i);
        clear(entry);
    }
}

void note_reached(int64 to_ms) noexcept {
    if (saved_leases != nullptr) lift(saved_leases->reached_ms, to_ms);
}

void save_lease(uint32 entry, LeaseFor purpose, const LeaseKeeper &keeper, const Lease &lease) noexcept {
    if (saved_leases == nullptr) return;
    SavedLease now = saved(lease);
    write(saved_leases->now[entry], purpose, keeper, now);
    forget_left(now.number);
}

bool find_left_lease(LeaseFor purpose, const NumberRange &numbers, const LeaseKeeper &keeper,
                     LeftLease &left) noexcept {
    if (saved_leases == nullptr) return false;
    for (const SavedEntry &entry : saved_leases->left) {
        if (!is_left(entry) || !is_of(entry, purpose, numbers, keeper)) continue;
        left = {entry.lease, saved_leases->reached_ms.load()};
        return true;
    }
    return false;
}

}  // namespace idgen::pg
