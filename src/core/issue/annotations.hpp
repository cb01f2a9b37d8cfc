// What clang's analysis of locks is told; g++ passes over it. Written as IDGEN_LOCKS(guarded_by(mutex)).
#pragma once

#if defined(__clang__)
#define IDGEN_LOCKS(what) __attribute__((what))
#else
#define IDGEN_LOCKS(what)
#endif
