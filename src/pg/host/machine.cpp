#include "pg/host/machine.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <csignal>

#include "pg/host/clock.hpp"
#include "pg/report/words.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace idgen::pg {
namespace {

constexpr const char *device = "/dev/vmclock0";
const uint64 untold = 0;
// What is read once a file that was mapped has become shorter: no generation.
constexpr uint64 lost = PG_UINT64_MAX;

size_t mapped_size = 0;
struct sigaction before_guard {};  // what a SIGBUS did

// A page of a file that became shorter cannot be read any more, and the process would end. Puts another in its place;
// what a SIGBUS is sent for otherwise does what it did before.
void replace_page(int, siginfo_t *info, void *) {
    const auto *at = static_cast<const char *>(info->si_addr);
    auto *page = const_cast<MachinePage *>(watched_machine.page);
    const auto *begin = reinterpret_cast<const char *>(page);
    bool is_ours = at >= begin && at < begin + mapped_size;
    void *fresh = is_ours
                      ? mmap(page, mapped_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
                      : MAP_FAILED;
    if (fresh == MAP_FAILED)
        sigaction(SIGBUS, &before_guard, nullptr);
    else
        page->generation = lost;
}

// A device does not become shorter.
void guard_file() noexcept {
    struct sigaction action {};
    action.sa_sigaction = replace_page;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &before_guard);
}

// Bytes of the file or device that can be read; 0: none, and errno says why.
size_t readable_size(int file, size_t page_size, bool &is_file) noexcept {
    struct stat found;
    if (fstat(file, &found) != 0) return 0;
    is_file = S_ISREG(found.st_mode);
    errno = EINVAL;
    if (is_file) return Min(static_cast<size_t>(found.st_size), page_size);
    return S_ISCHR(found.st_mode) ? page_size : 0;
}

MachineTold map_open(int file) noexcept {
    auto page_size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    bool is_file = false;
    size_t readable = readable_size(file, page_size, is_file);
    if (readable < offsetof(MachinePage, times)) return MachineTold::no_page;
    void *memory = mmap(nullptr, page_size, PROT_READ, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return MachineTold::denied;
    watched_machine.page = static_cast<const MachinePage *>(memory);
    mapped_size = page_size;
    if (is_file) guard_file();
    return told_by(*watched_machine.page, readable);
}

// The number in a file of /proc; that of Linux if it cannot be read.
uint32 overflow_id(const char *name) {
    uint32 id = 0;
    FILE *file = AllocateFile(name, "r");
    bool is_read = file != nullptr && fscanf(file, "%u", &id) == 1;
    if (file != nullptr) FreeFile(file);
    return is_read ? id : 65534;
}

// Whether all IDs are those of the machine, by the map of the user namespace: a line of the first ID in it, the first
// outside, and how many. In another namespace, one of the host that it lacks looks like its own nobody.
bool has_all_ids(const char *map) {
    FILE *file = AllocateFile(map, "r");
    if (file == nullptr) return true;
    uint32 first = 0, outside = 0, count = 0;
    bool is_read = fscanf(file, "%u %u %u", &first, &outside, &count) == 3;
    FreeFile(file);
    return !is_read || (first == 0 && outside == 0 && count == PG_UINT32_MAX);
}

// Of an open file. What cannot be known counts as the worse.
PageFile page_file(int file) {
    struct stat found {};
    struct statvfs mount {};
    found.st_uid = found.st_gid = PG_UINT32_MAX;
    bool is_read_only = fstat(file, &found) == 0 && fstatvfs(file, &mount) == 0 && (mount.f_flag & ST_RDONLY) != 0;
    PageFile page{found.st_uid, found.st_gid, found.st_mode, true, true, is_read_only};
    if (page.owner == overflow_id("/proc/sys/kernel/overflowuid"))
        page.is_owner_known = has_all_ids("/proc/self/uid_map");
    if (page.group == overflow_id("/proc/sys/kernel/overflowgid"))
        page.is_group_known = has_all_ids("/proc/self/gid_map");
    return page;
}

void require_own_file(int file, const char *name) {
    PageFile page = page_file(file);
    PageWriter stranger = stranger_of(page, geteuid(), getegid());
    if (stranger == PageWriter::none) return;
    bool is_hidden = (stranger == PageWriter::owner && !page.is_owner_known) ||
                     (stranger == PageWriter::group && !page.is_group_known);
    ereport(
        FATAL, errcode(ERRCODE_CONFIG_FILE_ERROR), errmsg("\"%s\" can be changed by other users", name),
        errdetail(
            "idgen.machine_generation names it, and whoever changes it can stop all IDs. It belongs to user %u and group %u, and its mode is %04o; the server runs as user %u and group %u.",
            page.owner, page.group, page.mode & 07777, geteuid(), getegid()),
        is_hidden ? errhint("The user namespace of this server lacks that owner or group: mount the file read-only.")
                  : errhint("Run as root: chown root:%u '%s' && chmod 640 '%s'", getegid(), name, name));
}

// What the host tells by a file or device; errno says why it tells nothing.
MachineTold map_page(const char *name, bool is_named) {
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) return errno == ENOENT ? MachineTold::nothing : MachineTold::denied;
    if (is_named) require_own_file(file, name);
    MachineTold told = map_open(file);
    int failure = errno;
    close(file);
    errno = failure;
    return told;
}

// The device is there, but it does not show copies.
void log_untold() {
    if (watched_machine.told == MachineTold::denied)
        ereport(LOG, errcode_for_file_access(), errmsg("could not read \"%s\": %m", watched_machine.name),
                errdetail("If this machine is resumed twice from a snapshot of its memory, idgen will not notice."),
                errhint("%s", machine_denied_hint));
    else
        ereport(LOG, errmsg("the host of this machine does not count how often it is resumed from a snapshot"),
                errdetail("\"%s\" has no generation counter: idgen will not notice a copy of this machine's memory.",
                          watched_machine.name));
}

void report_unusable() {
    const char *hint = "Name a file of the form of /dev/vmclock0, or set idgen.machine_generation to auto or off.";
    if (watched_machine.told == MachineTold::nothing || watched_machine.told == MachineTold::denied)
        ereport(FATAL, errcode_for_file_access(), errmsg("could not read \"%s\": %m", watched_machine.name),
                errdetail("idgen.machine_generation names it."), errhint("%s", hint));
    ereport(
        FATAL, errcode(ERRCODE_CONFIG_FILE_ERROR),
        errmsg("\"%s\" has no generation of a machine", watched_machine.name),
        errdetail(
            "idgen.machine_generation names it. It is not of the kernel's struct vmclock_abi, or the flag of its generation counter is not set."),
        errhint("%s", hint));
}

// A number that another copy of this machine hardly has.
uint64 processor_number() noexcept {
    uint64 number = static_cast<uint64>(monotonic_us()) ^ cycle_count() << 20;
#if defined(__x86_64__)
    unsigned a = 0, b = 0, features = 0, d = 0;
    uint64 random = 0;
    bool has_random = __get_cpuid(1, &a, &b, &features, &d) != 0 && (features & bit_RDRND) != 0;
    if (has_random) __asm__ volatile("rdrand %0" : "=r"(random) : : "cc");
    number ^= random;
#endif
    return number;
}

// Changes every word of the page by a sequence that begins at the number (splitmix64): random bytes stay random.
void mix_in(uint64 number) noexcept {
    for (uint64 &word : random_page.words) {
        number += 0x9E3779B97F4A7C15;
        uint64 mixed = (number ^ number >> 30) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
        word ^= mixed ^ mixed >> 31;
    }
}

}  // namespace

const uint64 *machine_word = &untold;
WatchedMachine watched_machine{nullptr, nullptr, MachineTold::nothing};

void take_machine(const WatchedMachine &watched) noexcept {
    watched_machine = watched;
    if (is_watched()) machine_word = &watched.page->generation;
}

void watch_machine(const char *value) {
    if (watched_machine.name != nullptr || strcmp(value, "off") == 0) return;
    bool is_auto = strcmp(value, "auto") == 0;
    watched_machine.name = is_auto ? device : value;
    watched_machine.told = map_page(watched_machine.name, !is_auto);
    take_machine(watched_machine);
    if (is_watched() || !process_shared_preload_libraries_in_progress) return;
    if (!is_auto) report_unusable();
    if (watched_machine.told != MachineTold::nothing) log_untold();
}

bool is_page_lost() noexcept {
    return machine() == lost;
}

uint64 machine_disruptions() noexcept {
    bool is_told = watched_machine.told == MachineTold::generation || watched_machine.told == MachineTold::disruptions;
    return is_told ? __atomic_load_n(&watched_machine.page->disruptions, __ATOMIC_ACQUIRE) : 0;
}

RandomPage random_page{};

uint64 fill_random_slowly(void *out, size_t size) {
    Assert(size <= random_page_size);
    random_page.left = 0;
    random_page.machine = machine();
    if (!read_random(random_page.words, random_page_size))
        ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not get random bytes: %m"),
                errdetail("The kernel gave none."),
                errhint("If a filter of system calls forbids it, allow it to the server."));
    if (is_watched()) mix_in(processor_number());
    random_page.left = random_page_size;
    take_random(out, size);
    return random_page.machine;
}

}  // namespace idgen::pg
