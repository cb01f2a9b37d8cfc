#include "core/layout/uuid.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "support.hpp"
#include "vectors.hpp"

namespace idgen {
namespace {

Uuid uuid_from(const std::string &hex) {
    std::vector<std::uint8_t> octets = bytes_of(hex);
    Uuid uuid{};
    EXPECT_EQ(octets.size(), sizeof uuid) << hex;
    octets.resize(sizeof uuid);
    std::memcpy(&uuid, octets.data(), sizeof uuid);
    return uuid;
}

void expect_time(const Row &row, const Uuid &uuid) {
    std::int64_t us = 0;
    bool has_time = !row.at("gregorian").empty() || !row.at("unix_ms").empty();
    EXPECT_EQ(uuid_time_us(uuid, us), has_time);
    if (!row.at("gregorian").empty()) {
        // From 1582-10-15 to 1970-01-01: 141427 days.
        EXPECT_EQ(us * 10, number(row.at("gregorian")) - 141427 * INT64_C(864000000000));
    }
    if (!row.at("unix_ms").empty()) {
        EXPECT_EQ(us, number(row.at("unix_ms")) * 1000);
        EXPECT_EQ(uuid_time_ms(uuid), number(row.at("unix_ms")));
    }
}

TEST(Uuid, PublishedExactly) {
    for (const Row &row : rows_where("uuid.csv", "class", "published-exact")) {
        SCOPED_TRACE(row.at("uuid"));
        Uuid uuid = uuid_from(row.at("uuid"));
        EXPECT_EQ(uuid_version(uuid), number(row.at("version")));
        expect_time(row, uuid);
    }
}

TEST(Uuid, OtherVariantsHaveNoVersionAndNoTime) {
    Uuid uuid = uuid_from("017f22e279b07cc398c4dc0c0c07398f");
    EXPECT_EQ(uuid_version(uuid), 7);
    for (int high = 0; high < 16; high++) {
        uuid.octets[8] = static_cast<std::uint8_t>(high << 4 | 8);
        bool is_rfc = high >= 8 && high < 12;
        std::int64_t us = 0;
        EXPECT_EQ(uuid_version(uuid), is_rfc ? 7 : -1) << high;
        EXPECT_EQ(uuid_time_us(uuid, us), is_rfc) << high;
    }
    EXPECT_EQ(uuid_version(Uuid{}), -1);
    EXPECT_EQ(uuid_version(uuid_from("ffffffffffffffffffffffffffffffff")), -1);
}

TEST(Uuid, OnlyVersions1And6And7HaveATime) {
    Uuid uuid = uuid_from("017f22e279b07cc398c4dc0c0c07398f");
    for (int version = 0; version < 16; version++) {
        uuid.octets[6] = static_cast<std::uint8_t>(version << 4 | 0xC);
        std::int64_t us = 0;
        EXPECT_EQ(uuid_version(uuid), version);
        EXPECT_EQ(uuid_time_us(uuid, us), version == 1 || version == 6 || version == 7) << version;
    }
}

// By hand: the ends of the 60 bits, a tick before and a tick after 1970, each bit in its place.
TEST(Uuid, GregorianTimes) {
    struct Case {
        const char *version_1, *version_6;
        std::int64_t us;
    } cases[] = {
        {"00000000000010008000000000000000", "00000000000060008000000000000000", -12219292800000000},
        {"ffffffffffff1fff8000000000000000", "ffffffffffff6fff8000000000000000", 103072857660684697},
        {"138140001dd211b28000000000000000", "1b21dd21381460008000000000000000", 0},
        {"13813fff1dd211b28000000000000000", "1b21dd2138136fff8000000000000000", -1},
        {"13813ff61dd211b28000000000000000", "1b21dd2138136ff68000000000000000", -1},
        {"13813ff51dd211b28000000000000000", "1b21dd2138136ff58000000000000000", -2},
        {"138140091dd211b28000000000000000", "1b21dd21381460098000000000000000", 0},
        {"1381400a1dd211b28000000000000000", "1b21dd213814600a8000000000000000", 1},
    };
    for (const Case &c : cases) {
        std::int64_t us = 7;
        EXPECT_TRUE(uuid_time_us(uuid_from(c.version_1), us));
        EXPECT_EQ(us, c.us) << c.version_1;
        EXPECT_TRUE(uuid_time_us(uuid_from(c.version_6), us));
        EXPECT_EQ(us, c.us) << c.version_6;
    }
}

// The presets, and others.
std::vector<std::string> all_layouts() {
    std::vector<std::string> layouts = {
        "epoch=2020-01-01 unit=1ms time=1 shard=31 sequence=31",
        "epoch=2020-01-01 unit=999ms time=38 region=3 shard=5 sequence=9+1",
        "epoch=2020-01-01 unit=1ms time=42 shard=12 sequence=10",
        "epoch=1970-01-01 unit=1s time=38 sequence=20",
    };
    for (const Preset &preset : presets) layouts.emplace_back(preset.name);
    return layouts;
}

Uuid uuid_of(const Packing &p, std::int64_t id) {
    Uuid uuid{};
    EXPECT_EQ(uuid_from_id(p, id, uuid), IdReason::none) << id;
    return uuid;
}

// Any number that the layout can have made.
std::int64_t some_id(const Packing &p, Random &random) {
    return pack(p, random.between(0, static_cast<std::int64_t>(p.time_mask)),
                static_cast<std::uint32_t>(random.between(0, p.shard_last)),
                static_cast<std::uint32_t>(random.between(0, p.sequence_last)));
}

// By hand: 2026-11-23T06:42:05.325Z is 01a20723ef8d; the ID is 3804c2ebda40004d.
TEST(IdUuid, BitByBit) {
    EXPECT_EQ(hex_of(uuid_of(packing_of("instagram"), 4036565484265537613)), "01a20723ef8d7000b804c2ebda40004d");
    EXPECT_EQ(hex_of(uuid_of(packing_of("instagram"), 0)), "0131fd9e17d970008000000000000000");
    // Bit 62 of the ID is the lowest of octet 7.
    EXPECT_EQ(hex_of(uuid_of(packing_of("instagram"), INT64_MAX)).substr(12), "7001bfffffffffffffff");
    EXPECT_EQ(hex_of(uuid_of(packing_of("instagram"), std::int64_t{1} << 62)).substr(12), "70018000000000000000");
    EXPECT_EQ(hex_of(uuid_of(packing_of("mastodon"), 0)), "00000000000070008000000000000000");
}

TEST(IdUuid, VersionVariantAndTime) {
    for (const std::string &text : all_layouts()) {
        SCOPED_TRACE(text);
        Packing p = packing_of(text);
        Random random(9562);
        for (int i = 0; i < 10000; i++) {
            std::int64_t id = some_id(p, random);
            Parts parts{};
            ASSERT_TRUE(unpack(p, id, parts));
            Uuid uuid = uuid_of(p, id);
            EXPECT_EQ(uuid.octets[6] >> 4, 7);
            EXPECT_EQ(uuid.octets[8] >> 6, 2);
            EXPECT_EQ(uuid_time_ms(uuid), ms_down(start_of(p, parts.tick)));
            EXPECT_EQ(std::stoll(hex_of(uuid).substr(0, 12), nullptr, 16), ms_down(start_of(p, parts.tick)));
        }
    }
}

TEST(IdUuid, AllBitsComeBack) {
    for (const std::string &text : all_layouts()) {
        SCOPED_TRACE(text);
        Packing p = packing_of(text);
        Random random(63);
        std::vector<std::int64_t> ids = {0, 1, lowest_id(p, static_cast<std::int64_t>(p.time_mask)),
                                         highest_id(p, static_cast<std::int64_t>(p.time_mask))};
        for (int i = 0; i < 10000; i++) ids.push_back(some_id(p, random));
        for (std::int64_t id : ids) {
            std::int64_t back = -1;
            EXPECT_EQ(id_from_uuid(p, uuid_of(p, id), back), UuidReason::none);
            EXPECT_EQ(back, id);
        }
    }
}

TEST(IdUuid, OrderIsKept) {
    for (const std::string &text : all_layouts()) {
        SCOPED_TRACE(text);
        Packing p = packing_of(text);
        Random random(7);
        for (int i = 0; i < 10000; i++) {
            std::int64_t a = some_id(p, random), b = some_id(p, random);
            // Often of one tick
            if (random.once_in(2))
                b = (b & ((std::int64_t{1} << p.time_shift) - 1)) | (a >> p.time_shift << p.time_shift);
            EXPECT_EQ(is_before(uuid_of(p, a), uuid_of(p, b)), a < b) << a << ' ' << b;
        }
    }
}

TEST(IdUuid, NumbersThatTheLayoutCannotHaveMade) {
    Uuid uuid{};
    EXPECT_EQ(uuid_from_id(packing_of("instagram"), -1, uuid), IdReason::not_of_layout);
    EXPECT_EQ(uuid_from_id(packing_of("js53"), std::int64_t{1} << 53, uuid), IdReason::not_of_layout);
    EXPECT_EQ(uuid_from_id(packing_of("js53"), (std::int64_t{1} << 53) - 1, uuid), IdReason::none);
}

TEST(IdUuid, TimesOutside48Bits) {
    Uuid uuid{};
    Packing early = packing_of("epoch=1969-12-31T23:59:59.999Z unit=1ms time=41 shard=10 sequence=12");
    EXPECT_EQ(uuid_from_id(early, 1, uuid), IdReason::time_not_in_uuid);
    EXPECT_EQ(uuid_from_id(early, lowest_id(early, 1), uuid), IdReason::none);
    EXPECT_EQ(uuid_time_ms(uuid), 0);
    Packing late = packing_of("epoch=1970-01-01 unit=1ms time=49 sequence=14");
    EXPECT_EQ(uuid_from_id(late, highest_id(late, uuid_last_ms), uuid), IdReason::none);
    EXPECT_EQ(uuid_time_ms(uuid), uuid_last_ms);
    EXPECT_EQ(uuid_from_id(late, lowest_id(late, uuid_last_ms + 1), uuid), IdReason::time_not_in_uuid);
}

// One bit of a right UUID changed: whichever it is, the UUID holds no ID of the layout any more.
TEST(IdUuid, EveryChangedBitIsNoticedButThoseBelowTheTime) {
    for (const std::string &text : all_layouts()) {
        SCOPED_TRACE(text);
        Packing p = packing_of(text);
        Random random(1);
        Uuid right = uuid_of(p, some_id(p, random));
        for (int bit = 0; bit < 128; bit++) {
            Uuid changed = right;
            changed.octets[bit / 8] ^= static_cast<std::uint8_t>(0x80 >> bit % 8);
            std::int64_t id;
            UuidReason reason = id_from_uuid(p, changed, id);
            bool is_below_time = 127 - bit < p.time_shift;
            if (is_below_time) {
                EXPECT_EQ(reason, UuidReason::none) << bit;
            } else if (bit < 48) {
                EXPECT_EQ(reason, UuidReason::has_other_time) << bit;
            } else if (bit < 52 || bit == 64 || bit == 65) {
                EXPECT_EQ(reason, UuidReason::other_version) << bit;
            } else if (bit < 63) {
                EXPECT_EQ(reason, UuidReason::holds_no_id) << bit;
            } else {
                EXPECT_NE(reason, UuidReason::none) << bit;
            }
        }
    }
}

// A number that is too large for the layout, beside the time of its tick 0.
TEST(IdUuid, NumbersThatTheLayoutCannotHaveMadeAreNotRead) {
    Packing p = packing_of("js53");
    Uuid uuid = uuid_of(p, 1);
    std::int64_t id;
    EXPECT_EQ(id_from_uuid(p, uuid, id), UuidReason::none);
    uuid.octets[9] = 0x20;
    EXPECT_EQ(id_from_uuid(p, uuid, id), UuidReason::holds_no_id);
}

TEST(IdUuid, AnotherLayoutIsNoticed) {
    Random random(2);
    Packing p = packing_of("instagram");
    Uuid uuid = uuid_of(p, some_id(p, random));
    std::int64_t id;
    for (const std::string &text : all_layouts())
        EXPECT_EQ(id_from_uuid(packing_of(text), uuid, id) == UuidReason::none, text == "instagram") << text;
}

// RFC 9562: a UUID of version 7 that another program made, of another version or variant, nil and max.
TEST(IdUuid, OtherUuidsAreRefused) {
    Packing p = packing_of("instagram");
    std::int64_t id;
    Uuid v7 = {{0x01, 0x7F, 0x22, 0xE2, 0x79, 0xB0, 0x7C, 0xC3, 0x98, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F}};
    EXPECT_EQ(uuid_time_ms(v7), 1645557742000);
    EXPECT_EQ(id_from_uuid(p, v7, id), UuidReason::holds_no_id);
    Uuid v4 = {{0x91, 0x91, 0x08, 0xF7, 0x52, 0xD1, 0x43, 0x20, 0x9B, 0xAC, 0xF8, 0x47, 0xDB, 0x41, 0x48, 0xA8}};
    EXPECT_EQ(id_from_uuid(p, v4, id), UuidReason::other_version);
    Uuid nil{}, max;
    std::memset(&max, 0xFF, sizeof max);
    EXPECT_EQ(id_from_uuid(p, nil, id), UuidReason::other_version);
    EXPECT_EQ(id_from_uuid(p, max, id), UuidReason::other_version);
}

Uuid uuidv8_of(const Packing &p, std::int64_t id, std::uint64_t random) {
    Uuid uuid{};
    EXPECT_EQ(uuidv8_from_id(p, id, random, uuid), IdReason::none);
    return uuid;
}

// By hand: the ID is 3804c2ebda40004d; its last digit d stands behind the variant, which takes two bits: 10 1101 ....
TEST(IdUuidv8, BitByBit) {
    Packing p = packing_of("instagram");
    EXPECT_EQ(hex_of(uuidv8_of(p, 4036565484265537613, 0)), "3804c2ebda408004b400000000000000");
    EXPECT_EQ(hex_of(uuidv8_of(p, 4036565484265537613, ~std::uint64_t{0})), "3804c2ebda408004b7ffffffffffffff");
    EXPECT_EQ(hex_of(uuidv8_of(p, INT64_MAX, 0)), "7fffffffffff8fffbc00000000000000");
    EXPECT_EQ(hex_of(uuidv8_of(p, 0, 1)), "00000000000080008000000000000001");
}

// Every bit of the ID comes back, whatever is random, and the order is that of the IDs.
TEST(IdUuidv8, BitsComeBackInTheirOrder) {
    for (const std::string &text : all_layouts()) {
        SCOPED_TRACE(text);
        Packing p = packing_of(text);
        Random random(8);
        for (int i = 0; i < 10000; i++) {
            std::int64_t a = some_id(p, random), b = random.once_in(2) ? some_id(p, random) : a ^ 1, back = -1;
            Uuid first = uuidv8_of(p, a, static_cast<std::uint64_t>(random.between(INT64_MIN, INT64_MAX)));
            Uuid second = uuidv8_of(p, b, static_cast<std::uint64_t>(random.between(INT64_MIN, INT64_MAX)));
            EXPECT_EQ(uuid_version(first), 8);
            EXPECT_EQ(id_from_uuid(p, first, back), UuidReason::none);
            EXPECT_EQ(back, a);
            EXPECT_EQ(is_before(first, second), a < b) << a << ' ' << b;
        }
    }
}

TEST(IdUuidv8, NumbersThatTheLayoutCannotHaveMade) {
    Uuid uuid{};
    Packing wide = packing_of("instagram"), narrow = packing_of("js53");
    EXPECT_EQ(uuidv8_from_id(wide, -1, 0, uuid), IdReason::not_of_layout);
    EXPECT_EQ(uuidv8_from_id(narrow, std::int64_t{1} << 53, 0, uuid), IdReason::not_of_layout);
    std::int64_t id = 0;
    EXPECT_EQ(id_from_uuid(narrow, uuidv8_of(wide, std::int64_t{1} << 53, 0), id), UuidReason::not_of_layout);
    EXPECT_EQ(id, std::int64_t{1} << 53);
    Uuid negative = uuidv8_of(wide, 5, 0);
    negative.octets[0] |= 0x80;
    EXPECT_EQ(id_from_uuid(wide, negative, id), UuidReason::not_of_layout);
}

}  // namespace
}  // namespace idgen
