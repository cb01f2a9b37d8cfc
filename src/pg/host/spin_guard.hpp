// A spinlock held for a scope, in which stands one call that cannot raise an error.
#pragma once

#include "pg/postgres.hpp"

namespace idgen::pg {

class SpinGuard {
   public:
    explicit SpinGuard(slock_t &mutex) noexcept : mutex_(mutex) { SpinLockAcquire(&mutex_); }
    ~SpinGuard() { SpinLockRelease(&mutex_); }
    SpinGuard(const SpinGuard &) = delete;
    SpinGuard &operator=(const SpinGuard &) = delete;

   private:
    slock_t &mutex_;
};

}  // namespace idgen::pg
