// The face of 64-bit IDs in the layout in use: parts, periods, and UUIDs that hold one. Instants as in exchange.hpp.
#include "core/layout/packing.hpp"
#include "core/layout/uuid.hpp"
#include "wasm/exchange/exchange.hpp"

namespace idgen::wasm {

namespace {

// A whole number that a double holds, as a number of the core.
std::int64_t whole(double number) noexcept {
    return static_cast<std::int64_t>(number);
}

// An instant as the core has it.
std::int64_t instant(double unix_ms, std::uint32_t us) noexcept {
    return us_of(whole(unix_ms)) + us;
}

}  // namespace

extern "C" {

// Answers time, shard, region and sequence. False if the layout cannot have made the number.
bool idgen_unpack(std::int64_t id) noexcept {
    Parts parts{};
    if (!unpack(packing_in_use, id, parts)) return false;
    answer_instant(start_of(packing_in_use, parts.tick));
    answer.shard = parts.shard;
    answer.region = parts.shard >> layout_in_use.shard_bits;
    answer.sequence = parts.sequence;
    return true;
}

// Answers the time of an ID in the turn that brings it nearest to an instant. False as above.
bool idgen_time_near(std::int64_t id, double near_ms, std::uint32_t near_us) noexcept {
    Parts parts{};
    if (!unpack(packing_in_use, id, parts)) return false;
    answer_instant(start_nearest(packing_in_use, parts.tick, instant(near_ms, near_us)));
    return true;
}

// The TickReason of an instant; answers until before which instant the layout holds them.
std::int32_t idgen_check_instant(double unix_ms, std::uint32_t us) noexcept {
    answer_instant(start_of(packing_in_use, packing_in_use.tick_end));
    return static_cast<std::int32_t>(check_tick(packing_in_use, tick_of(packing_in_use, instant(unix_ms, us))));
}

// Answers the ID with these parts; returns the PartReason. Requires an instant that idgen_check_instant admits.
std::int32_t idgen_make(double unix_ms, std::uint32_t us, double shard, double sequence) noexcept {
    std::int64_t tick = tick_of(packing_in_use, instant(unix_ms, us));
    PartReason reason = check_parts(packing_in_use, tick, whole(shard), whole(sequence));
    if (reason == PartReason::none)
        answer.id = pack(packing_in_use, tick, static_cast<std::uint32_t>(shard), static_cast<std::uint32_t>(sequence));
    return static_cast<std::int32_t>(reason);
}

// Answers the first and the last number of a period: first above last if it has none. False if time wraps.
bool idgen_span(double from_ms, std::uint32_t from_us, double end_ms, std::uint32_t end_us) noexcept {
    if (packing_in_use.wraps) return false;
    IdSpan span = span_between(packing_in_use, instant(from_ms, from_us), instant(end_ms, end_us));
    answer.id = span.first;
    answer.last = span.last;
    return true;
}

// Answers the UUID of an ID; returns the IdReason.
std::int32_t idgen_uuid_from_id(std::int64_t id) noexcept {
    Uuid uuid{};
    IdReason reason = uuid_from_id(packing_in_use, id, uuid);
    std::memcpy(answer.bytes, uuid.octets, sizeof(uuid.octets));
    return static_cast<std::int32_t>(reason);
}

// Answers the ID in the UUID of the answer; returns the UuidReason.
std::int32_t idgen_id_from_uuid() noexcept {
    Uuid uuid{};
    std::memcpy(uuid.octets, answer.bytes, sizeof(uuid.octets));
    return static_cast<std::int32_t>(id_from_uuid(packing_in_use, uuid, answer.id));
}

}  // extern "C"

}  // namespace idgen::wasm
