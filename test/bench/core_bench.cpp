// The core alone, without a server: what a take costs, and the parts of which an ID's cost is made.
#include <benchmark/benchmark.h>

#include <atomic>
#include <ctime>
#include <limits>
#include <string_view>

#include "core/issue/slot.hpp"
#include "core/kinds/time_prefixed.hpp"
#include "core/kinds/uuid.hpp"
#include "core/layout/layout.hpp"
#include "core/text/digits.hpp"

namespace idgen {
namespace {

constexpr std::string_view instagram_text = "epoch=2011-08-24T21:07:01.721Z unit=1ms time=41 shard=13 sequence=10";

// So many sequences in a tick that no take ever has to wait.
constexpr std::string_view endless_text = "epoch=2020-01-01T00:00:00Z unit=1ms time=32w sequence=31";

Packing packing_from(std::string_view text) {
    Layout layout{};
    if (parse_layout(text, layout).reason != LayoutReason::none) std::abort();
    return packing_of(layout);
}

std::int64_t wall_ms() noexcept {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

// As a spinlock of the server's: one exchange to take it, one store to give it back.
std::atomic<unsigned char> lock_word;
void lock() noexcept {
    while (lock_word.exchange(1, std::memory_order_acquire) != 0) {
    }
}
void unlock() noexcept {
    lock_word.store(0, std::memory_order_release);
}

// What the server does for one block: the clock, the lock, the take, the first ID.
std::int64_t draw(Slot &slot, const Packing &p, std::uint32_t count) noexcept {
    Limits limits{wall_ms(), 0, std::numeric_limits<std::int64_t>::max(), 0, false};
    std::int64_t base = base_tick(p, limits);
    lock();
    Take taken = take(slot, p, limits, base, 0, before_all, count);
    unlock();
    return pack(p, taken.tick, 0, taken.sequence);
}

void clock_read(benchmark::State &state) {
    for (auto _ : state) benchmark::DoNotOptimize(wall_ms());
}
BENCHMARK(clock_read);

void lock_pair(benchmark::State &state) {
    for (auto _ : state) {
        lock();
        unlock();
    }
}
BENCHMARK(lock_pair);

// The clock is handed in and stands still.
void take_alone(benchmark::State &state) {
    Packing p = packing_from(endless_text);
    Limits limits{wall_ms(), 0, std::numeric_limits<std::int64_t>::max(), 0, false};
    Slot slot = new_slot(p, limits.now_ms);
    for (auto _ : state) {
        benchmark::DoNotOptimize(limits);
        Take taken = take(slot, p, limits, base_tick(p, limits), 0, before_all, 1);
        benchmark::DoNotOptimize(taken);
        if (taken.status != Take::Status::ok) limits.now_ms++;
    }
}
BENCHMARK(take_alone);

void draw_blocks(benchmark::State &state) {
    Packing p = packing_from(endless_text);
    Slot slot = new_slot(p, wall_ms());
    for (auto _ : state) benchmark::DoNotOptimize(draw(slot, p, static_cast<std::uint32_t>(state.range(0))));
}
BENCHMARK(draw_blocks)->Arg(1)->Arg(64);

void pack_id(benchmark::State &state) {
    Packing p = packing_from(instagram_text);
    Parts parts{500000000000, 5, 1};
    for (auto _ : state) {
        benchmark::DoNotOptimize(parts);
        benchmark::DoNotOptimize(pack(p, parts.tick, parts.shard, parts.sequence));
    }
}
BENCHMARK(pack_id);

void unpack_id(benchmark::State &state) {
    Packing p = packing_from(instagram_text);
    std::int64_t id = pack(p, 500000000000, 5, 1);
    Parts parts{};
    for (auto _ : state) {
        benchmark::DoNotOptimize(id);
        benchmark::DoNotOptimize(unpack(p, id, parts));
        benchmark::DoNotOptimize(parts);
    }
}
BENCHMARK(unpack_id);

void parse(benchmark::State &state, std::string_view text) {
    Layout layout{};
    for (auto _ : state) {
        benchmark::DoNotOptimize(text);
        benchmark::DoNotOptimize(parse_layout(text, layout));
        benchmark::DoNotOptimize(layout);
    }
}
BENCHMARK_CAPTURE(parse, preset, "instagram");
BENCHMARK_CAPTURE(parse, long_form, instagram_text);

// A text form writes an ID of 2026, and reads it back.
constexpr std::int64_t an_id = 4036565484265537613;

template <typename Print>
void print_text(benchmark::State &state, Print print) {
    std::int64_t id = an_id;
    char text[base32_size + 1];
    for (auto _ : state) {
        benchmark::DoNotOptimize(id);
        print(id, text);
        benchmark::DoNotOptimize(text);
    }
}
BENCHMARK_CAPTURE(print_text, base62, print_base62);
BENCHMARK_CAPTURE(print_text, base32, print_base32);
BENCHMARK_CAPTURE(print_text, base32_check, [](std::int64_t id, char *text) {
    print_base32(id, text);
    text[base32_size] = base32_check(id);
});
BENCHMARK_CAPTURE(print_text, base64url, print_base64url);

template <typename Parse>
void parse_text(benchmark::State &state, Parse parse, std::string_view text) {
    for (auto _ : state) {
        std::int64_t id;
        benchmark::DoNotOptimize(text);
        benchmark::DoNotOptimize(parse(text, id));
        benchmark::DoNotOptimize(id);
    }
}
TextError parse_plain_base32(std::string_view text, std::int64_t &id) noexcept {
    return parse_base32(text, false, false, id);
}
TextError parse_checked_base32(std::string_view text, std::int64_t &id) noexcept {
    return parse_base32(text, true, false, id);
}
TextError parse_full_base62(std::string_view text, std::int64_t &id) noexcept {
    return parse_base62(text, false, id);
}
TextError parse_full_base64url(std::string_view text, std::int64_t &id) noexcept {
    return parse_base64url(text, false, id);
}
BENCHMARK_CAPTURE(parse_text, base62, parse_full_base62, "4oBVmyxvRfB");
BENCHMARK_CAPTURE(parse_text, base32, parse_plain_base32, "3G162XFD4002D");
BENCHMARK_CAPTURE(parse_text, base32_check, parse_checked_base32, "3G162XFD4002DS");
BENCHMARK_CAPTURE(parse_text, base64url, parse_full_base64url, "DgEwuvaQABN");

void uuid_write(benchmark::State &state) {
    Packing p = packing_from(instagram_text);
    std::int64_t id = an_id;
    Uuid uuid;
    for (auto _ : state) {
        benchmark::DoNotOptimize(id);
        benchmark::DoNotOptimize(uuid_from_id(p, id, uuid));
        benchmark::DoNotOptimize(uuid);
    }
}
BENCHMARK(uuid_write);

void uuid_read(benchmark::State &state) {
    Packing p = packing_from(instagram_text);
    Uuid uuid;
    std::int64_t id;
    if (uuid_from_id(p, an_id, uuid) != IdReason::none) std::abort();
    for (auto _ : state) {
        benchmark::DoNotOptimize(uuid);
        benchmark::DoNotOptimize(id_from_uuid(p, uuid, id));
        benchmark::DoNotOptimize(id);
    }
}
BENCHMARK(uuid_read);

// Sixteen values in turn, so that no branch is learnt by heart.
template <class T>
struct Sixteen {
    Sixteen() {
        for (std::size_t n = 0; n < 16; n++) {
            for (std::size_t i = 0; i < T::size; i++)
                values[n].bytes[i] = static_cast<std::uint8_t>((17 * n + 31 * i + 1) % 128);
            print(values[n], texts[n]);
        }
    }
    T values[16];
    char texts[16][T::text_size];
};

template <class T>
void prefixed_print(benchmark::State &state) {
    Sixteen<T> sixteen;
    char text[T::text_size];
    std::size_t n = 0;
    for (auto _ : state) {
        print(sixteen.values[n++ % 16], text);
        benchmark::DoNotOptimize(text);
    }
}
BENCHMARK_TEMPLATE(prefixed_print, Ulid)->Name("print/ulid");
BENCHMARK_TEMPLATE(prefixed_print, Ksuid)->Name("print/ksuid");
BENCHMARK_TEMPLATE(prefixed_print, ObjectId)->Name("print/objectid");

template <class T>
void prefixed_parse(benchmark::State &state) {
    Sixteen<T> sixteen;
    T value;
    std::size_t n = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(parse({sixteen.texts[n++ % 16], T::text_size}, value));
        benchmark::DoNotOptimize(value);
    }
}
BENCHMARK_TEMPLATE(prefixed_parse, Ulid)->Name("parse/ulid");
BENCHMARK_TEMPLATE(prefixed_parse, Ksuid)->Name("parse/ksuid");
BENCHMARK_TEMPLATE(prefixed_parse, ObjectId)->Name("parse/objectid");

}  // namespace
}  // namespace idgen

BENCHMARK_MAIN();
