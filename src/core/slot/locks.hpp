// Locks as the core sees them: a guard for a scope, and what clang's analysis is told, as
// IDGEN_LOCKS(guarded_by(mutex)). g++ passes over that.
#pragma once

#if defined(__clang__)
#define IDGEN_LOCKS(what) __attribute__((what))
#else
#define IDGEN_LOCKS(what)
#endif

namespace idgen {

// A lock held for a scope, in which nothing can raise an error. `Lock` is what the server or a test guards a slot with.

template <class Lock>
class IDGEN_LOCKS(scoped_lockable) Guard {
   public:
    explicit Guard(Lock &lock) noexcept IDGEN_LOCKS(acquire_capability(lock)) : lock_(lock) { lock.lock(); }
    ~Guard() IDGEN_LOCKS(release_capability()) { lock_.unlock(); }
    Guard(const Guard &) = delete;
    Guard &operator=(const Guard &) = delete;

   private:
    Lock &lock_;
};

}  // namespace idgen
