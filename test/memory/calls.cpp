// What the compiler calls in the place of ThreadSanitizer's library.
#include <cstring>

#include "state.hpp"

namespace explorer {

namespace {

// The last value of the order also stands in memory, for what looks at it when all threads have ended.
template <class T>
void show(int number, T *memory) {
    const Place &place = places[static_cast<std::size_t>(number)];
    auto bits = static_cast<T>(place.values[static_cast<std::size_t>(place.order.back())].bits);
    std::memcpy(memory, &bits, sizeof(bits));
}

template <class T>
T load(const volatile T *address, int order) {
    auto *memory = const_cast<T *>(address);
    if (current < 0) return *memory;
    Inside inside;
    if (is_weak(Kind::load, memory)) order = relaxed;
    int number = place_of(memory, static_cast<std::uint64_t>(*memory));
    await_turn({number, false, false});
    begin_step(number, order);
    auto value = static_cast<T>(take_in(number, pick(number, false), order));
    end_step();
    return value;
}

template <class T>
void store(volatile T *address, T value, int order) {
    auto *memory = const_cast<T *>(address);
    if (current < 0) {
        *memory = value;
        return;
    }
    Inside inside;
    if (is_weak(Kind::store, memory)) order = relaxed;
    int number = place_of(memory, static_cast<std::uint64_t>(*memory));
    await_turn({number, true, false});
    begin_step(number, order);
    put(number, static_cast<std::uint64_t>(value), pick(number, true), order, false);
    show(number, memory);
    end_step();
}

// Updates by change(before); with `expected` only if that is what it reads, else it reads another value.
template <class T, class Change>
T update(volatile T *address, int order, int order_of_failure, const T *expected, Change change) {
    auto *memory = const_cast<T *>(address);
    T before = *memory;
    if (current < 0) {
        if (expected == nullptr || before == *expected) *memory = change(before);
        return before;
    }
    Inside inside;
    if (is_weak(Kind::update, memory)) order = order_of_failure = relaxed;
    bool is_atomic = !is_left_out(Kind::update, memory);
    int number = place_of(memory, static_cast<std::uint64_t>(before));
    await_turn({number, true, false});
    begin_step(number, order);
    std::uint64_t wanted = expected == nullptr ? 0 : static_cast<std::uint64_t>(*expected);
    std::int16_t id = pick(number, is_atomic, expected == nullptr ? nullptr : &wanted);
    Value &read = places[static_cast<std::size_t>(number)].values[static_cast<std::size_t>(id)];
    bool succeeds = expected == nullptr || read.bits == wanted;
    before = static_cast<T>(take_in(number, id, succeeds ? order : order_of_failure));
    if (succeeds) put(number, static_cast<std::uint64_t>(change(before)), id, order, is_atomic);
    show(number, memory);
    end_step();
    return before;
}

void fence(int order) {
    if (current < 0) return;
    Inside inside;
    if (is_weak(Kind::fence, nullptr)) return;
    await_turn({-1, false, false});
    begin_step(-1, order);
    Thread &self = all[current];
    if (acquires(order)) join(self.now, self.to_acquire);
    if (releases(order)) self.released = self.now;
    end_step();
}

}  // namespace

void Lock::lock() noexcept {
    if (current < 0 || (is_left_out(Kind::lock, this))) return;
    Inside inside;
    int number = place_of(this, 0);
    await_turn({number, true, true});
    begin_step(number, relaxed);
    Place &place = places[static_cast<std::size_t>(number)];
    place.holder = current;
    if (!is_weak(Kind::lock, this)) join(all[current].now, place.values[0].view);
    end_step();
}

void Lock::unlock() noexcept {
    if (current < 0 || (is_left_out(Kind::lock, this))) return;
    Inside inside;
    int number = place_of(this, 0);
    await_turn({number, true, false});
    begin_step(number, relaxed);
    Place &place = places[static_cast<std::size_t>(number)];
    place.holder = -1;
    place.values[0].view = all[current].now;
    end_step();
}

}  // namespace explorer

using namespace explorer;

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_atomic_thread_fence(int order) {
    fence(order);
}
void __tsan_atomic_signal_fence(int) {}
void *__real_memcpy(void *to, const void *from, std::size_t size);
void *__real_memmove(void *to, const void *from, std::size_t size);
void *__wrap_memmove(void *to, const void *from, std::size_t size) {
    touch(from, size, false);
    touch(to, size, true);
    return __real_memmove(to, from, size);
}
void *__real_memset(void *to, int byte, std::size_t size);
void *__wrap_memcpy(void *to, const void *from, std::size_t size) {
    touch(from, size, false);
    touch(to, size, true);
    return __real_memcpy(to, from, size);
}
void *__wrap_memset(void *to, int byte, std::size_t size) {
    touch(to, size, true);
    return __real_memset(to, byte, size);
}
int __real_memcmp(const void *a, const void *b, std::size_t size);
int __wrap_memcmp(const void *a, const void *b, std::size_t size) {
    touch(a, size, false);
    touch(b, size, false);
    return __real_memcmp(a, b, size);
}
int __real_bcmp(const void *a, const void *b, std::size_t size);
int __wrap_bcmp(const void *a, const void *b, std::size_t size) {
    touch(a, size, false);
    touch(b, size, false);
    return __real_bcmp(a, b, size);
}
void __tsan_vptr_read(void **) {}
void __tsan_vptr_update(void **, void *) {}

#define EXPLORER_PLAIN(size)                               \
    void __tsan_read##size(const void *memory) {           \
        touch(memory, size, false);                        \
    }                                                      \
    void __tsan_write##size(void *memory) {                \
        touch(memory, size, true);                         \
    }                                                      \
    void __tsan_unaligned_read##size(const void *memory) { \
        touch(memory, size, false);                        \
    }                                                      \
    void __tsan_unaligned_write##size(void *memory) {      \
        touch(memory, size, true);                         \
    }
EXPLORER_PLAIN(1)
EXPLORER_PLAIN(2)
EXPLORER_PLAIN(4)
EXPLORER_PLAIN(8)
EXPLORER_PLAIN(16)

#define EXPLORER_ATOMIC(bits, T)                                                                               \
    T __tsan_atomic##bits##_load(const volatile T *at, int order) {                                            \
        return load(at, order);                                                                                \
    }                                                                                                          \
    void __tsan_atomic##bits##_store(volatile T *at, T value, int order) {                                     \
        store(at, value, order);                                                                               \
    }                                                                                                          \
    T __tsan_atomic##bits##_exchange(volatile T *at, T value, int order) {                                     \
        return update<T>(at, order, order, nullptr, [value](T) { return value; });                             \
    }                                                                                                          \
    T __tsan_atomic##bits##_fetch_add(volatile T *at, T by, int order) {                                       \
        return update<T>(at, order, order, nullptr, [by](T before) { return T(before + by); });                \
    }                                                                                                          \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T *at, T expected, T value, int order, int failed) { \
        return update<T>(at, order, failed, &expected, [value](T) { return value; });                          \
    }
EXPLORER_ATOMIC(8, std::uint8_t)
EXPLORER_ATOMIC(32, std::uint32_t)
EXPLORER_ATOMIC(64, std::uint64_t)
}
