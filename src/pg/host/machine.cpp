#include "pg/host/machine.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "pg/report/words.hpp"

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

// What the host tells by a file or device; errno says why it tells nothing.
MachineTold map_page(const char *name) noexcept {
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) return errno == ENOENT ? MachineTold::nothing : MachineTold::denied;
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

}  // namespace

const uint64 *machine_word = &untold;
WatchedMachine watched_machine{nullptr, nullptr, MachineTold::nothing};

void take_machine(const WatchedMachine &watched) noexcept {
    watched_machine = watched;
    if (watched.told == MachineTold::generation) machine_word = &watched.page->generation;
}

void watch_machine(const char *value) {
    if (watched_machine.name != nullptr || strcmp(value, "off") == 0) return;
    bool is_auto = strcmp(value, "auto") == 0;
    watched_machine.name = is_auto ? device : value;
    watched_machine.told = map_page(watched_machine.name);
    take_machine(watched_machine);
    if (watched_machine.told == MachineTold::generation || !process_shared_preload_libraries_in_progress) return;
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

}  // namespace idgen::pg
