// Waits as the kernel has them, for LD_PRELOAD before libfaketime: in its own ones it hands out the true time, and a
// signal's handler would read that. A timeout of the server ends up as far away as the clock is moved.
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

extern "C" int epoll_wait(int epoll, epoll_event *events, int capacity, int timeout_ms) {
    return static_cast<int>(syscall(SYS_epoll_pwait, epoll, events, capacity, timeout_ms, nullptr, 0));
}

extern "C" int select(int count, fd_set *readable, fd_set *writable, fd_set *failed, timeval *timeout) {
    timespec wait{};
    if (timeout != nullptr) wait = {timeout->tv_sec, timeout->tv_usec * 1000};
    return static_cast<int>(
        syscall(SYS_pselect6, count, readable, writable, failed, timeout == nullptr ? nullptr : &wait, nullptr));
}

extern "C" int nanosleep(const timespec *wanted, timespec *left) {
    return static_cast<int>(syscall(SYS_nanosleep, wanted, left));
}
