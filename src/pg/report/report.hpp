// Every error that idgen raises and every message to the log: SQLSTATE, message, DETAIL and HINT. The core's
// reasons come in as values; nothing else in src/pg says ereport.
#pragma once

#include "core/cipher/key_ring.hpp"
#include "core/kinds/id_uuid.hpp"
#include "core/layout/layout_text.hpp"
#include "core/layout/packing.hpp"
#include "core/layout/shard_set.hpp"
#include "core/text/digits.hpp"
#include "pg/postgres.hpp"
#include "pg/report/renewal.hpp"
#include "pg/state/shards_remedy.hpp"

namespace idgen::pg {

// A layout that was refused; soft where the caller can catch it so.
void report_layout(const LayoutError &error, std::string_view text, Node *soft_context);

// A binary value that is no layout.
[[noreturn]] void report_binary_layout();

// A list of shards that was refused; for a setting's check hook.
void explain_bad_shards(const ShardsError &error);

// What a text should have been, and its digits.
enum class TextForm { base62, base32, base64url, id64, ulid, ksuid, objectid };

// As messages call it.
const char *form_name(TextForm form);

// A text that is no such value; soft where the caller can catch it so.
void report_text(TextForm form, const TextError &error, std::string_view text, Node *soft_context);
// A text whose check symbol is not that of its digits.
[[noreturn]] void report_check_symbol(std::string_view text, char right);

// Bytes that are too few or too many for a value, or for its tail.
[[noreturn]] void report_bytes(TextForm form, size_t size, size_t wanted);
[[noreturn]] void report_tail(TextForm form, size_t size, size_t wanted);
// An instant that a value cannot hold; first and last in unix ms.
[[noreturn]] void report_stamp(TextForm form, TimestampTz at, int64 first_ms, int64 last_ms);
// The same of the clock.
[[noreturn]] void report_clock_stamp(TextForm form, int64 now_ms, int64 first_ms, int64 last_ms);
// A millisecond in which no ULID is left above the last.
[[noreturn]] void report_no_ulid(int64 unix_ms);
// An instant that no UUID of version 7 can hold.
[[noreturn]] void report_uuid_stamp(TimestampTz at);
// No UUID of version 7 is left above the last.
[[noreturn]] void report_no_uuid();

// What a NanoID cannot be made of. `position` is the character of the alphabet that stands there again.
[[noreturn]] void report_nanoid_size(int64 size, int64 most);
[[noreturn]] void report_alphabet_size(size_t symbols);
[[noreturn]] void report_repeated_symbol(std::string_view symbol, size_t position);

// A text that is no TypeID, a prefix that none can have, and a type that is no value of one.
[[noreturn]] void report_typeid(const TextError &error, std::string_view text);
[[noreturn]] void report_typeid_prefix(const TextError &error, std::string_view prefix);
[[noreturn]] void report_typeid_type(Oid type);

// The server's source of random bytes failed.
[[noreturn]] void report_no_entropy();

// An ID that no UUID can hold, and a UUID that holds no ID of the layout.
[[noreturn]] void report_id_for_uuid(Reason reason, const Layout &layout, int64 id);
[[noreturn]] void report_uuid(Reason reason, const Layout &layout, const Uuid &uuid, int64 id);

// A list of keys that was refused, and one that would stand in an open catalog; for a setting's check hook.
void explain_bad_keys(const KeysError &error);
void explain_open_catalog();

// Encrypting and public IDs.
[[noreturn]] void report_cipher_failed();
[[noreturn]] void report_key_size(size_t size);
[[noreturn]] void report_tweak_size(size_t size, size_t most);
[[noreturn]] void report_negative_id(int64 id);
[[noreturn]] void report_no_keys(bool is_defined);
[[noreturn]] void report_unknown_key(int32 number);
[[noreturn]] void report_public_id(const TextError &error, std::string_view text);

// A value that is no vector clock, and a counter that is none or cannot rise.
enum class CounterProblem { no_number, not_whole, negative, too_large, at_end };
[[noreturn]] void report_no_vclock(Jsonb *value);
[[noreturn]] void report_counter(std::string_view node, CounterProblem problem);

// A part of an ID that the layout cannot hold. `value` is the part as it was given.
[[noreturn]] void report_part(Reason reason, const Layout &layout, int64 value);
// An instant that the layout cannot hold.
[[noreturn]] void report_instant(Reason reason, const Layout &layout, TimestampTz at);
[[noreturn]] void report_infinite_instant(const char *hint);
[[noreturn]] void report_wrapping_bounds(const Layout &layout);

// A step, a period or a number of partitions that id_partition_bounds refuses.
[[noreturn]] void report_step(Reason reason, const Interval *step);
[[noreturn]] void report_reversed_period(TimestampTz from, TimestampTz to);
[[noreturn]] void report_too_many_partitions(int64 count, int64 most);
// An ID seen elsewhere that the layout cannot have made, or that lies too far ahead of the clock.
[[noreturn]] void report_seen_id(const Layout &layout, int64 id);
[[noreturn]] void report_seen_ahead(const Layout &layout, int64 id, int64 lead_ms);

// Timestamps of the hybrid logical clock; times are unix ms.
[[noreturn]] void report_no_hlc(int64 hlc);
[[noreturn]] void report_remote_ahead(int64 remote_ms, int64 now_ms);
[[noreturn]] void report_hlc_behind(int64 now_ms, int64 hlc_ms, int64 waited_ms);
[[noreturn]] void report_hlc_time(int64 unix_ms);
[[noreturn]] void report_hlc_logical(int64 logical);

// What keeps an instant from being past for certain.
[[noreturn]] void report_no_clock_bounds();
[[noreturn]] void report_not_past(TimestampTz at, int64 left_ms, int64 waited_ms);
[[noreturn]] void report_never_past();

[[noreturn]] void report_null(const char *argument, bool has_default);
// An array argument that holds a null, or whose values do not ascend.
[[noreturn]] void report_null_element(const char *argument);
[[noreturn]] void report_not_ascending(const char *argument);
[[noreturn]] void report_negative_count(int64 count);
[[noreturn]] void report_array_too_large(int64 count, int64 most);

[[noreturn]] void report_not_loaded();
// A warning: a setting that is there, though the server did not load the library when it started.
void tell_needs_preload(const char *setting);
[[noreturn]] void report_recovery();
[[noreturn]] void report_no_shards(ShardsRemedy remedy);
[[noreturn]] void report_foreign_shard(int64 shard);
// A shard of idgen.shards that the layout cannot hold, or not beside a region.
[[noreturn]] void report_pool_shard(const Layout &layout, uint32 shard);
// A notice: a layout without a shard, on a node that has shards.
void tell_one_node(const Layout &layout);
[[noreturn]] void report_share_used(int slots);
// Of so many slots, those for others than the node's own shards in presets.
[[noreturn]] void report_others_used(int slots, bool in_database);
[[noreturn]] void report_all_slots_used();

// What stopped a draw. Times are unix ms.
struct Stopped {
    const Layout *layout;
    uint32 shard;
    int64 now_ms;
    int64 tick_start_ms;  // of the tick that was refused
    int64 waited_ms;
};
[[noreturn]] void report_full(const Stopped &stopped);
[[noreturn]] void report_clock_behind(const Stopped &stopped);

// What keeps the durable horizon from being renewed, or a generator from being taken: what no waiting helps
// against, and what was waited for too long.
[[noreturn]] void report_refused(const Outcome &outcome, Record kind);
[[noreturn]] void report_not_renewed(Renewal renewal, Record kind);
[[noreturn]] void report_bad_horizon(TimestampTz at);
[[noreturn]] void report_superuser(const char *function, const char *why);
// CREATE EXTENSION under a clock that is behind the server's last checkpoint.
[[noreturn]] void report_checkpoint_ahead(int64 checkpoint_ms, int64 now_ms);
// The server's main process is gone; ends the session.
[[noreturn]] void report_postmaster_dead();

// For the log alone, and not for every time: ask may_log first.
void log_clock_step(int64 step_ms);
void log_shard_full(const Layout &layout, uint32 shard, int64 full_ms);
void log_horizon_behind(int64 horizon_ms, int64 behind_ms);
// A copy of another server's database that keeps its shards; a standby that was promoted.
void log_copy(int64 origin);
void log_promoted();
// A kind that rises goes on at a clock so far behind the last value.
void log_order_anew(const char *kind, int64 now_ms, int64 behind_ms);

[[noreturn]] void report_clock_jumped(int64 jump_ms);
[[noreturn]] void report_clock_not_synchronised();
void warn_clock_not_synchronised();

}  // namespace idgen::pg
