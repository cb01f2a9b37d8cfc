// A spinlock of the server, for core/issue/locks.hpp: in its scope stands one call that cannot raise an
// error.
#pragma once

#include "core/issue/locks.hpp"
#include "pg/postgres.hpp"

namespace idgen::pg {

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

}  // namespace idgen::pg
