// The bytes of ../vectors: IDs that other projects publish, and what outlives a server's process.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/horizon/durable_record.hpp"
#include "core/horizon/machine.hpp"
#include "core/horizon/pair_list.hpp"
#include "core/layout/packing.hpp"
#include "registry/node/rules/lease.hpp"
#include "registry/node/rules/lease_record.hpp"
#include "support.hpp"
#include "vectors.hpp"

namespace idgen {
namespace {

// IDs that other projects publish; see ../vectors/README.md for what each class allows to assert.

std::vector<Row> rows_of_class(const std::string &name) {
    return rows_where("snowflake_family.csv", "class", name);
}

// Takes the ID apart, and checks that its parts make it again and lie within its bounds.
Parts unpacked(const Row &row, const Packing &p) {
    std::int64_t id = number(row.at("id"));
    Parts parts{-1, 0, 0};
    EXPECT_TRUE(unpack(p, id, parts));
    EXPECT_EQ(pack(p, parts.tick, parts.shard, parts.sequence), id);
    EXPECT_LE(lowest_id(p, parts.tick), id);
    EXPECT_GE(highest_id(p, parts.tick), id);
    EXPECT_EQ(tick_of(p, start_of(p, parts.tick)), parts.tick);
    return parts;
}

void expect_published(const Row &row) {
    SCOPED_TRACE(row.at("layout") + ' ' + row.at("id") + ' ' + row.at("source"));
    Packing p = packing_of(row.at("layout"));
    Parts parts = unpacked(row, p);
    std::int64_t delta_us = start_of(p, parts.tick) - us_of(number(row.at("unix_ms")));
    EXPECT_GE(delta_us, 0);
    EXPECT_LE(delta_us, 1000 * number(row.at("tolerance_ms")));
    if (!row.at("shard").empty()) {
        EXPECT_EQ(parts.shard, number(row.at("shard")));
    }
    if (!row.at("sequence").empty()) {
        EXPECT_EQ(parts.sequence, number(row.at("sequence")));
    }
}

void expect_class(const char *name, const char *tolerance_ms) {
    for (const Row &row : rows_of_class(name)) {
        EXPECT_EQ(row.at("tolerance_ms"), tolerance_ms);
        expect_published(row);
    }
}

TEST(Vectors, PublishedExactly) {
    expect_class("published-exact", "0");
}

TEST(Vectors, PublishedToTheSecond) {
    expect_class("published-second", "999");
}

TEST(Vectors, Computed) {
    expect_class("computed", "0");
}

TEST(Vectors, PublishedUncheckedAreConsistent) {
    for (const Row &row : rows_of_class("published-unchecked")) {
        SCOPED_TRACE(row.at("id"));
        unpacked(row, packing_of(row.at("layout")));
    }
}

TEST(Vectors, EveryClassIsKnown) {
    std::size_t known = 0;
    for (const char *name : {"published-exact", "published-second", "computed", "published-unchecked"})
        known += rows_of_class(name).size();
    EXPECT_EQ(known, read_csv("snowflake_family.csv").size());
}

// The distance of two wrapped times the shorter way round, whichever of them is given a turn.
TEST(Vectors, TraceTimesWrap) {
    Packing p = packing_of("trace");
    constexpr std::int64_t turn = 1 << 25;
    for (const Row &row : read_csv("trace_wrap.csv")) {
        std::int64_t a = number(row.at("a")), b = number(row.at("b")), seconds = number(row.at("seconds"));
        SCOPED_TRACE(row.at("a") + ' ' + row.at("b"));
        for (std::int64_t k : {1, 2, 53}) {
            std::int64_t near_a = start_of(p, a + k * turn), near_b = start_of(p, b + k * turn);
            EXPECT_EQ(std::abs(start_nearest(p, b, near_a) - near_a), seconds * 1000000);
            EXPECT_EQ(std::abs(start_nearest(p, a, near_b) - near_b), seconds * 1000000);
        }
    }
}

// What outlives a server's process, as the bytes that 1.0 writes (../vectors/stored.csv). A row says which record, its
// fields, and its bytes up to the last that is not zero.

// Each record gives its fields to a visitor, by name.

template <class Visitor>
void visit(Visitor &field, RandomId &id, const std::string &name) {
    field(name + ".high", id.high);
    field(name + ".low", id.low);
}

template <class Visitor>
void visit(Visitor &field, DurableRecord &record) {
    field("value", record.value);
    field("identity", record.identity);
    field("owner", record.owner);
    field("spare", record.spare);
    field("accepted_clock_ms", record.accepted_clock_ms);
    visit(field, record.boot, "boot");
    field("machine", record.machine);
}

template <class Visitor>
void visit(Visitor &field, RecordPage &page) {
    visit(field, page.record);
    field("count", page.pairs.count);
    for (std::uint32_t i = 0; i < page.pairs.count; i++) {
        field("next_xid." + std::to_string(i), page.pairs.pairs[i].next_xid);
        field("until." + std::to_string(i), page.pairs.pairs[i].until);
    }
}

template <class Visitor>
void visit(Visitor &field, LeasePage &page) {
    visit(field, page.registry, "registry");
    field("identity", page.identity);
    field("count", page.count);
    std::uint32_t is_copied = page.is_copied;
    field("is_copied", is_copied);
    page.is_copied = is_copied & 1;
    for (std::uint32_t i = 0; i < page.count; i++) {
        field("number." + std::to_string(i), page.rows[i].number);
        field("accepted." + std::to_string(i), page.rows[i].accepted);
        field("proposed." + std::to_string(i), page.rows[i].proposed);
    }
}

template <class Visitor>
void visit(Visitor &field, SavedLease &lease) {
    field("number", lease.number);
    field("incarnation", lease.incarnation);
    field("life", lease.life);
    field("claimed_ms", lease.claimed_ms);
    field("horizon_ms", lease.horizon_ms);
    field("granted_boot_ms", lease.granted_boot_ms);
    field("sent_boot_ms", lease.sent_boot_ms);
    field("pending.kind", lease.pending.kind);
    field("pending.number", lease.pending.number);
    field("pending.incarnation", lease.pending.incarnation);
    field("pending.proposed", lease.pending.proposed);
    field("pending.life", lease.pending.life);
    field("pending.from_ms", lease.pending.from_ms);
    field("pending.to_ms", lease.pending.to_ms);
}

template <class Visitor>
void visit(Visitor &field, Layout &layout) {
    field("epoch_ms", layout.epoch_ms);
    field("unit", layout.unit);
    field("time_bits", layout.time_bits);
    field("region_bits", layout.region_bits);
    field("shard_bits", layout.shard_bits);
    field("sequence_bits", layout.sequence_bits);
    field("flags", layout.flags);
    field("unit_above", layout.unit_above);
}

// Puts the fields of a row in.
struct Put {
    Row fields;
    template <class Number>
    void operator()(const std::string &name, Number &to) {
        ASSERT_TRUE(fields.count(name)) << name;
        to = static_cast<Number>(number(fields.at(name)));
        fields.erase(name);
    }
};

// Prints fields as a row has them.
struct Print {
    std::string text;
    template <class Number>
    void operator()(const std::string &name, Number value) {
        text += (text.empty() ? "" : " ") + name + '=' + std::to_string(static_cast<std::int64_t>(value));
    }
};

Row fields_of(const std::string &text) {
    Row fields;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        std::size_t at = word.find('=');
        fields[word.substr(0, at)] = word.substr(at + 1);
    }
    return fields;
}

template <class Record>
void check(const Row &row) {
    alignas(Record) unsigned char bytes[sizeof(Record)] = {};
    Put put{fields_of(row.at("fields"))};
    visit(put, *reinterpret_cast<Record *>(bytes));
    EXPECT_TRUE(put.fields.empty()) << put.fields.begin()->first << " is not a field";
    std::string hex = hex_of(bytes);
    EXPECT_EQ(hex.substr(0, row.at("bytes").size()), row.at("bytes")) << "written";
    EXPECT_EQ(hex.find_first_not_of('0', row.at("bytes").size()), std::string::npos) << hex << ": behind the row's";

    std::vector<std::uint8_t> stored = bytes_of(row.at("bytes"));
    ASSERT_LE(stored.size(), sizeof(Record));
    stored.resize(sizeof(Record));
    std::memcpy(bytes, stored.data(), sizeof(Record));
    Print read{};
    visit(read, *reinterpret_cast<Record *>(bytes));
    EXPECT_EQ(read.text, row.at("fields")) << "read";
    EXPECT_EQ(sizeof(Record), static_cast<std::size_t>(number(row.at("size"))));
}

TEST(Stored, BytesStayWhereTheyAre) {
    std::set<std::string> seen;
    for (const Row &row : read_csv("stored.csv")) {
        const std::string &record = row.at("record");
        SCOPED_TRACE(record + ' ' + row.at("fields"));
        seen.insert(record);
        if (record == "RecordPage") check<RecordPage>(row);
        if (record == "LeasePage") check<LeasePage>(row);
        if (record == "SavedLease") check<SavedLease>(row);
        if (record == "Layout") check<Layout>(row);
    }
    EXPECT_EQ(seen, (std::set<std::string>{"Layout", "LeasePage", "RecordPage", "SavedLease"}));
}

// What is computed and stored, or compared with what is stored.
TEST(Stored, NamesAreComputedAsTheyWere) {
    EXPECT_EQ(identity_of(1, 7000000000000000001), -5855472878110906260);
    EXPECT_EQ(identity_of(3, 7561234567890123456), -6529535859864871981);
    EXPECT_EQ(fingerprint("0-15"), 14374689537605454368u);
    EXPECT_EQ(machine_name(MachineTold::generation, 0x0123456789ABCDEF), 1379028924028083213u);
    EXPECT_EQ(identity_in(-12345, 0x0123456789ABCDEF), -4519977831429142796);
    EXPECT_EQ(until_end(1795262400123), 3590524800246);
    EXPECT_EQ(until_start(1795262400123), 3590524800247);
}

}  // namespace
}  // namespace idgen
