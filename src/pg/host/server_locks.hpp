// An LWLock of the server, for core/slot/locks.hpp: in a guard's scope stands nothing that can raise an error, because
// that would jump past the guard's end. If something can, lock and unlock are called by name, and the end of the
// transaction unlocks.
//
// It is never shared. Sessions that share an LWLock pass one that wants it exclusive, so a few of them in a loop keep
// that one out for as long as they like. Readers hold it exclusive for a few steps, or do without.
#pragma once

#include "core/slot/locks.hpp"
#include "pg/host/clock.hpp"

namespace idgen::pg {

// In shared memory: trivial.
class IDGEN_LOCKS(capability("LWLock")) LightLock {
   public:
    void initialise(int tranche) noexcept { LWLockInitialize(&lock_, tranche); }
    void lock() noexcept IDGEN_LOCKS(acquire_capability()) { LWLockAcquire(&lock_, LW_EXCLUSIVE); }
    bool try_lock() noexcept IDGEN_LOCKS(try_acquire_capability(true)) {
        return LWLockConditionalAcquire(&lock_, LW_EXCLUSIVE);
    }
    void unlock() noexcept IDGEN_LOCKS(release_capability()) { LWLockRelease(&lock_); }
    // The same as lock(), but a canceled session raises instead of waiting on.
    void lock_patiently() IDGEN_LOCKS(acquire_capability()) IDGEN_LOCKS(no_thread_safety_analysis) {
        constexpr int quick_tries = 100;
        constexpr int64 shortest_us = 100;
        constexpr int64 longest_us = 1600;
        int64 pause_us = shortest_us;
        for (int tries = 0; !try_lock(); tries++) {
            if (tries < quick_tries) continue;
            sleep_us(pause_us);
            pause_us = Min(2 * pause_us, longest_us);
        }
    }

   private:
    LWLock lock_;
};
static_assert(sizeof(LightLock) == sizeof(LWLock) && std::is_trivial_v<LightLock>, "lives in shared memory");

// A lock held for a scope by a session that can be canceled while it waits for the lock.
class IDGEN_LOCKS(scoped_lockable) PatientGuard {
   public:
    explicit PatientGuard(LightLock &lock) IDGEN_LOCKS(acquire_capability(lock)) : lock_(lock) {
        lock.lock_patiently();
    }
    ~PatientGuard() IDGEN_LOCKS(release_capability()) { lock_.unlock(); }
    PatientGuard(const PatientGuard &) = delete;
    PatientGuard &operator=(const PatientGuard &) = delete;

   private:
    LightLock &lock_;
};

// A spinlock of the server, for core/slot/locks.hpp: in its scope stands one call that cannot raise an error.

// In shared memory: trivial.
class IDGEN_LOCKS(capability("spinlock")) SpinLock {
   public:
    void initialise() noexcept { SpinLockInit(&mutex_); }
    void lock() noexcept IDGEN_LOCKS(acquire_capability()) { SpinLockAcquire(&mutex_); }
    void unlock() noexcept IDGEN_LOCKS(release_capability()) { SpinLockRelease(&mutex_); }

   private:
    slock_t mutex_;
};
static_assert(sizeof(SpinLock) == sizeof(slock_t) && std::is_trivial_v<SpinLock>, "lives in shared memory");

// Calls run(), which may raise an error that is not to be seen: what it does is not needed yet. Drops the error, but not
// a cancellation or a termination. Not a subtransaction, which no parallel worker can have: a resource owner of its own,
// so that buffers, relations and locks that an error leaves behind end, and LWLocks with them. What is run changes
// nothing in the transaction, and no LWLock is held when it is.
void attempt(void (*run)(void *), void *argument);
template <class Run>
void attempt(Run run) {
    attempt([](void *argument) { (*static_cast<Run *>(argument))(); }, &run);
}

}  // namespace idgen::pg
